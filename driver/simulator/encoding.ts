/** Separate small encoders: the simulated device shares no code with the server that it tests. */
export const Format = { TEXT: 0, SENML_JSON: 110, TLV: 11542 } as const;

export type ResourceValue = number | string;
export type Resource = {
  object: number;
  instance: number;
  id: number;
  kind: 'float' | 'integer' | 'string';
};

/** The value in the requested format; null when the device does not support it. */
export function encode(
  format: number,
  resource: Resource,
  value: ResourceValue,
  timeMs: number | null = null,
): Buffer | null {
  if (format === Format.TEXT) return Buffer.from(String(value));
  if (format === Format.SENML_JSON) {
    const name = `/${resource.object}/${resource.instance}/${resource.id}`;
    const field = resource.kind === 'string' ? { vs: value } : { v: value };
    const time = timeMs === null ? {} : { t: timeMs / 1000 };
    return Buffer.from(JSON.stringify([{ bn: name, ...field, ...time }]));
  }
  if (format !== Format.TLV) return null;
  const body = tlvBody(resource, value);
  // Resource with value (11), 16-bit id, length in one byte.
  return Buffer.concat([
    Buffer.from([0xe8, resource.id >> 8, resource.id & 0xff, body.length]),
    body,
  ]);
}

/** The number that a server wrote; null when the payload is none. */
export function decodeNumber(format: number, payload: Buffer): number | null {
  const number =
    format === Format.TEXT
      ? textNumber(payload.toString())
      : format === Format.SENML_JSON
        ? senmlNumber(payload)
        : tlvNumber(payload);
  return number !== null && Number.isFinite(number) ? number : null;
}

function tlvBody({ kind }: Resource, value: ResourceValue): Buffer {
  if (kind === 'string') return Buffer.from(String(value).slice(0, 255));
  const body = Buffer.alloc(8);
  if (kind === 'integer') {
    const number = Number(value);
    if (number >= -128 && number <= 127) return Buffer.from([number & 0xff]);
    body.writeBigInt64BE(BigInt(number));
    return body;
  }
  body.writeDoubleBE(Number(value));
  return body;
}

function textNumber(text: string): number | null {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null;
}

function senmlNumber(payload: Buffer): number | null {
  try {
    const pack: unknown = JSON.parse(payload.toString());
    const first: unknown = Array.isArray(pack) ? pack[0] : null;
    return typeof first === 'object' &&
      first !== null &&
      'v' in first &&
      typeof first.v === 'number'
      ? first.v
      : null;
  } catch {
    return null;
  }
}

function tlvNumber(payload: Buffer): number | null {
  // Header 1 byte, id 1 or 2, length none or 1: enough for a single number.
  const head = payload[0] ?? 0;
  const start = 2 + ((head >> 5) & 1) + ((head >> 3) & 3);
  const body = payload.subarray(start);
  if (body.length === 8) return body.readDoubleBE();
  if (body.length === 4) return body.readFloatBE();
  if (body.length === 2) return body.readInt16BE();
  return body.length === 1 ? body.readInt8() : null;
}
