import { CodecError, ContentFormat, type TimedValue } from '../codec/codec.ts';
import { valueText } from '../codec/item.ts';
import { parsePath, type ResourcePath } from '../codec/path.ts';
import type { ResourceType } from '../codec/resource.ts';
import { type Entry, MAX_NAME, newestOf, timedOf } from './entry.ts';
import { entriesIn as entriesOfCbor } from './senml-cbor.ts';
import { entriesIn as entriesOfJson } from './senml-json.ts';

/** The values of several resources in one payload (OMA Core 1.1, 6.3.7 and 6.4.6: composite operations and Send). */
export type Pack = {
  /** Paths of its resources, as `3303/0/5700`; those of resource instances count as their resource. */
  paths: readonly string[];
  /** Number of records with names that are no paths of resources. */
  others: number;
  /** Whether each value has a date, so that the same pack is the same report. */
  isDated: boolean;
  /** The values of a resource with their times, none where it has none. Throws `CodecError` for another kind. */
  valuesOf(path: ResourcePath, type: ResourceType): TimedValue[];
  /** The newest value of a resource, null where it has none. Throws `CodecError` likewise. */
  newestOf(path: ResourcePath, type: ResourceType): string | null;
};

const readers = new Map<number, (payload: Buffer) => Entry[]>([
  [ContentFormat.SENML_JSON, entriesOfJson],
  [ContentFormat.SENML_CBOR, entriesOfCbor],
]);

/** Below this a time of SenML is relative to now (RFC 8428 4.5.3). */
const RELATIVE_BELOW_S = 2 ** 28;

export const isPack = (contentFormat: number | null): boolean =>
  contentFormat !== null && readers.has(contentFormat);

/** Path of the resource, as in `Pack.paths`. */
export const resourceOf = (path: ResourcePath): string =>
  `${path.objectId}/${path.objectInstanceId}/${path.resourceId}`;

/** One instance of a multiple resource, or all of it. */
const isOf =
  ({ resourceInstanceId }: ResourcePath) =>
  ({ name }: Entry): boolean =>
    resourceInstanceId === undefined || parsePath(name)?.[3] === resourceInstanceId;

/** Throws `CodecError` for a payload that is no SenML, and for another Content-Format. */
export function packIn(contentFormat: number | null, payload: Buffer): Pack {
  const read = contentFormat === null ? undefined : readers.get(contentFormat);
  if (!read) throw new CodecError(`Content-Format ${contentFormat} carries no pack`);
  const entries = read(payload);
  const byPath = new Map<string, Entry[]>();
  let others = 0;
  for (const entry of entries) {
    const path = resourceIn(entry.name);
    if (path === null) others += 1;
    else (byPath.get(path) ?? fresh(byPath, path)).push(entry);
  }
  return {
    paths: [...byPath.keys()],
    others,
    isDated: entries.every(({ time }) => secondsOf(time) >= RELATIVE_BELOW_S),
    newestOf(path, type) {
      const own = (byPath.get(resourceOf(path)) ?? []).filter(isOf(path));
      return own.length > 0 ? valueText(newestOf(own, path), type) : null;
    },
    valuesOf(path, type) {
      const own = (byPath.get(resourceOf(path)) ?? []).filter(isOf(path));
      return own.length > 0 ? timedOf(own, path, (item) => valueText(item, type)) : [];
    },
  };
}

function fresh(byPath: Map<string, Entry[]>, path: string): Entry[] {
  const entries: Entry[] = [];
  byPath.set(path, entries);
  return entries;
}

const secondsOf = ({ digits, scale }: Entry['time']): number => Number(digits) / 10 ** scale;

function resourceIn(name: string): string | null {
  const ids = name.length > MAX_NAME ? null : parsePath(name);
  return ids && ids.length >= 3 ? ids.slice(0, 3).join('/') : null;
}
