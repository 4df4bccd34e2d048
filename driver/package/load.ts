import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { z } from 'zod';

import { ConfigError } from '../../src/kernel/process/config.ts';
import { attributeProblem } from '../sdk/attribute.ts';
import type { Driver } from '../sdk/driver.ts';
import type { PackageContext } from './context.ts';

type Create = (context: PackageContext) => Driver;

const isFunction = (value: unknown): boolean => typeof value === 'function';
const Method = z.custom<never>(isFunction, 'is no function');
const isCreate = (value: unknown): value is Create => isFunction(value);
const Attributes = z.array(z.looseObject({ code: z.string().min(1), type: z.string() }));

/** The part of the contract that can be seen before a driver runs. */
const Contract = z.looseObject({
  code: z.string().regex(/^[A-Za-z][A-Za-z0-9]{0,63}$/, 'must be letters and digits'),
  name: z.string().min(1),
  type: z.literal('DRIVER_CLIENT'),
  driverAttributes: Attributes,
  pointAttributes: Attributes,
  readCron: z.string(),
  start: Method,
  status: Method,
  read: Method,
  write: Method,
  stop: Method,
});

/**
 * Finds a package as Node does from the directory, or a package at a path, and answers how it makes its driver. Throws
 * `ConfigError`.
 */
export async function loadPackage(name: string, directory = '.'): Promise<Create> {
  const create: unknown = await moduleOf(name, directory).then(
    (module) => Reflect.get(module, 'createDriver'),
    (error: unknown) => {
      const why = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
      throw new ConfigError(`SVC_DRIVERS: ${name} cannot be loaded: ${why}`);
    },
  );
  if (isCreate(create)) return (context) => driverOf(name, create, context);
  throw new ConfigError(`SVC_DRIVERS: ${name} exports no function createDriver`);
}

async function moduleOf(name: string, directory: string): Promise<object> {
  const path = createRequire(resolve(directory, 'package.json')).resolve(name);
  const module: object = await import(pathToFileURL(path).href);
  return module;
}

function driverOf(name: string, create: Create, context: PackageContext): Driver {
  const driver = create(context);
  const { error } = Contract.safeParse(driver);
  const [issue] = error?.issues ?? [];
  const problem = issue
    ? `${issue.path.join('.') || 'the driver'}: ${issue.message}`
    : attributeProblem(driver);
  if (problem === null) return driver;
  throw new ConfigError(`SVC_DRIVERS: ${name} makes no driver: ${problem}`);
}
