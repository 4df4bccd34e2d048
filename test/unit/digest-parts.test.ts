import { describe, expect, it } from 'vitest';

import { binned } from '../../src/data/digest/find/bins.ts';
import { flatLinesIn } from '../../src/data/digest/find/findings.ts';
import { gapsIn, longestPause, paced } from '../../src/data/digest/find/gaps.ts';
import { levelOf } from '../../src/data/digest/find/level.ts';
import { quantile, quantiles } from '../../src/data/digest/find/order.ts';
import type { Series } from '../../src/data/digest/find/series.ts';
import { spikesIn } from '../../src/data/digest/find/spikes.ts';
import { slopePerHour, sparkline } from '../../src/data/digest/number-digest.ts';
import { evenly, sampled } from '../../src/data/digest/sampling.ts';
import { picked, stateDigestOf, switchesOf } from '../../src/data/digest/states.ts';
import { localTime } from '../../src/kernel/input/local-time.ts';
import { seeded } from '../support/world/seeded.ts';

const START = Date.UTC(2026, 2, 1);
const SECOND = 1_000;

/** Values every second from the start, or at the given seconds. */
const series = (
  values: readonly number[],
  seconds: readonly number[] = [...values.keys()],
): Series => ({
  times: Float64Array.from(seconds, (s) => START + s * SECOND),
  values: Float64Array.from(values),
});
const arrivalsOf = ({ times }: Series, usualMs = 0) => ({
  from: times,
  to: times,
  usualMs,
  isRegular: false,
});
const window = (from: number, to: number, intervalS = 1) => ({
  from: START + from * SECOND,
  to: START + to * SECOND,
  intervalMs: intervalS * SECOND,
});

describe('gaps', () => {
  it('are told with their seconds, longest first, at both ends of the window too', () => {
    const given = series([1, 1, 1, 1], [10, 11, 20, 21]);
    expect(gapsIn(arrivalsOf(given), window(0, 40), 3 * SECOND)).toEqual({
      longest: [
        { from: START + 21 * SECOND, s: 19 },
        { from: START, s: 10 },
        { from: START + 11 * SECOND, s: 9 },
      ],
      count: 3,
      totalS: 38,
    });
  });

  it('are at most five, the longest, beside how many there are', () => {
    const given = series(
      Array.from({ length: 9 }, () => 1),
      Array.from({ length: 9 }, (_, index) => index * (index + 10)),
    );
    const { longest, count } = gapsIn(arrivalsOf(given), window(0, 144), 3 * SECOND);
    expect(longest.map(({ s }) => s)).toEqual([25, 23, 21, 19, 17]);
    expect(count).toBe(8);
  });

  it('are longer than three intervals, or than three usual distances of a slower device', () => {
    expect(longestPause(arrivalsOf(series([]), 0), 30_000)).toBe(90_000);
    expect(longestPause(arrivalsOf(series([]), 60_000), 30_000)).toBe(180_000);
    expect(longestPause(arrivalsOf(series([]), 1_000), 30_000)).toBe(90_000);
  });
});

describe('the level of a series', () => {
  it('weighs a value with the time until the next, not across a gap', () => {
    // 10 for 3 s, 20 for 1 s, then one interval of 40 before a gap, 10 for the last two seconds.
    const given = series([10, 20, 40, 10], [0, 3, 4, 90]);
    const { mean, min, max } = levelOf(given, window(0, 92), 5 * SECOND);
    expect(mean).toBeCloseTo((3 * 10 + 20 + 40 + 2 * 10) / 7);
    expect(min).toEqual({ time: START, value: 10 });
    expect(max).toEqual({ time: START + 4 * SECOND, value: 40 });
  });

  it('has percentiles between the values', () => {
    const sorted = Float64Array.from([1, 2, 3, 4, 5]);
    expect([0, 0.05, 0.5, 0.95, 1].map((part) => quantile(sorted, part))).toEqual([
      1, 1.2, 3, 4.8, 5,
    ]);
    expect(quantile(new Float64Array(), 0.5)).toBeNaN();
  });

  it('has the same percentiles as its values in order, whatever order they come in', () => {
    const random = seeded(5);
    const parts = [0, 0.05, 0.5, 0.95, 1];
    for (let length = 1; length < 400; length += 1) {
      // Few different ones, so that many are equal.
      const values = Float64Array.from({ length }, () => Math.floor(random() * 50) / 7);
      const sorted = values.toSorted();
      expect(quantiles(values, parts)).toEqual(parts.map((part) => quantile(sorted, part)));
      expect(quantiles(sorted, parts)).toEqual(parts.map((part) => quantile(sorted, part)));
    }
  });

  it('rises by its slope, whatever outliers do', () => {
    const values = Array.from({ length: 400 }, (_, index) =>
      index % 50 === 7 ? 1_000 : index / 3600,
    );
    const bins = binned(series(values), 3 * SECOND);
    expect(bins && slopePerHour(bins)).toBeCloseTo(1, 2);
  });
});

const spikesOf = (whole: Series) => {
  const bins = binned(whole, 3 * SECOND);
  return bins && spikesIn(whole, bins, 0.1);
};

describe('findings', () => {
  it('name a spike by its peak and its seconds', () => {
    const values = Array.from({ length: 600 }, (_, index) => 20 + (index % 3) / 10);
    values.splice(300, 3, 50, 91, 60);
    expect(spikesOf(series(values))).toEqual([
      {
        from: START + 300 * SECOND,
        to: START + 302 * SECOND,
        time: START + 301 * SECOND,
        peak: 91,
        s: 3,
      },
    ]);
  });

  it('name no spike where pulses are usual', () => {
    const values = Array.from({ length: 1200 }, (_, index) =>
      index % 60 < 2 ? 50 : 20 + (index % 3) / 10,
    );
    expect(spikesOf(series(values))).toEqual([]);
  });

  it('name a flat line among changing values, and none of a set-point', () => {
    const values = Array.from({ length: 600 }, (_, index) =>
      index >= 200 && index < 300 ? 7 : index % 5,
    );
    const [line, ...others] = flatLinesIn(series(values), 3 * SECOND);
    expect(line).toMatchObject({
      from: START + 200 * SECOND,
      to: START + 299 * SECOND,
      s: 99,
      value: 7,
    });
    expect(others).toEqual([]);
    const setPoint = Array.from({ length: 600 }, (_, index) => (index < 400 ? 20 : 21));
    expect(flatLinesIn(series(setPoint), 3 * SECOND)).toEqual([]);
  });
});

describe('rows', () => {
  it('are what the value was at moments of the same distance, the first and the last included', () => {
    const values = Array.from({ length: 1_801 }, (_, index) => (index % 7 === 3 ? 50 : 20));
    const rows = evenly(series(values), 7);
    expect(rows.map(({ time }) => time - START)).toEqual(
      [0, 300, 600, 900, 1_200, 1_500, 1_800].map((s) => s * SECOND),
    );
    expect(rows.map(({ value }) => value)).toEqual(
      [0, 300, 600, 900, 1_200, 1_500, 1_800].map((s) => values[s]),
    );
  });

  it('are no more than there are', () => {
    expect(evenly(series([3, 1, 2]), 5).map(({ value }) => value)).toEqual([3, 1, 2]);
    expect(evenly(series([3, 1, 2]), 1).map(({ value }) => value)).toEqual([2]);
    expect(evenly(series([3, 1, 2]), 0)).toEqual([]);
    expect(evenly(series([]), 5)).toEqual([]);
  });
});

describe('the pace of few values', () => {
  const MINUTE = 60_000;
  const arrivals = (minutes: readonly number[]) => {
    const times = Float64Array.from(minutes, (minute) => minute * MINUTE);
    return { from: times, to: times, usualMs: 0, isRegular: false };
  };
  const pace = (minutes: readonly number[], length: number, before: readonly number[] = []) =>
    paced(
      arrivals(minutes),
      { from: 0, to: length * MINUTE },
      Float64Array.from(before, (minute) => minute * MINUTE),
    ).usualMs / MINUTE;

  it('is theirs where they come regularly over the window', () => {
    expect(pace([2, 7, 12, 17, 22, 27, 32, 37, 42], 45)).toBe(5);
    expect(pace([1, 16, 31, 46, 61, 76, 91, 106], 120)).toBe(15);
  });

  it.each([
    ['fewer', [5, 20], [-10, -25, -40, -55, -70], 15],
    ['none', [], [-10, -25, -40, -55, -70], 15],
    ['irregular ones', [1, 6, 20, 26, 44], [-4, -9, -14, -19, -24, -29, -39], 5],
  ])(
    'of %s is that of the values before the window, where these came regularly',
    (_what, minutes, before, known) => {
      expect(pace(minutes, 45, before)).toBe(known);
      expect(pace(minutes, 45, before.slice(0, 3))).toBe(0);
      expect(
        pace(
          minutes,
          45,
          before.map((minute, index) => minute - index * index * 3),
        ),
      ).toBe(0);
    },
  );

  it.each([
    ['few', [1, 16, 31], 45],
    ['irregular', [1, 6, 20, 26, 44], 45],
    ['of a part of the window', [1, 2, 3, 4, 5], 60],
  ])('is not known of %s', (_what, minutes, length) => {
    expect(pace(minutes, length)).toBe(0);
  });
});

describe('samples', () => {
  it('are even in time and keep the extremes', () => {
    const values = Array.from({ length: 1000 }, (_, index) => index % 10);
    values[123] = 99;
    values[777] = -99;
    const samples = sampled(series(values), 20);
    expect(samples.length).toBeLessThanOrEqual(20);
    expect(samples.map(({ value }) => value)).toEqual(expect.arrayContaining([99, -99]));
    const times = samples.map(({ time }) => time);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    for (let part = 0; part < 10; part += 1) {
      const inPart = times.filter((time) => Math.floor((time - START) / 100_000) === part);
      expect(inPart.length, String(part)).toBeGreaterThan(0);
    }
  });

  it('are all of a few, the newest of one, none of none', () => {
    const few = series([3, 1, 2]);
    expect(sampled(few, 5).map(({ value }) => value)).toEqual([3, 1, 2]);
    expect(sampled(few, 1)).toEqual([{ time: START + 2 * SECOND, value: 2 }]);
    expect(sampled(few, 0)).toEqual([]);
    expect(sampled(series([]), 5)).toEqual([]);
  });
});

describe('a sparkline', () => {
  it('goes from the lowest bar to the highest, with a dot where nothing came', () => {
    const values = Array.from({ length: 16 }, (_, index) => index);
    expect(sparkline(series(values), window(0, 16))).toBe('▁▁▂▂▃▃▄▄▅▅▆▆▇▇██');
    expect(sparkline(series([1, 2], [0, 15]), window(0, 16))).toBe(`▁${'·'.repeat(14)}█`);
  });

  it('is level where the value is', () =>
    expect(sparkline(series([5, 5]), window(0, 2))).toBe('▁·······▁·······'));
});

describe('states', () => {
  it('have shares of the time and how often they changed', () => {
    const states = switchesOf(series([0, 0, 1, 1, 1, 0]));
    expect(states.map(({ value }) => value)).toEqual(['false', 'true', 'false']);
    expect(stateDigestOf(states, START + 10 * SECOND)).toEqual({
      shares: [
        { value: 'false', share: 0.7 },
        { value: 'true', share: 0.3 },
      ],
      switches: 2,
      since: START + 5 * SECOND,
    });
  });

  it('are picked evenly, the newest among them', () => {
    const states = Array.from({ length: 10 }, (_, index) => ({
      time: index,
      value: String(index),
    }));
    expect(picked(states, 3).map(({ time }) => time)).toEqual([1, 5, 9]);
    expect(picked(states, 0)).toEqual([]);
  });
});

describe('a time that is written', () => {
  it.each([
    ['2026-03-01T08:30:00Z', 'Europe/Berlin', '2026-03-01T08:30:00.000Z'],
    ['2026-03-01T08:30:00+05:30', 'Europe/Berlin', '2026-03-01T03:00:00.000Z'],
    ['2026-03-01T08:30', 'Europe/Berlin', '2026-03-01T07:30:00.000Z'],
    ['2026-07-01 08:30:15', 'Europe/Berlin', '2026-07-01T06:30:15.000Z'],
    ['2026-07-01', 'America/New_York', '2026-07-01T04:00:00.000Z'],
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ])('%s in %s is %s', (text, zone, at) =>
    expect(new Date(localTime(text, zone) ?? 0).toISOString()).toBe(at),
  );

  it.each([
    '',
    'yesterday',
    '08:30',
    '2026-13-01',
    '1772353800',
    '0000-01-01',
    '12026-01-01T00:00Z',
  ])('%j is none', (text) => expect(localTime(text, 'UTC')).toBeNull());
});
