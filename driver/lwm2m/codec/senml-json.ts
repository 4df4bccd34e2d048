import { z } from 'zod';

import * as decimal from '../../../src/core/decimal.ts';
import { formatPath, parsePath, type ResourcePath } from '../path.ts';
import type { ResourceType } from '../resource.ts';
import {
  bit,
  type Codec,
  CodecError,
  ContentFormat,
  fromBase64,
  opaqueBytes,
  type TimedValue,
  utf8,
} from './codec.ts';

const MAX_RECORDS = 1_000;

/** Numbers are kept as their source text, so that a 64-bit integer stays exact. */
const Numeral = z.object({ numeral: z.string() });
const Record = z.object({
  bn: z.string().optional(),
  bt: Numeral.optional(),
  bv: Numeral.optional(),
  n: z.string().optional(),
  v: Numeral.optional(),
  vs: z.string().optional(),
  vb: z.boolean().optional(),
  vd: z.string().optional(),
  vlo: z.string().optional(),
  t: Numeral.optional(),
});
type Record = z.infer<typeof Record>;
const Pack = z.array(Record).min(1).max(MAX_RECORDS);

/** SenML in JSON (RFC 8428; OMA Core 1.1, 7.4.5). */
export const senmlJson: Codec = {
  contentFormat: ContentFormat.SENML_JSON,
  decode(payload, path, type) {
    for (const { value } of valuesOf(payload, path, type)) return value;
    throw new CodecError('the SenML pack does not hold the resource');
  },
  decodeTimed(payload, path, type) {
    const [first, ...more] = valuesOf(payload, path, type);
    if (!first) throw new CodecError('the SenML pack does not hold the resource');
    // Another name is another instance of the resource, of which a point holds the first.
    return [first, ...more.filter(({ name }) => name === first.name)];
  },
  encode(value, path, type) {
    return Buffer.from(`[{"bn":"${formatPath(path)}",${fieldOf(value, type)}}]`);
  },
};

/** The values of the resource in the order of the pack. */
function* valuesOf(
  payload: Buffer,
  path: ResourcePath,
  type: ResourceType,
): Generator<TimedValue & { name: string }> {
  const parsed = Pack.safeParse(parseExact(payload));
  if (!parsed.success) throw new CodecError('the payload is no SenML pack');
  let base = '';
  let baseValue: string | null = null;
  let baseTime = 0;
  for (const record of parsed.data) {
    // Base fields apply until they are replaced (RFC 8428 4.1).
    base = record.bn ?? base;
    baseValue = record.bv?.numeral ?? baseValue;
    baseTime = record.bt ? Number(record.bt.numeral) : baseTime;
    const name = base + (record.n ?? '');
    if (!isAt(name, path)) continue;
    const value = valueOf(record, baseValue, type);
    if (value !== null) yield { name, value, timeS: baseTime + Number(record.t?.numeral ?? 0) };
  }
}

function fieldOf(value: string, type: ResourceType): string {
  if (type === 'OPAQUE') return `"vd":"${opaqueBytes(value).toString('base64url')}"`;
  if (type === 'STRING') return `"vs":${JSON.stringify(value)}`;
  return type === 'BOOLEAN' ? `"vb":${bit(value)}` : `"v":${numeral(value)}`;
}

/** Whether `name` is the path of the resource or of an instance of it. */
function isAt(name: string, path: ResourcePath): boolean {
  const ids = parsePath(name);
  return (
    ids !== null &&
    ids.length >= 3 &&
    ids[0] === path.objectId &&
    ids[1] === path.objectInstanceId &&
    ids[2] === path.resourceId
  );
}

function valueOf(record: Record, baseValue: string | null, type: ResourceType): string | null {
  if (type === 'OPAQUE' && record.vd === undefined)
    throw new CodecError('the SenML record holds no opaque bytes');
  if (record.vs !== undefined) return record.vs;
  if (record.vb !== undefined) return String(record.vb);
  if (record.vlo !== undefined) return record.vlo;
  if (record.vd !== undefined) {
    // Base64url in SenML, base64 in point values.
    if (type !== 'STRING' && type !== 'OPAQUE') throw new CodecError('opaque bytes are no number');
    return fromBase64(record.vd).toString('base64');
  }
  if (baseValue === null) return record.v?.numeral ?? null;
  const sum = [baseValue, record.v?.numeral ?? '0'].map(numeral).map(exact);
  const [a, b] = sum;
  return a && b ? decimal.format(decimal.add(a, b)) : null;
}

function exact(text: string): decimal.Decimal {
  const parsed = decimal.parseDecimal(text);
  if (!parsed) throw new CodecError('the value is not a number');
  return parsed;
}

/** A number in the spelling of JSON. */
function numeral(text: string): string {
  return decimal.format(exact(text));
}

function parseExact(payload: Buffer): unknown {
  try {
    return JSON.parse(utf8(payload) ?? '', keepSource);
  } catch {
    return null;
  }
}

function keepSource(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? { numeral: context?.source ?? String(value) } : value;
}
