import { describe, expect, it } from 'vitest';

import { bucketsOf } from '../../src/data/digest/buckets.ts';
import { edgesOf } from '../../tools/value/parts.ts';

const HOUR = 3_600_000;

/** One value every quarter of an hour, from the second quarter on. */
const series = (values: readonly number[]) => ({
  times: Float64Array.from(values, (_, index) => (index + 1) * (HOUR / 4)),
  values: Float64Array.from(values),
});
const edges = (hours: number) => Array.from({ length: hours + 1 }, (_, at) => at * HOUR);
const of = (values: readonly number[], lead: number | null = null, unit = 'kWh') =>
  bucketsOf(series(values), {
    edges: edges(values.length / 4),
    lead: lead === null ? null : { time: -1, value: lead },
    unit,
    window: { from: 0, to: (values.length / 4) * HOUR, intervalMs: HOUR / 4 },
    pauseMs: HOUR,
  });

describe('the parts of a window', () => {
  it('have the increase of a counter, from the last value before the window on', () => {
    const { parts, total, resets } = of([11, 12, 13, 14, 15, 16, 17, 19], 10);
    expect(parts.map(({ from, count, increase }) => [from, count, increase])).toEqual([
      [0, 3, 3],
      [HOUR, 5, 6],
    ]);
    expect(total).toBe(9);
    expect(resets).toEqual([]);
  });

  it('count on after a reset, which is named with what the counter had', () => {
    const { parts, total, resets } = of([131_890, 131_898, 2, 7, 9, 10, 12, 13], 131_880);
    expect(parts.map(({ increase }) => increase)).toEqual([20, 11]);
    expect(total).toBe(31);
    expect(resets).toEqual([{ time: 0.75 * HOUR, from: 131_898 }]);
  });

  it('take a lone value below all others for no reset', () => {
    const { total, resets } = of([100, 101, 102, 0, 103, 104, 105, 106], 99);
    expect({ total, resets }).toEqual({ total: 7, resets: [] });
  });

  it.each([
    ['a temperature', [20, 21, 20.5, 21, 20, 19, 20, 21]],
    ['what is switched on and off', [0, 5, 0, 5, 0, 5, 0, 5]],
    ['what is below zero', [-3, -2, -1, 0, 1, 2, 3, 4]],
    ['a tank that is filled and pumped out', [50, 60, 70, 80, 90, 95, 20, 30]],
    ['what stays', [7, 7, 7, 7, 7, 7, 7, 7]],
  ])('have the level of %s, and no increase', (_what, values) => {
    const { parts, total } = of(values);
    expect(total).toBeNull();
    expect(parts).toHaveLength(2);
    expect(parts[0]).toMatchObject({
      increase: null,
      min: Math.min(...values.slice(0, 3)),
      max: Math.max(...values.slice(0, 3)),
    });
  });

  it('have the level alone where the unit is none of a count', () => {
    for (const unit of ['°C', '%', 'cm', 'kW', 'm³/h', 'bar'])
      expect(of([1, 2, 3, 4, 5, 6, 7, 8], 0, unit).total).toBeNull();
    for (const unit of ['kWh', 'm³', 'h', '', 'Stück'])
      expect(of([1, 2, 3, 4, 5, 6, 7, 8], 0, unit).total).toBe(8);
  });

  it('are none where nothing came', () => {
    const times = Float64Array.from([1, 2 * HOUR + 1]);
    const { parts } = bucketsOf(
      { times, values: Float64Array.from([1, 2]) },
      {
        edges: edges(3),
        lead: null,
        unit: '',
        window: { from: 0, to: 3 * HOUR, intervalMs: HOUR },
        pauseMs: 3 * HOUR,
      },
    );
    expect(parts.map(({ from }) => from)).toEqual([0, 2 * HOUR]);
  });
});

describe('hours, days and weeks of the plant', () => {
  const ms = (text: string) => Date.parse(text);
  const parts = (from: string, to: string, every: '1h' | '1d' | '1w', zone = 'Europe/Berlin') =>
    edgesOf(ms(from), ms(to), every, zone).map((at) => new Date(at).toISOString());

  it('begin at its midnight, the first and the last cut to the window', () => {
    expect(parts('2026-11-26T10:00:00Z', '2026-11-28T10:00:00Z', '1d')).toEqual([
      '2026-11-26T10:00:00.000Z',
      '2026-11-26T23:00:00.000Z',
      '2026-11-27T23:00:00.000Z',
      '2026-11-28T10:00:00.000Z',
    ]);
  });

  it('are 25 hours, or 23, where the clock is changed', () => {
    const days = parts('2026-10-23T22:00:00Z', '2026-10-26T23:00:00Z', '1d').map(ms);
    expect(days.slice(1).map((at, index) => (at - (days[index] ?? 0)) / HOUR)).toEqual([
      24, 25, 24,
    ]);
    const hours = parts('2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z', '1h');
    expect(hours).toHaveLength(24);
  });

  it('begin on a Monday', () => {
    expect(parts('2026-11-25T00:00:00Z', '2026-12-08T00:00:00Z', '1w')).toEqual([
      '2026-11-25T00:00:00.000Z',
      '2026-11-29T23:00:00.000Z',
      '2026-12-06T23:00:00.000Z',
      '2026-12-08T00:00:00.000Z',
    ]);
  });

  it('are 62 at most', () => {
    expect(() => parts('2026-11-01T00:00:00Z', '2026-11-30T00:00:00Z', '1h')).toThrow('At most 62');
  });
});
