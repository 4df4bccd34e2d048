import { type DriverCommand, DriverFailure, type DriverPoint } from '../sdk/driver.ts';

/** Path of a point on its device (docs/specification/lwm2m.md, LwM2M driver attributes). */
export type ResourcePath = { objectId: number; objectInstanceId: number; resourceId: number };

/** 65535 is reserved by LwM2M for "none". */
const MAX_ID = 65_534;
const MAX_ROOT_SEGMENTS = 8;

/** The configured path of a point; throws `DriverFailure` `POINT_CONFIG` for an invalid id. */
export function pathOf({ configs }: Pick<DriverPoint, 'configs'>): ResourcePath {
  const id = (code: string): number => {
    const value = parseId(configs[code] ?? '0');
    if (value === null)
      throw new DriverFailure('POINT_CONFIG', `${code} is not an id from 0 to 65534`);
    return value;
  };
  return {
    objectId: id('objectId'),
    objectInstanceId: id('objectInstanceId'),
    resourceId: id('resourceId'),
  };
}

/**
 * The resource that a custom command executes. The driver declares no command attributes
 * (docs/specification/lwm2m.md, LwM2M driver attributes); users add command attributes with the names of
 * the point attributes.
 */
export function commandPathOf({ configs }: Pick<DriverCommand, 'configs'>): ResourcePath {
  if (configs['objectId'] === undefined || configs['resourceId'] === undefined)
    throw new DriverFailure('UNSUPPORTED', 'the command has no objectId and resourceId to execute');
  return pathOf({ configs });
}

/** The ids of `/3303/0/5700`, a shorter path or that of a resource instance; null for other text. */
export function parsePath(text: string): number[] | null {
  const ids = text
    .split('/')
    .filter((part) => part !== '')
    .map(parseId);
  return ids.length <= 4 && ids.every((id) => id !== null) ? ids : null;
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

export function segments({ objectId, objectInstanceId, resourceId }: ResourcePath): string[] {
  return [objectId, objectInstanceId, resourceId].map(String);
}

export function formatPath(path: ResourcePath): string {
  return `/${segments(path).join('/')}`;
}

function parseId(text: string): number | null {
  return /^\d{1,5}$/.test(text) && Number(text) <= MAX_ID ? Number(text) : null;
}
