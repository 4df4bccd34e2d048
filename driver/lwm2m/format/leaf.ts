import { CodecError, fromBase64 } from '../codec/codec.ts';
import { isNumeral, type Item, type ItemMap } from '../codec/item.ts';
import { readJson } from '../codec/json-reader.ts';
import { isReal } from '../codec/number.ts';
import type { ResourceType } from '../codec/resource.ts';

/** The value of a resource (three ids) or of one instance of it (four). */
export type Leaf = { ids: readonly number[]; value: string; type: ResourceType };

/** The type of a resource that some point of the device names, by its path; null without one. */
export type TypeAt = (ids: readonly number[]) => ResourceType | null;

const MAX_LEAVES = 256;
const RESOURCE_DEPTH = 3;
const DEEPEST = 4;

/**
 * The values in a JSON text for the path: of a resource or resource instance the value itself, of an object instance an
 * object of values by resource id, of a multiple resource one by instance id. A number with a point or an exponent is
 * a float, `{"bytes": "…"}` are bytes in base64. Throws `CodecError`.
 */
export function leavesIn(json: string, ids: readonly number[], typeAt: TypeAt): Leaf[] {
  if (json === '') throw new CodecError('the parameter value is missing');
  const leaves = leavesOf(readJson(Buffer.from(json)), ids, typeAt);
  if (leaves.length === 0) throw new CodecError('the value is empty');
  if (leaves.length > MAX_LEAVES) throw new CodecError(`more than ${MAX_LEAVES} values`);
  return leaves;
}

function leavesOf(item: Item, ids: readonly number[], typeAt: TypeAt): Leaf[] {
  const bytes = item instanceof Map ? bytesIn(item) : null;
  if (bytes === null && item instanceof Map) {
    if (ids.length >= DEEPEST) throw new CodecError('a resource instance has one value');
    return [...item].flatMap(([key, below]) => leavesOf(below, [...ids, idOf(key)], typeAt));
  }
  if (ids.length < RESOURCE_DEPTH)
    throw new CodecError('the value must be a JSON object of values by id');
  if (bytes !== null) return [{ ids, value: bytes.toString('base64'), type: 'OPAQUE' }];
  return [{ ids, ...scalarOf(item, typeAt(ids)) }];
}

function scalarOf(item: Item, known: ResourceType | null): { value: string; type: ResourceType } {
  if (isNumeral(item)) {
    const isWhole = /^-?\d+$/.test(item.numeral);
    const type = known && isReal(known) ? known : isWhole ? 'LONG' : 'DOUBLE';
    return { value: item.numeral, type };
  }
  if (typeof item === 'boolean') return { value: String(item), type: 'BOOLEAN' };
  if (typeof item === 'string')
    return { value: item, type: known === 'OPAQUE' ? 'OPAQUE' : 'STRING' };
  throw new CodecError('a value is a number, text, true, false or bytes');
}

/** The bytes in `{"bytes": "…"}`; null for any other object. */
function bytesIn(map: ItemMap): Buffer | null {
  const bytes = map.size === 1 ? map.get('bytes') : undefined;
  return typeof bytes === 'string' ? fromBase64(bytes) : null;
}

function idOf(key: string | number): number {
  const text = String(key);
  if (!/^(?:0|[1-9]\d{0,4})$/.test(text) || Number(text) > 65_534)
    throw new CodecError(`${text.slice(0, 20)} is no id`);
  return Number(text);
}
