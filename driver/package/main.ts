#!/usr/bin/env node
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { z } from 'zod';

import { systemClock as clock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { CheckedDevice } from './check-file.ts';
import { checkDriver } from './check.ts';
import { loadPackage } from './load.ts';

const USAGE = `svc-driver-check [PACKAGE] [--device FILE]

Runs the contract of a driver on a device that stands ready: svc-driver-check in the package.json of
PACKAGE (the directory, . without one) describes it, or a file of JSON does.`;

const Manifest = z.looseObject({ name: z.string(), 'svc-driver-check': z.unknown() });

const jsonIn = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'));

/** Checks a package of a driver; ends with 1 where a check fails. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { device: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const place = resolve(positionals[0] ?? '.');
  const manifest = Manifest.parse(await jsonIn(join(place, 'package.json')));
  // As its users find it: a package knows its own name.
  const create = await loadPackage(manifest.name, place);
  const described = values.device ? await jsonIn(values.device) : manifest['svc-driver-check'];
  const checked = CheckedDevice.parse(described);
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-driver-check-'));
  try {
    const driver = create({ clock, log: createLog('silent'), dataDir });
    const results = await checkDriver(driver, { checked, dataDir });
    for (const { name, problem } of results)
      process.stdout.write(
        problem === null ? `ok      ${name}\n` : `FAILED  ${name}: ${problem}\n`,
      );
    return results.some(({ problem }) => problem !== null) ? 1 : 0;
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
