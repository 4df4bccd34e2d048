import { describe, expect, it } from 'vitest';

import { falseFindings, found, missedFaults } from '../support/runs/planted/judge.ts';
import { faultySeries } from '../support/runs/planted/series.ts';

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

  it('finds the same again', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const again = found(faultySeries(seed));
      expect(found(faultySeries(seed))).toEqual(again);
    }
  });
});
