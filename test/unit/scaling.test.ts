import { describe, expect, it } from 'vitest';

import { NoRawValue, scale, unscale } from '../../src/bus/scaling.ts';
import type { AttributeType } from '../../src/bus/topic/topics.ts';

const point = (
  type: AttributeType,
  settings: { base?: number; multiple?: number; decimals?: number } = {},
) => ({
  type,
  base: 0,
  multiple: 1,
  decimals: 6,
  ...settings,
});

/** The same numbers in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe('scaling', () => {
  it.each([
    ['0.1', { multiple: 3 }, '0.3'],
    ['215', { multiple: 0.1 }, '21.5'],
    ['100', { multiple: 1.8, base: 32 }, '212'],
    ['1e-7', {}, '0'],
    ['0.0000005', {}, '0.000001'],
    ['-0.0000005', {}, '-0.000001'],
    ['2.345', { decimals: 2 }, '2.35'],
    ['1.5E3', {}, '1500'],
    [' 42 ', {}, '42'],
    ['-0.0', {}, '0'],
  ])('takes a DOUBLE %s with %o as %s', (raw, settings, calValue) => {
    expect(scale(point('DOUBLE', settings), raw)).toEqual({
      rawValue: raw,
      calValue,
      numValue: Number(calValue),
      quality: 0,
    });
  });

  it('keeps a LONG exact where a number could not', () => {
    expect(scale(point('LONG', { base: 1 }), '9223372036854775806')).toMatchObject({
      calValue: '9223372036854775807',
      quality: 0,
    });
  });

  it.each<[AttributeType, string]>([
    ['BYTE', '128'],
    ['SHORT', '-32769'],
    ['INT', '2147483648'],
    ['LONG', '9223372036854775808'],
    ['FLOAT', '3.5e38'],
    ['DOUBLE', '1e309'],
    ['INT', '1.5'],
    ['INT', ''],
    ['DOUBLE', 'NaN'],
    ['DOUBLE', 'Infinity'],
    ['DOUBLE', '1e99999'],
    ['DOUBLE', '0x10'],
    ['DOUBLE', '1,5'],
    ['BOOLEAN', 'on'],
    ['BOOLEAN', '2'],
  ])('marks a %s of %s as bad, without a number', (type, raw) => {
    expect(scale(point(type), raw)).toEqual({
      rawValue: raw,
      calValue: raw,
      numValue: null,
      quality: 2,
    });
  });

  it.each([
    ['true', 'true', 1],
    ['1', 'true', 1],
    ['FALSE', 'false', 0],
    ['0', 'false', 0],
  ])('takes the BOOLEAN %s as %s', (raw, calValue, numValue) => {
    expect(scale(point('BOOLEAN', { base: 5 }), raw)).toMatchObject({ calValue, numValue });
  });

  it('hands a STRING through, made storable', () => {
    expect(scale(point('STRING', { multiple: 7 }), '12 a\0b\uD800')).toEqual({
      rawValue: '12 a\uFFFDb\uFFFD',
      calValue: '12 a\uFFFDb\uFFFD',
      numValue: null,
      quality: 0,
    });
  });

  it('cuts a text that is too long and marks it bad', () => {
    const { calValue, quality } = scale(point('STRING'), 'x'.repeat(5000));
    expect([calValue.length, quality]).toEqual([4096, 2]);
  });

  it('agrees with whole-number arithmetic for 2,000 random decimals', () => {
    const random = seeded(1);
    const whole = (limit: number) => Math.floor(random() * limit * 2) - limit;
    for (let i = 0; i < 2000; i += 1) {
      const [raw, multiple, base] = [whole(1e6), whole(1000), whole(1e6)];
      // In hundredths: (raw/100 × multiple/100) + base/10000 = (raw × multiple + base) / 10000.
      const settings = { multiple: multiple / 100, base: base / 10_000 };
      const { calValue } = scale(point('DOUBLE', settings), String(raw / 100));
      expect(Math.round(Number(calValue) * 10_000)).toBe(raw * multiple + base);
    }
  });
});

it.each<AttributeType>(['BYTE', 'SHORT', 'INT', 'LONG', 'FLOAT', 'DOUBLE'])(
  'a %s without scaling has the text of its number, for 2,000 random spellings',
  (type) => {
    const random = seeded(type.length);
    const upTo = (limit: number) => Math.floor(random() * limit);
    const digits = (most: number) =>
      Array.from({ length: upTo(most + 1) }, () => upTo(10)).join('');
    for (let i = 0; i < 2000; i += 1) {
      const raw = `${['', '-', '+'][upTo(3)]}${digits(18)}${['', `.${digits(12)}`][upTo(2)]}`;
      const decimals = upTo(9);
      const scaled = scale(point(type, { decimals }), raw);
      // The same number, on the way of those that have to be computed.
      const { calValue, numValue, quality } = scale(point(type, { decimals, base: 0 }), `${raw}e0`);
      expect({ ...scaled, rawValue: raw }).toEqual({
        rawValue: raw,
        calValue: quality === 2 ? raw : calValue,
        numValue,
        quality,
      });
    }
  },
);

describe('inverse scaling', () => {
  it('comes back to the same value for 2,000 random decimals', () => {
    const random = seeded(2);
    for (let i = 0; i < 2000; i += 1) {
      const multiple = (Math.floor(random() * 1000) + 1) / 100;
      const settings = { multiple, base: Math.floor(random() * 1000) / 10 };
      const value = (random() * 1000 - 500).toFixed(4);
      const raw = unscale(point('DOUBLE', settings), value);
      expect(Number(scale(point('DOUBLE', settings), raw).calValue)).toBe(Number(value));
    }
  });

  it.each<[AttributeType, { base?: number; multiple?: number }, string, string]>([
    ['DOUBLE', { multiple: 0.1 }, '21.5', '215'],
    ['INT', { multiple: 10, base: 5 }, '25', '2'],
    ['LONG', {}, '9223372036854775807', '9223372036854775807'],
    ['BOOLEAN', {}, '1', 'true'],
    ['STRING', { multiple: 3 }, ' as it is ', ' as it is '],
  ])('of a %s with %o takes %s to %s', (type, settings, value, raw) => {
    expect(unscale(point(type, settings), value)).toBe(raw);
  });

  it.each<[string, AttributeType, { multiple?: number }, string]>([
    ['text', 'DOUBLE', {}, 'warm'],
    ['a fraction', 'INT', {}, '1.5'],
    ['a value out of range', 'SHORT', {}, '40000'],
    ['an integer no raw value leads to', 'INT', { multiple: 3 }, '10'],
    ['an integer between two raw values', 'INT', { multiple: 2 }, '3'],
    ['anything while the multiple is 0', 'DOUBLE', { multiple: 0 }, '1'],
    ['no boolean', 'BOOLEAN', {}, 'yes'],
  ])('refuses %s', (_what, type, settings, value) => {
    expect(() => unscale(point(type, settings), value)).toThrowError(NoRawValue);
  });
});
