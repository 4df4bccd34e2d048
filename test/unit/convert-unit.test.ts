import { describe, expect, it } from 'vitest';

import { convert, measureIn } from '../../src/manager/find/convert-unit.ts';

describe('a value in another unit', () => {
  it.each([
    [70, '°F', '°C', 21.111],
    [-20, '°F', '°C', -28.889],
    [70, 'F', '℃', 21.111],
    [21.5, '°C', '°F', 70.7],
    [21.5, 'celsius', '°C', 21.5],
    [0, 'K', '°C', -273.15],
    [1.2, 'bar', 'kPa', 120],
    [1, 'psi', 'kPa', 6.895],
    [1500, 'W', 'kW', 1.5],
    [2, 'MW', 'kW', 2000],
    [2, 'mW', 'mW', 2],
    [60, 'l/min', 'm³/h', 3.6],
    [1, 'm3/h', 'm³/h', 1],
    [10, 'L/s', 'm³/h', 36],
    [5, 'min', 's', 300],
    [250, 'mA', 'A', 0.25],
    [100, 'rpm', '1/min', 100],
    [50, 'percent', '%', 50],
    [3, 'widgets', 'Widgets', 3],
  ])('%d %s is in %s %d', (value, from, to, expected) => {
    expect(convert(value, from, to)).toBeCloseTo(expected, 3);
  });

  it.each([
    ['°F', 'kPa'],
    ['kWh', 'kW'],
    ['mW', 'bar'],
    ['Mbar', 'mbar'],
    ['furlong', '°C'],
    ['°C', ''],
  ])('%s is nothing in %s', (from, to) => {
    expect(convert(1, from, to)).toBeNull();
  });

  it('is told apart by case', () => {
    expect(convert(1, 'MW', 'W')).toBe(1_000_000);
    expect(convert(1, 'Mbar', 'bar')).toBeNull();
  });
});

describe('a number with its unit', () => {
  it.each([
    ['70 °F', { value: 70, unit: '°F' }],
    [' -20°F ', { value: -20, unit: '°F' }],
    ['21.5 deg C', { value: 21.5, unit: 'deg C' }],
    ['50%', { value: 50, unit: '%' }],
  ])('%s', (text, expected) => expect(measureIn(text)).toEqual(expected));

  it.each(['70', '21,5', '06:00', 'x', '°F', '1.2.3', '7 8', '5; 6', '', '5-6'])(
    '%s is none',
    (text) => expect(measureIn(text)).toBeNull(),
  );
});
