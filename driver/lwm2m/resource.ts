import type { AttributeType } from '../../src/bus/topics.ts';
import { DriverFailure, type DriverPoint } from '../sdk/driver.ts';
import { isExecutable } from './executable.ts';
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

/** The resource of a point. Throws `DriverFailure` `POINT_CONFIG` for an invalid configuration. */
export function resourceOf(point: Pick<DriverPoint, 'configs' | 'type'>): Resource {
  const path = pathOf(point);
  return { path, type: typeOf(point, path), executable: operationOf(point, path) === 'execute' };
}

function typeOf({ configs, type }: Pick<DriverPoint, 'configs' | 'type'>, path: ResourcePath) {
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
