import type { IncomingMessage } from 'coap';

import { Format } from './encoding.ts';
import { type Model, resourcesOf, SET_POINT } from './model.ts';
import { formatOf } from './stack.ts';

const MAX_NAMES = 100;

/** Answers a composite read (FETCH) or write (iPATCH), in SenML-JSON alone (OMA Core 1.1, 6.3.7 to 6.3.9). */
export function composite(
  request: Pick<IncomingMessage, 'method' | 'headers' | 'payload'>,
  { model, write }: { model: Model; write: (setPoint: number) => void },
): { code: string; payload?: Buffer } {
  if (formatOf(request, 'Content-Format') !== Format.SENML_JSON) return { code: '4.15' };
  if (request.method === 'iPATCH') {
    const values = valuesIn(request.payload);
    if (!values) return { code: '4.00' };
    // All or nothing.
    if (values.some(({ path }) => path !== SET_POINT)) return { code: '4.05' };
    for (const { value } of values) write(value);
    return { code: '2.04' };
  }
  const names = namesIn(request.payload);
  if (!names) return { code: '4.00' };
  const accepts = request.headers['Accept'] === undefined ? null : formatOf(request, 'Accept');
  if (accepts !== null && accepts !== Format.SENML_JSON) return { code: '4.06' };
  return { code: '2.05', payload: packOf(names, model) };
}

/** The paths that a composite request names (SenML-JSON, OMA Core 1.1, 6.3.7); null for a payload that is none. */
export function namesIn(payload: Buffer): string[] | null {
  try {
    const pack: unknown = JSON.parse(payload.toString());
    if (!Array.isArray(pack) || pack.length > MAX_NAMES) return null;
    let base = '';
    return pack.map((record: unknown) => {
      base = fieldOf(record, 'bn') ?? base;
      return base + (fieldOf(record, 'n') ?? '');
    });
  } catch {
    return null;
  }
}

/** What a composite write names and sets; null for a payload that is none. */
function valuesIn(payload: Buffer): { path: string; value: number }[] | null {
  const names = namesIn(payload);
  if (!names) return null;
  const pack: unknown[] = JSON.parse(payload.toString());
  const values = names.map((path, index) => {
    const record = pack[index];
    const value =
      typeof record === 'object' && record !== null && 'v' in record ? record.v : undefined;
    return { path, value: typeof value === 'number' ? value : Number.NaN };
  });
  return values.some(({ value }) => Number.isNaN(value)) ? null : values;
}

/** The values at these paths and below, in SenML-JSON; paths that are not there are left out. */
function packOf(names: readonly string[], model: Model): Buffer {
  const timeMs = model.sent();
  const records = Object.entries(resourcesOf(model))
    .filter(([path]) => names.some((name) => isBelow(path, name)))
    .map(([path, resource]) => ({
      n: path,
      ...(resource.kind === 'string' ? { vs: resource.read(model) } : { v: resource.read(model) }),
      ...(timeMs === null ? {} : { t: timeMs / 1000 }),
    }));
  return Buffer.from(JSON.stringify(records));
}

const isBelow = (path: string, name: string): boolean =>
  `${path}/`.startsWith(name.endsWith('/') ? name : `${name}/`);

function fieldOf(record: unknown, name: string): string | undefined {
  const field: unknown =
    typeof record === 'object' && record !== null ? Reflect.get(record, name) : undefined;
  return typeof field === 'string' ? field : undefined;
}
