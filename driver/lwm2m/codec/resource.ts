import type { AttributeType } from '../../../src/bus/topic/topics.ts';
import { DriverFailure, type DriverPoint } from '../../sdk/driver.ts';
import { pathOf, type ResourcePath } from './path.ts';

/** Data type of a resource for the codecs: opaque bytes are base64 in a STRING point. */
export type ResourceType = AttributeType | 'OPAQUE';
export type Resource = { path: ResourcePath; type: ResourceType; executable: boolean };

/** Opaque resources of the registered object definitions, by object. */
const opaque: Readonly<Record<number, readonly number[]>> = {
  // Security: public key, server public key, secret key
  0: [3, 4, 5],
  // Firmware update: package
  5: [0],
  // Software management: package
  9: [2],
  // Binary application data container: data
  19: [0],
};

type Point = Pick<DriverPoint, 'configs' | 'type'>;

/** A point is a new object whenever something of it changed; its resource is asked for with each value. */
const known = new WeakMap<Point, Resource>();

/** The resource of a point. Throws `DriverFailure` `POINT_CONFIG` for an invalid configuration. */
export function resourceOf(point: Point): Resource {
  const former = known.get(point);
  if (former) return former;
  const resource = parsedOf(point);
  known.set(point, resource);
  return resource;
}

function parsedOf(point: Point): Resource {
  const path = pathOf(point);
  return { path, type: typeOf(point, path), executable: operationOf(point, path) === 'execute' };
}

function typeOf({ configs, type }: Point, path: ResourcePath) {
  const isOpaque = choice(configs, 'resourceType', {
    auto: opaque[path.objectId]?.includes(path.resourceId) ?? false,
    opaque: true,
    value: false,
  });
  if (!isOpaque) return type;
  if (type === 'STRING') return 'OPAQUE';
  throw new DriverFailure('POINT_CONFIG', `opaque bytes need a STRING point, not a ${type}`);
}

const operationOf = ({ configs }: Pick<DriverPoint, 'configs'>, path: ResourcePath) =>
  choice(configs, 'operation', {
    auto: isExecutable(path) ? 'execute' : 'read-write',
    'read-write': 'read-write',
    execute: 'execute',
  });

function choice<T>(configs: DriverPoint['configs'], code: string, choices: Record<string, T>): T {
  const wanted = (configs[code] ?? '').trim().toLowerCase() || 'auto';
  const found = Object.entries(choices).find(([name]) => name === wanted);
  if (found) return found[1];
  throw new DriverFailure(
    'POINT_CONFIG',
    `${code} must be one of ${Object.keys(choices).join(', ')}`,
  );
}

/**
 * Resources that are executed, not written (OMA Core 1.1, appendix E, and the IPSO objects), unless the
 * `operation` of the point says otherwise; a write to one of them becomes POST.
 */
const executable: Readonly<Record<number, readonly number[]>> = {
  // Server: disable, registration update trigger, bootstrap request trigger
  1: [4, 8, 9],
  // Device: reboot, factory reset, reset error code
  3: [4, 5, 12],
  // Firmware update: update, cancel
  5: [2, 10],
  // Connectivity statistics: start, stop
  7: [6, 7],
  // Software management: install, uninstall, activate, deactivate
  9: [4, 6, 10, 11],
};
/**
 * Resources of the IPSO objects 3200 to 3203 and 3300 to 3350: reset a counter, trigger a timer, clear a
 * display, reset the measured minimum and maximum, reset the cumulative energy, reset a bitmap.
 */
const ipso: readonly number[] = [5505, 5523, 5530, 5605, 5822, 5911];
const ARGUMENTS = /^\d(='[^']*')?(,\d(='[^']*')?)*$/;

function isExecutable({ objectId, resourceId }: ResourcePath): boolean {
  const isIpso = (objectId >= 3200 && objectId <= 3203) || (objectId >= 3300 && objectId <= 3350);
  if (isIpso) return ipso.includes(resourceId);
  return executable[objectId]?.includes(resourceId) ?? false;
}

/**
 * The arguments for an execution: none for `true`, `1` or an empty text, else Execute arguments such as
 * `0='http'`. Throws `DriverFailure` otherwise: writing `false` must not reboot.
 */
export function executeArguments(value: string): Buffer {
  if (value === '' || value === '1' || value.toLowerCase() === 'true') return Buffer.alloc(0);
  if (ARGUMENTS.test(value) && value !== '0') return Buffer.from(value);
  throw new DriverFailure('VALUE_INVALID', 'an executable resource takes true, 1 or its arguments');
}
