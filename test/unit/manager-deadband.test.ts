import { describe, expect, it } from 'vitest';

import { deadbandOf, hasMoved } from '../../src/manager/profile/deadband.ts';

const point = {
  pointTypeFlag: 'DOUBLE',
  valueDecimal: 2,
  minValue: 5,
  maxValue: 30,
  deadband: null,
} as const;

describe('the dead-band of a point', () => {
  it.each([
    ['what is set', { deadband: 3 }, '20', 3],
    ['none when it is set to 0', { deadband: 0 }, '20', 0],
    ['one per cent of the span between the limits', {}, '20', 0.25],
    ['one per cent of the value without limits', { minValue: null }, '-400', 4],
    ['one unit of the last decimal at least', { maxValue: null }, '0.001', 0.01],
    ['that unit where nothing is known', { maxValue: null }, null, 0.01],
    ['nothing for text', { pointTypeFlag: 'STRING' as const }, 'open', null],
    ['nothing for booleans', { pointTypeFlag: 'BOOLEAN' as const }, 'true', null],
  ])('spans %s', (_what, setting, value, band) => {
    expect(deadbandOf({ ...point, ...setting }, value)).toBe(band);
  });
});

describe('a value that moved', () => {
  it.each([
    ['20', '20.0', 0, false],
    ['20.25', '20', 0.25, false],
    ['20.26', '20', 0.25, true],
    ['0.3', String(0.1 + 0.2), 0, false],
    [null, null, 1, false],
    [null, '20', 100, true],
    ['open', 'open', null, false],
    ['open', 'shut', null, true],
    ['', '0', 1, true],
    ['NaN', '0', 1, true],
  ])('%s against %s with a dead-band of %s: %s', (one, other, band, moved) => {
    expect(hasMoved(one, other, band)).toBe(moved);
    expect(hasMoved(other, one, band)).toBe(moved);
  });
});
