import { describe, expect, it } from 'vitest';

import { falseFindings, found, missedFaults } from '../support/runs/planted/judge.ts';
import { faultySeries, sunnySeries } from '../support/runs/planted/series.ts';

// `npm run prove -- digest` goes through 500 of either.
const SERIES = 60;

describe('a digest', () => {
  it('finds planted steps, drifts, spikes, gaps and stuck values, each where it is', () => {
    const missed = missedFaults(SERIES);
    expect(Object.values(missed).flat().length, JSON.stringify(missed)).toBeLessThanOrEqual(
      0.05 * SERIES,
    );
    expect(missed['gap']).toEqual([]);
  });

  it('finds nothing in noise, days, walks, quantised and switched values', () => {
    const wrong = falseFindings(SERIES);
    expect(wrong.changes.length, JSON.stringify(wrong)).toBeLessThanOrEqual(0.02 * SERIES);
    expect(wrong.gaps).toEqual([]);
  });

  it('finds no stuck value in the night of an inverter, but one at 0 by day', () => {
    for (let seed = 1; seed <= SERIES; seed += 1) {
      const sunny = sunnySeries(seed);
      expect([seed, found(sunny).flats]).toEqual([seed, []]);
      const { times, values } = sunny.series;
      const stuck = values.map((value, index) => {
        const hour = ((times[index] ?? 0) / 3_600_000) % 24;
        return hour >= 10 ? 0 : value;
      });
      const isLong = sunny.window.intervalMs <= 15 * 60_000 && sunny.window.from % 86_400_000 === 0;
      const { flats } = found({ ...sunny, series: { times, values: stuck } });
      if (isLong) expect([seed, flats.map(({ value }) => value)]).toEqual([seed, [0]]);
    }
  });

  it('finds an inverter that stays at 0 after its evening, through the next day', () => {
    const HOUR = 3_600_000;
    const times = Float64Array.from({ length: 48 * 4 }, (_, at) => (at * HOUR) / 4);
    const values = times.map((time) =>
      time > 19 * HOUR ? 0 : 40 * Math.max(0, Math.sin((Math.PI * (time / HOUR - 6)) / 12)),
    );
    const window = { from: 0, to: 48 * HOUR, intervalMs: HOUR / 4 };
    const day = { series: { times, values }, window, decimals: 2 };
    const { flats } = found({ ...day, nature: 'day', fault: null });
    expect(flats.map(({ value, to }) => [value, to])).toEqual([[0, 47.75 * HOUR]]);
  });

  it('finds the same again', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const again = found(faultySeries(seed));
      expect(found(faultySeries(seed))).toEqual(again);
    }
  });
});
