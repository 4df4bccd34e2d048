import { describe, expect, it } from 'vitest';

import { CodecError } from '../../driver/lwm2m/codec/codec.ts';
import { formatsOf, valuesIn } from '../../driver/lwm2m/format/decode-leaves.ts';
import { encoders } from '../../driver/lwm2m/format/encode-leaves.ts';
import { type Leaf, leavesIn, type TypeAt } from '../../driver/lwm2m/format/leaf.ts';
import { createRandom, type Random, seedFor } from '../support/hostile/random.ts';

const ROUNDS = 300;
const CONTENT = 0x45;
const AT = [3311, 7];
const untyped: TypeAt = () => null;

const answer = (contentFormat: number, payload: Buffer) => ({
  code: CONTENT,
  contentFormat,
  observe: null,
  payload,
});

/** A value as JSON and as its text. */
function valueOf(random: Random): unknown {
  const kind = random.upTo(4);
  if (kind === 0) return random.upTo(2 ** 31) - 2 ** 30;
  if (kind === 1) return (random.upTo(2_000_000) - 1_000_000) / 1_000 + 0.0005;
  if (kind === 2) return random.chance(0.5);
  return Array.from({ length: random.upTo(40) }, () =>
    random.pick(['a', '"', '\\', 'é', '水']),
  ).join('');
}

/** An object instance: values by resource, of some by instance. */
function instanceOf(random: Random): { json: string; values: Record<string, string> } {
  const json: Record<string, unknown> = {};
  const values: Record<string, string> = {};
  for (let count = 1 + random.upTo(20); count > 0; count -= 1) {
    const id = random.upTo(65_535);
    if (json[id] !== undefined) continue;
    const isMultiple = random.chance(0.3);
    const ids = isMultiple ? [...new Set([random.upTo(400), random.upTo(400)])] : [];
    const own = Object.fromEntries(ids.map((instance) => [instance, valueOf(random)]));
    json[id] = isMultiple ? own : valueOf(random);
    if (isMultiple)
      for (const [instance, value] of Object.entries(own))
        values[`/${[...AT, id, instance].join('/')}`] = String(value);
    else values[`/${[...AT, id].join('/')}`] = String(json[id]);
  }
  return { json: JSON.stringify(json), values };
}

const typesOf = (leaves: readonly Leaf[]): TypeAt => {
  const known = new Map(leaves.map(({ ids, type }) => [ids.join('/'), type]));
  return (ids) => known.get(ids.join('/')) ?? null;
};

describe.each([...encoders.keys()])(
  'the values of an object instance in the format %i',
  (format) => {
    const encode = (leaves: readonly Leaf[]): Buffer =>
      encoders.get(format)?.(leaves, 2) ?? Buffer.alloc(0);

    it('come back as they were given', () => {
      const random = createRandom(seedFor(`leaves ${format}`));
      for (let round = 0; round < ROUNDS; round += 1) {
        const { json, values } = instanceOf(random);
        const leaves = leavesIn(json, AT, untyped);
        const read = valuesIn(answer(format, encode(leaves)), AT, typesOf(leaves));
        expect(Object.fromEntries(read)).toEqual(values);
      }
    });

    it('are read in part when changed, or refused with a CodecError', () => {
      const random = createRandom(seedFor(`leaves ${format} changed`));
      const faults: unknown[] = [];
      for (let round = 0; round < ROUNDS * 5; round += 1) {
        const leaves = leavesIn(instanceOf(random).json, AT, untyped);
        const payload = encode(leaves);
        for (let changes = 1 + random.upTo(3); changes > 0; changes -= 1)
          payload.writeUInt8(random.upTo(256), random.upTo(payload.length));
        const cut = random.chance(0.3) ? payload.subarray(0, random.upTo(payload.length)) : payload;
        try {
          const types = random.chance(0.5) ? untyped : typesOf(leaves);
          for (const [path, value] of valuesIn(answer(format, cut), AT, types))
            if (!path.startsWith('/3311/7/') || typeof value !== 'string') faults.push(path);
        } catch (error) {
          if (!(error instanceof CodecError)) faults.push(error);
        }
      }
      expect(faults).toEqual([]);
    });

    it('may be asked for', () => {
      expect(formatsOf(2).has(format)).toBe(true);
    });
  },
);

describe('the JSON of values', () => {
  it.each([
    ['21', 'LONG', '21'],
    ['21.0', 'DOUBLE', '21.0'],
    ['2e3', 'DOUBLE', '2e3'],
    ['18446744073709551615', 'LONG', '18446744073709551615'],
    ['true', 'BOOLEAN', 'true'],
    ['"21"', 'STRING', '21'],
    ['{"bytes":"AAE="}', 'OPAQUE', 'AAE='],
  ])('takes %s for a %s', (json, type, value) => {
    expect(leavesIn(json, [3, 0, 9], untyped)).toEqual([{ ids: [3, 0, 9], value, type }]);
  });

  it('is a float where a point says so', () => {
    expect(leavesIn('21', [3, 0, 9], () => 'FLOAT')).toMatchObject([{ type: 'FLOAT' }]);
  });

  it.each([
    '',
    '{',
    '[1]',
    'null',
    '{"1":{"2":{"3":4}}}',
    '{"01":1}',
    '{"65535":1}',
    '{"-1":1}',
    '{"1":1,"1":2}',
    '{"bytes":"?"}',
    '{}',
  ])('is refused: %j', (json) => {
    expect(() => leavesIn(json, [3, 0], untyped)).toThrow(CodecError);
  });
});
