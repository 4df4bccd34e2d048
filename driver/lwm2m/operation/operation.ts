import { type DriverCommand, DriverFailure } from '../../sdk/driver.ts';
import { parsePath } from '../codec/path.ts';

/** Lengths of the path that each operation takes: 0 the whole device, 1 an object, 2 its instance, 3 a resource, 4 its instance. */
const LENGTHS = {
  execute: [3],
  read: [1, 2, 3, 4],
  discover: [1, 2, 3],
  write: [2, 3, 4],
  update: [2, 3],
  'write-composite': [0, 1, 2],
  attributes: [1, 2, 3, 4],
  create: [1, 2],
  delete: [2, 4],
} as const satisfies Record<string, readonly number[]>;
type Kind = keyof typeof LENGTHS;

/** One operation on a path of the device (OMA Core 1.1, 6.3); `given` is its parameter, empty without one. */
export type Operation = { kind: Kind; ids: readonly number[]; given: string };

/** The parameter of a command that carries what an operation needs. */
const PARAMETER: Partial<Record<Kind, string>> = {
  execute: 'arguments',
  write: 'value',
  update: 'value',
  'write-composite': 'value',
  create: 'value',
  attributes: 'attributes',
};

/**
 * The operation of a custom command. The driver declares no command attributes (docs/specification/lwm2m.md, LwM2M
 * driver attributes); users add `operation` and either `path` or the names of the point attributes. A parameter `path`
 * names a place at or below that of the attributes. Throws `DriverFailure`.
 */
export function operationOf(
  { configs }: Pick<DriverCommand, 'configs'>,
  params: Readonly<Record<string, string>>,
): Operation {
  const name = (configs['operation'] ?? '').trim().toLowerCase() || 'execute';
  if (!isKind(name))
    throw new DriverFailure(
      'COMMAND_CONFIG',
      `operation must be one of ${Object.keys(LENGTHS).join(', ')}`,
    );
  const ids = placeOf(basePathOf(configs), params['path']);
  const lengths: readonly number[] = LENGTHS[name];
  if (!lengths.includes(ids.length))
    throw new DriverFailure(
      'COMMAND_CONFIG',
      `${name} takes a path of ${lengths.join(' or ')} ids, not /${ids.join('/')}`,
    );
  const parameter = PARAMETER[name];
  return { kind: name, ids, given: parameter === undefined ? '' : (params[parameter] ?? '') };
}

const isKind = (name: string): name is Kind => Object.hasOwn(LENGTHS, name);

/** The path that the attributes of the command name. */
function basePathOf(configs: DriverCommand['configs']): number[] {
  const path = (configs['path'] ?? '').trim();
  if (path !== '') return idsIn(path);
  const [object, instance, resource, more] = [
    'objectId',
    'objectInstanceId',
    'resourceId',
    'resourceInstanceId',
  ].map((code) => (configs[code] ?? '').trim());
  if (!object)
    throw new DriverFailure('UNSUPPORTED', 'the command has no path and no objectId to act on');
  // As with points the instance of a resource is 0 unless another is named.
  const parts = [object, instance || (resource ? '0' : ''), resource, more];
  return idsIn(parts.slice(0, parts.findLastIndex((part) => part) + 1).join('/'));
}

function placeOf(base: number[], below: string | undefined): number[] {
  if (below === undefined || below.trim() === '') return base;
  const ids = idsIn(below.trim());
  if (base.every((id, at) => ids[at] === id)) return ids;
  throw new DriverFailure(
    'VALUE_INVALID',
    `path must be /${base.join('/')} or below: the command is for nothing else`,
  );
}

function idsIn(path: string): number[] {
  if (path === '/') return [];
  const ids = /^\/?[\d/]+$/.test(path) && !path.includes('//') ? parsePath(path) : null;
  if (ids && ids.length > 0) return ids;
  throw new DriverFailure('COMMAND_CONFIG', 'a path is one to four ids, such as /3/0/4');
}
