import { z } from 'zod';

/** JSON with bytes as base64url. */
export function jsonOf(value: unknown): string {
  const bytesIn = (item: unknown) =>
    z.object({ data: z.array(z.number()) }).safeParse(item).data?.data;
  return JSON.stringify(value, (_key, item: unknown) => {
    const data = bytesIn(item);
    return data ? Buffer.from(data).toString('base64url') : item;
  });
}

const LABELS: Readonly<Record<string, number>> = {
  bs: -6,
  bv: -5,
  bu: -4,
  bt: -3,
  bn: -2,
  bver: -1,
  n: 0,
  u: 1,
  v: 2,
  vs: 3,
  vb: 4,
  s: 5,
  t: 6,
  ut: 7,
  vd: 8,
};

/** A small encoder that shares nothing with the one of the driver: 32-bit heads and 64-bit floats throughout. */
export function cborOf(value: unknown): Buffer {
  const head = (major: number, size: number) => {
    const bytesOfHead = Buffer.alloc(5, (major << 5) | 26);
    bytesOfHead.writeUInt32BE(size, 1);
    return bytesOfHead;
  };
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (typeof value === 'boolean') return Buffer.from([value ? 0xf5 : 0xf4]);
  if (typeof value === 'number') {
    if (Number.isInteger(value) && Math.abs(value) < 2 ** 32)
      return value < 0 ? head(1, -1 - value) : head(0, value);
    const float = Buffer.alloc(9, 0xfb);
    float.writeDoubleBE(value, 1);
    return float;
  }
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cborOf)]);
  const entries = Object.entries(Object(value));
  const fields = entries.flatMap(([name, item]) => [cborOf(LABELS[name] ?? name), cborOf(item)]);
  return Buffer.concat([head(5, entries.length), ...fields]);
}
