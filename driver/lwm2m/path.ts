import { type DriverCommand, DriverFailure, type DriverPoint } from '../sdk/driver.ts';

/** Where a point lives on its device (docs/specification/lwm2m.md, LwM2M driver attributes). */
export type ResourcePath = { objectId: number; objectInstanceId: number; resourceId: number };

/** 65535 is reserved by LwM2M for "none". */
const MAX_ID = 65_534;
const MAX_ROOT_SEGMENTS = 8;

/** The path a point is configured for; throws `DriverFailure` `POINT_CONFIG` for one that cannot be. */
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
 * What a custom command executes. The driver declares no command attributes (docs/specification/lwm2m.md,
 * LwM2M driver attributes); a command is one here when users gave it attributes of the names that points
 * have.
 */
export function commandPathOf({ configs }: Pick<DriverCommand, 'configs'>): ResourcePath {
  if (configs['objectId'] === undefined || configs['resourceId'] === undefined)
    throw new DriverFailure('UNSUPPORTED', 'the command has no objectId and resourceId to execute');
  return pathOf({ configs });
}

/** The ids of `/3303/0/5700`, of a shorter or of a resource instance's path; null when it is no path. */
export function parsePath(text: string): number[] | null {
  const ids = text
    .split('/')
    .filter((part) => part !== '')
    .map(parseId);
  return ids.length <= 4 && ids.every((id) => id !== null) ? ids : null;
}

/** The segments of a root path that links name; none for the usual `/` and for what is no path. */
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
