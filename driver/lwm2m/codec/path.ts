import { DriverFailure, type DriverPoint } from '../../sdk/driver.ts';

/**
 * Path of a point on its device (docs/specification/lwm2m.md, LwM2M driver attributes); with `resourceInstanceId` that
 * of one instance of a multiple resource.
 */
export type ResourcePath = {
  objectId: number;
  objectInstanceId: number;
  resourceId: number;
  resourceInstanceId?: number;
};

/** 65535 is reserved by LwM2M for "none". */
const MAX_ID = 65_534;
const MAX_ROOT_SEGMENTS = 8;
const MAX_IDS = 4;
const SLASH = 47;
const [ZERO, NINE] = [48, 57];
const MAX_DIGITS = 5;

/** The configured path of a point; throws `DriverFailure` `POINT_CONFIG` for an invalid id. */
export function pathOf({ configs }: Pick<DriverPoint, 'configs'>): ResourcePath {
  const id = (code: string): number => {
    const value = parseId((configs[code] ?? '0').trim());
    if (value === null)
      throw new DriverFailure('POINT_CONFIG', `${code} is not an id from 0 to 65534`);
    return value;
  };
  const path = {
    objectId: id('objectId'),
    objectInstanceId: id('objectInstanceId'),
    resourceId: id('resourceId'),
  };
  const isInstance = (configs['resourceInstanceId'] ?? '').trim() !== '';
  return isInstance ? { ...path, resourceInstanceId: id('resourceInstanceId') } : path;
}

/** The ids of `/3303/0/5700`, a shorter path or that of a resource instance; null for other text. */
export function parsePath(text: string): number[] | null {
  const ids: number[] = [];
  let at = 0;
  while (at < text.length) {
    if (text.charCodeAt(at) === SLASH) {
      at += 1;
      continue;
    }
    const slash = text.indexOf('/', at);
    const end = slash === -1 ? text.length : slash;
    const id = idIn(text, at, end);
    if (id === null || ids.length === MAX_IDS) return null;
    ids.push(id);
    at = end;
  }
  return ids;
}

/** The segments of the root path in a link; none for the usual `/` and for an invalid path. */
export function parseRoot(target: string): string[] {
  try {
    const parts = target.split('/').filter((part) => part !== '');
    return parts.slice(0, MAX_ROOT_SEGMENTS).map(decodeURIComponent);
  } catch {
    return [];
  }
}

export function segments(path: ResourcePath): string[] {
  const { objectId, objectInstanceId, resourceId, resourceInstanceId } = path;
  const ids = [objectId, objectInstanceId, resourceId, resourceInstanceId];
  return ids.filter((id) => id !== undefined).map(String);
}

export function formatPath(path: ResourcePath): string {
  return `/${segments(path).join('/')}`;
}

const parseId = (text: string): number | null => idIn(text, 0, text.length);

/** The id between two places of a text. */
function idIn(text: string, from: number, end: number): number | null {
  if (end === from || end - from > MAX_DIGITS) return null;
  let id = 0;
  for (let at = from; at < end; at += 1) {
    const digit = text.charCodeAt(at);
    if (digit < ZERO || digit > NINE) return null;
    id = id * 10 + digit - ZERO;
  }
  return id <= MAX_ID ? id : null;
}
