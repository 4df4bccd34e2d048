import { describe, expect, it } from 'vitest';

import {
  figuresOf,
  gapsOf,
  linesOf,
} from '../../src/console/app/page/device/trend/trend-columns.ts';
import {
  inQuery,
  panned,
  rangeOf,
  zoomed,
} from '../../src/console/app/page/device/trend/trend-range.ts';
import { columnsOf as columnsOfLines } from '../../src/console/chart/line.ts';

const NOW = Date.UTC(2026, 0, 2, 12);
const HOUR_MS = 3_600_000;
const YEAR_MS = 366 * 24 * HOUR_MS;

const part = (firstAt: number, value: number, more = {}) => ({
  firstAt,
  lastAt: firstAt,
  count: 1,
  min: value,
  max: value,
  mean: value,
  ...more,
});
const series = (parts: readonly ReturnType<typeof part>[], gapMs = 2_000) => ({
  deviceId: '1',
  deviceName: 'Boiler',
  pointId: '2',
  pointName: 'Temperature',
  unit: '°C',
  gapMs,
  parts: [...parts],
});

const columnsOf = (given: Parameters<typeof linesOf>[0]) => columnsOfLines(linesOf(given));

describe('the columns of a trend', () => {
  it('have each part in the middle of its values, with its mean and extremes', () => {
    const wide = part(1_000, 5, { lastAt: 3_000, count: 4, min: 2, max: 9 });
    expect(columnsOf([series([wide])])).toEqual([[2], [5], [2], [9]]);
  });

  it('break the line where values are missing, and not where the next one is just in time', () => {
    const inTime = columnsOf([series([part(0, 1), part(2_000, 2)])]);
    expect(inTime[1]).toEqual([1, 2]);
    const late = columnsOf([series([part(0, 1), part(2_001, 2)])]);
    expect(late[0]).toEqual([0, 1.0005, 2.001]);
    expect(late.slice(1)).toEqual([
      [1, null, 2],
      [1, null, 2],
      [1, null, 2],
    ]);
  });

  it('count as many gaps as breaks', () => {
    expect(gapsOf(series([]))).toBe(0);
    expect(gapsOf(series([part(0, 1), part(1_000, 1), part(9_000, 1), part(20_000, 1)]))).toBe(2);
  });

  it('of several series have one column of times, each value at its own', () => {
    const joined = columnsOf([series([part(0, 1)]), series([part(1_000, 7)])]);
    expect(joined[0]).toEqual([0, 1]);
    expect(joined[1]?.[0]).toBe(1);
    expect(joined[4]?.[1]).toBe(7);
    expect(joined[4]?.[0] ?? null).toBeNull();
  });

  it('say the extremes of all parts, and the mean by the number of values', () => {
    const parts = [part(0, 10, { count: 3, min: 4, max: 12 }), part(1_000, 2)];
    expect(figuresOf({ parts })).toEqual({ count: 4, min: 2, max: 12, mean: 8 });
    expect(figuresOf({ parts: [] })).toBeNull();
  });
});

describe('the time that a trend shows', () => {
  const of = (query: string) => rangeOf(new URLSearchParams(query), NOW);

  it('is the last day without a word in the address, or with one that is none', () => {
    for (const query of ['', 'span=3y', 'span=toString', 'from=x&to=y', 'from=2026-01-02'])
      expect(of(query)).toMatchObject({ span: '24h', to: NOW });
  });

  it('is a span that ends now and moves on in steps', () => {
    const { from, to, span } = of('span=1h');
    expect([to - from, span]).toEqual([HOUR_MS, '1h']);
    expect(rangeOf(new URLSearchParams('span=1h'), NOW - 1).to).toBe(NOW);
    expect(rangeOf(new URLSearchParams('span=1h'), NOW + 1).to).toBeGreaterThan(NOW);
  });

  it('is a time of its own where the address has one, as it was written there', () => {
    const own = { from: NOW - 5 * HOUR_MS, to: NOW - HOUR_MS };
    const query = Object.entries(inQuery(own)).flatMap(([name, value]) =>
      value === null ? [] : [[name, value]],
    );
    expect(rangeOf(new URLSearchParams(query), NOW)).toEqual({ ...own, span: null });
  });

  it('is not one that ends before it begins', () => {
    expect(of('from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z').span).toBe('24h');
  });

  it('moves and grows, never beyond now', () => {
    const range = { from: NOW - 2 * HOUR_MS, to: NOW - HOUR_MS };
    expect(panned(range, -0.5, NOW)).toEqual({
      from: NOW - 2.5 * HOUR_MS,
      to: NOW - 1.5 * HOUR_MS,
    });
    expect(panned(range, 5, NOW)).toEqual({ from: NOW - HOUR_MS, to: NOW });
    expect(zoomed(range, 2, NOW)).toEqual({ from: NOW - 2.5 * HOUR_MS, to: NOW - 0.5 * HOUR_MS });
    expect(zoomed(range, 8, NOW).to).toBe(NOW);
  });

  it('is never shorter or longer than the platform answers', () => {
    const range = { from: NOW - HOUR_MS, to: NOW };
    const short = zoomed(range, 1e-9, NOW);
    const long = zoomed(range, 1e9, NOW);
    expect(short.to - short.from).toBe(10_000);
    expect(long.to - long.from).toBe(YEAR_MS);
  });
});
