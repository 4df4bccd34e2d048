import { describe, expect, it } from 'vitest';

import { readCbor } from '../../driver/lwm2m/codec/cbor-reader.ts';
import { CodecError } from '../../driver/lwm2m/codec/codec.ts';
import { isNumeral, type Item } from '../../driver/lwm2m/codec/item.ts';
import { readJson } from '../../driver/lwm2m/codec/json-reader.ts';
import type { ResourceType } from '../../driver/lwm2m/codec/resource.ts';
import { decode, encode, FORMATS } from '../support/formats/codecs.ts';
import { createRandom, type Random, seedFor } from '../support/hostile/random.ts';

const ROUNDS = 300;
const TYPES: readonly ResourceType[] = [
  'BYTE',
  'SHORT',
  'INT',
  'LONG',
  'FLOAT',
  'DOUBLE',
  'BOOLEAN',
  'STRING',
  'OPAQUE',
];
const BITS: Readonly<Record<string, bigint>> = { BYTE: 8n, SHORT: 16n, INT: 32n, LONG: 64n };
const LETTERS = ['a', 'Z', '0', ' ', '"', '\\', '/', '\n', '\u0000', 'é', '水', '𐅑', '\ufeff'];

/** A value as the platform gives it to the driver. */
function valueOf(type: ResourceType, random: Random): string {
  const bits = BITS[type];
  if (bits !== undefined) {
    // All sizes alike often, so that each length of an integer comes up.
    const size = random.upTo(Number(bits)) + 1;
    const number = BigInt(`0x${random.bytes(8).toString('hex')}`);
    return String(BigInt.asIntN(size, number));
  }
  if (type === 'BOOLEAN') return String(random.chance(0.5));
  if (type === 'OPAQUE') return random.bytes(random.upTo(300)).toString('base64');
  if (type === 'STRING')
    return Array.from({ length: random.upTo(300) }, () => random.pick(LETTERS)).join('');
  const float = random.bytes(8);
  const number = random.chance(0.5) ? float.readDoubleBE() : float.readFloatBE();
  if (random.chance(0.3)) return String((random.upTo(2_000_000) - 1_000_000) / 1_000);
  return Number.isFinite(number) ? String(number) : '0';
}

/** The value in one spelling: numbers as the nearest double, booleans as words. */
function canonical(value: string, type: ResourceType): string {
  if (type === 'FLOAT' || type === 'DOUBLE') return String(Number(value));
  return type === 'BOOLEAN' ? String(['1', 'true'].includes(value)) : value;
}

/** Of a resource, or of one instance of it. */
const pathOf = (random: Random) =>
  Array.from({ length: 3 + random.upTo(2) }, () => `/${random.upTo(65_535)}`).join('');

const takes = (format: number, type: ResourceType) =>
  format !== FORMATS.opaque || type === 'OPAQUE';

/** One to three bytes changed, and often cut or lengthened. */
function mutant(payload: Buffer, random: Random): Buffer {
  const copy = Buffer.from(payload);
  for (let changes = 1 + random.upTo(3); changes > 0 && copy.length > 0; changes -= 1)
    copy[random.upTo(copy.length)] = random.upTo(256);
  if (random.chance(0.2)) return copy.subarray(0, random.upTo(copy.length + 1));
  return random.chance(0.2)
    ? Buffer.concat([copy, copy.subarray(random.upTo(copy.length + 1))])
    : copy;
}

/** Null for a text, else what was thrown instead of a `CodecError`. */
function fault(run: () => unknown): unknown {
  try {
    const value = run();
    return typeof value === 'string' ? null : value;
  } catch (error) {
    return error instanceof CodecError ? null : error;
  }
}

describe.each(Object.entries(FORMATS))('%s', (name, format) => {
  it.each(TYPES.filter((type) => takes(format, type)))('returns each %s that it wrote', (type) => {
    const random = createRandom(seedFor(`${name} ${type}`));
    for (let round = 0; round < ROUNDS; round += 1) {
      const [value, at] = [valueOf(type, random), pathOf(random)];
      const read = decode(format, encode(format, value, at, type), at, type);
      // NULs at the end of a text are no part of it.
      const meant = type === 'STRING' ? value.replace(/\0+$/, '') : value;
      expect(canonical(read, type)).toBe(canonical(meant, type));
    }
  });

  it.each(TYPES.filter((type) => takes(format, type)))(
    'reads a changed %s, or refuses it with a CodecError',
    (type) => {
      const random = createRandom(seedFor(`${name} ${type} changed`));
      const faults: unknown[] = [];
      for (let round = 0; round < ROUNDS * 5; round += 1) {
        const at = pathOf(random);
        const payload = mutant(encode(format, valueOf(type, random), at, type), random);
        const wanted = random.chance(0.5) ? type : random.pick(TYPES);
        const found = fault(() => decode(format, payload, at, wanted));
        if (found !== null) faults.push({ payload: payload.toString('hex'), wanted, found });
      }
      expect(faults).toEqual([]);
    },
  );

  it('reads random bytes, or refuses them with a CodecError', () => {
    const random = createRandom(seedFor(`${name} random`));
    const faults: unknown[] = [];
    for (let round = 0; round < 5_000; round += 1) {
      const payload = random.bytes(random.upTo(40));
      const found = fault(() => decode(format, payload, '/0/0/0', random.pick(TYPES)));
      if (found !== null) faults.push({ payload: payload.toString('hex'), found });
    }
    expect(faults).toEqual([]);
  });
});

describe.each(
  Object.entries(FORMATS).filter(([name]) =>
    ['senmlJson', 'senmlCbor', 'tlv', 'json'].includes(name),
  ),
)('%s, which names its resource,', (name, format) => {
  it('has no value for another resource, nor in half a payload', () => {
    const random = createRandom(seedFor(`${name} other`));
    for (let round = 0; round < ROUNDS; round += 1) {
      const type = random.pick(TYPES);
      const id = random.upTo(65_534);
      const payload = encode(format, valueOf(type, random), `/3303/0/${id}`, type);
      expect(() => decode(format, payload, `/3303/0/${id + 1}`, type)).toThrow(CodecError);
      const part = payload.subarray(0, random.upTo(payload.length));
      expect(() => decode(format, part, `/3303/0/${id}`, type)).toThrow(CodecError);
    }
  });
});

describe('the readers', () => {
  it('read from CBOR what another encoder wrote, whatever its lengths', () => {
    const random = createRandom(seedFor('cbor items'));
    for (let round = 0; round < 2_000; round += 1) {
      const item = itemOf(random, 0);
      expect(plain(readCbor(cborOf(item, random)))).toEqual(plain(item));
    }
  });

  it('read from JSON what JSON.parse does, whatever the blanks', () => {
    const random = createRandom(seedFor('json items'));
    for (let round = 0; round < 2_000; round += 1) {
      const item = plain(itemOf(random, 0));
      const blank = random.pick(['', ' ', '\n', '\t\r\n ']);
      const text = `${blank}${JSON.stringify(item, null, random.pick(['', ' ', '\t']))}${blank}`;
      const parsed: unknown = JSON.parse(text);
      expect(plain(readJson(Buffer.from(text)))).toEqual(parsed);
    }
  });
});

function itemOf(random: Random, depth: number): Item {
  const kind = random.upTo(depth < 4 ? 7 : 5);
  if (kind === 0) return { numeral: valueOf(random.pick(['INT', 'LONG', 'DOUBLE']), random) };
  if (kind === 1) return valueOf('STRING', random).slice(0, 20).toWellFormed();
  if (kind === 2) return random.chance(0.5);
  if (kind === 3) return null;
  if (kind === 4) return random.bytes(random.upTo(30));
  const size = random.upTo(5);
  if (kind === 5) return Array.from({ length: size }, () => itemOf(random, depth + 1));
  return new Map(
    Array.from({ length: size }, (_, i) => [
      random.chance(0.5) ? `key ${i}` : i - 2,
      itemOf(random, depth + 1),
    ]),
  );
}

/** The item as JavaScript has it, bytes as hexadecimal text. */
function plain(item: Item): unknown {
  if (isNumeral(item)) return Number(item.numeral);
  if (Buffer.isBuffer(item)) return item.toString('hex');
  if (Array.isArray(item)) return item.map(plain);
  return item instanceof Map
    ? Object.fromEntries(Array.from(item, ([key, value]) => [String(key), plain(value)]))
    : item;
}

/** An encoder that shares nothing with the one of the driver: heads of any width, lengths known or not. */
function cborOf(item: Item, random: Random): Buffer {
  const head = (major: number, argument: bigint): Buffer => {
    const least = [0, 1, 2, 3].find((power) => argument < 1n << BigInt(8 << power)) ?? 3;
    if (argument < 24n && random.chance(0.5)) return Buffer.from([(major << 5) | Number(argument)]);
    const power = least + random.upTo(4 - least);
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(argument);
    const first = Buffer.from([(major << 5) | (24 + power)]);
    return Buffer.concat([first, bytes.subarray(8 - (1 << power))]);
  };
  const all = (major: number, count: number, parts: readonly Buffer[]): Buffer =>
    random.chance(0.5)
      ? Buffer.concat([head(major, BigInt(count)), ...parts])
      : Buffer.concat([Buffer.from([(major << 5) | 31]), ...parts, Buffer.from([0xff])]);
  const string = (major: number, bytes: Buffer): Buffer => {
    const whole = Buffer.concat([head(major, BigInt(bytes.length)), bytes]);
    return random.chance(0.7)
      ? whole
      : Buffer.concat([
          Buffer.from([(major << 5) | 31]),
          whole,
          head(major, 0n),
          Buffer.from([0xff]),
        ]);
  };
  if (isNumeral(item)) {
    if (/^-?\d{1,19}$/.test(item.numeral)) {
      const number = BigInt(item.numeral);
      return number < 0n ? head(1, -1n - number) : head(0, number);
    }
    const float = Buffer.alloc(9, 0xfb);
    float.writeDoubleBE(Number(item.numeral), 1);
    return float;
  }
  if (Buffer.isBuffer(item)) return string(2, item);
  if (typeof item === 'string') return string(3, Buffer.from(item));
  if (typeof item === 'boolean') return Buffer.from([item ? 0xf5 : 0xf4]);
  if (item === null) return Buffer.from([0xf6]);
  if (Array.isArray(item))
    return all(
      4,
      item.length,
      item.map((each) => cborOf(each, random)),
    );
  const parts = Array.from(item, ([key, value]) => [
    cborOf(typeof key === 'number' ? { numeral: String(key) } : key, random),
    cborOf(value, random),
  ]);
  return all(5, item.size, parts.flat());
}
