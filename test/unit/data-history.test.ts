import { describe, expect, test } from 'vitest';

import { decodeHour, encodeHour, type HourValue } from '../../src/data/history/hour.ts';
import { createRandom, type Random } from '../support/hostile/random.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const HOUR = 3_600_000_000;

const valueAt = (at: number, text: string, over: Partial<HourValue> = {}): HourValue => ({
  at,
  seq: '0',
  driverId: '4',
  rawValue: text,
  calValue: text,
  numValue: text !== '' && Number.isFinite(Number(text)) ? Number(text) : null,
  quality: 0,
  received: at + 12_000,
  claimed: null,
  issue: null,
  ...over,
});

const back = (start: number, values: readonly HourValue[]): HourValue[] => {
  const hour = decodeHour(start, encodeHour(start, values));
  return Array.from({ length: hour.count }, (_, index) => hour.value(index));
};

const TEXTS = [
  '',
  '0',
  '-0',
  '0.0',
  '-0.5',
  '00',
  '1e5',
  '1E5',
  ' 5',
  '5.',
  '.5',
  '21.50',
  'true',
  'false',
  'TRUE',
];
const HOSTILE = [
  '9007199254740993',
  '123456789012345678901234567890',
  '0.1000000000000000055',
  '5e-324',
  '-1.7976931348623157e+308',
  'NaN',
  'Infinity',
  'läuft',
  '运行',
  '🚱 ',
  '=',
  '==1',
  'a'.repeat(3_000),
];

function hostileText(random: Random): string {
  if (random.chance(0.3)) return random.pick([...TEXTS, ...HOSTILE]);
  if (random.chance(0.3)) return String(Math.fround(random.upTo(2 ** 32) / 7));
  if (random.chance(0.3)) return String(random.bytes(8).readDoubleLE(0));
  return String(random.upTo(2_000_000) / 100 - 5_000);
}

function hostileValue(random: Random, at: number): HourValue {
  const text = hostileText(random);
  const number = random.pick([null, -0, 0, 1, Number(text) || 0, random.bytes(8).readDoubleLE(0)]);
  return valueAt(at, text, {
    ...(random.chance(0.5) && { rawValue: hostileText(random) }),
    ...(random.chance(0.5) && { numValue: Number.isNaN(number) ? null : number }),
    quality: random.upTo(3),
    seq: random.pick(['0', '1', String(2n ** 63n - 1n), String(Number.MAX_SAFE_INTEGER)]),
    driverId: random.pick(['1', String(2n ** 62n)]),
    received: at + random.upTo(2 ** 50) - 2 ** 49,
    claimed: random.pick([null, '253402214400000000', '-1']),
    issue: random.pick([null, '', 'Sensor 断线', '=']),
  });
}

describe('a closed hour gives back what was stored', () => {
  test('of values of any kind: hostile texts, every number, any order of sequence', () => {
    const random = createRandom(31);
    for (let round = 0; round < 400; round += 1) {
      const isMixed = random.chance(0.5);
      const sample = hostileValue(random, START);
      const times = Array.from({ length: 1 + random.upTo(150) }, () => START + random.upTo(HOUR));
      const values = times
        .toSorted((a, b) => a - b)
        .map((at) => (isMixed ? hostileValue(random, at) : { ...sample, at }));
      expect(back(START, values)).toStrictEqual(values);
    }
  });

  test('of one value, of times before 1970 and of microseconds', () => {
    const start = Date.UTC(1969, 11, 31, 22) * 1_000;
    expect(back(start, [valueAt(start + 1, '21.5')])).toStrictEqual([valueAt(start + 1, '21.5')]);
  });

  test('numbers with every count of decimals are the numbers of their texts', () => {
    const random = createRandom(7);
    const values = Array.from({ length: 3_000 }, (_, index) =>
      valueAt(START + index, (random.upTo(10 ** 9) / 10 ** random.upTo(10)).toString()),
    );
    const hour = decodeHour(START, encodeHour(START, values));
    for (const [index, { numValue }] of values.entries()) expect(hour.number(index)).toBe(numValue);
  });
});

test('a closed hour of readings every 30 s has few bytes a value, of each kind', () => {
  const random = createRandom(3);
  const noise = (parts: number): number => random.upTo(parts) / parts;
  const kinds: Record<string, (index: number) => Partial<HourValue> & { text: string }> = {
    jittered: (index) => ({ text: (21 + Math.sin(index / 30) + noise(10) / 10).toFixed(1) }),
    scaled: (index) => {
      const tenths = Math.round(10 * (21 + Math.sin(index / 30) + noise(10)));
      return { text: String(tenths / 10), rawValue: String(tenths) };
    },
    float: () => ({ text: String(Math.fround(20 + noise(2 ** 24))) }),
    state: () => ({ text: String(random.chance(0.05)) }),
    counter: (index) => ({ text: String(100_000 + 3 * index + random.upTo(3)) }),
    text: (index) => ({ text: ['idle', 'running', 'fault'][Math.floor(index / 40) % 3] ?? '' }),
    bad: () =>
      random.chance(0.05) ? { text: '', quality: 2, issue: 'broken' } : { text: '21.25' },
  };
  const bytes = Object.fromEntries(
    Object.entries(kinds).map(([kind, valueOf]) => {
      const values = Array.from({ length: 120 }, (_, index) => {
        const at =
          START + index * 30_000_000 + (kind === 'jittered' ? random.upTo(100) * 1_000 : 0);
        const { text, ...over } = valueOf(index);
        return valueAt(at, text, { received: at + random.upTo(10) * 1_000, ...over });
      });
      return [kind, encodeHour(START, values).length / values.length];
    }),
  );
  const limits = { jittered: 4, scaled: 3, float: 5, state: 2, counter: 3, text: 2, bad: 2 };
  for (const [kind, limit] of Object.entries(limits)) expect(bytes[kind], kind).toBeLessThan(limit);
});

test('bytes that are no closed hour are refused', () => {
  expect(() => decodeHour(START, Buffer.of(77, 1, 2))).toThrow(RangeError);
  const bytes = encodeHour(START, [valueAt(START, '21.5'), valueAt(START + 1, '22.5')]);
  expect(() => decodeHour(START, bytes.subarray(0, 4))).toThrow(RangeError);
});
