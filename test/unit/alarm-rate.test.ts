import { describe, expect, it } from 'vitest';

import { rating, ratesOf } from '../../src/alarm/dashboard/performance/rate.ts';

describe('the rates of alarms', () => {
  it('count periods without alarms, and name the worst', () => {
    const rates = ratesOf(
      [
        [3, 2],
        [7, 4],
        [9, 4],
      ],
      20,
    );
    expect(rates).toEqual({
      total: 10,
      mean: 0.5,
      worst: { count: 4, period: 7 },
      floods: 0,
      floodShare: 0,
    });
    expect(ratesOf([], 144)).toMatchObject({ mean: 0, worst: { count: 0, period: null } });
  });

  it('have a flood from more than ten alarms to a period of less than five', () => {
    const counts = [10, 11, 5, 9, 4, 12, 5, 0, 7, 30].map(
      (count, period) => [period, count] as const,
    );
    const { floods, floodShare } = ratesOf(
      counts.filter(([, count]) => count > 0),
      counts.length,
    );
    // 11 5 9 | 12 5 | 30
    expect({ floods, floodShare }).toEqual({ floods: 3, floodShare: 0.6 });
  });

  it('are rated by the benchmark of EEMUA 191', () => {
    expect([0, 1, 1.01, 2, 2.01, 10, 10.01].map(rating)).toEqual([
      'ACCEPTABLE',
      'ACCEPTABLE',
      'MANAGEABLE',
      'MANAGEABLE',
      'OVER_DEMANDING',
      'OVER_DEMANDING',
      'UNACCEPTABLE',
    ]);
  });
});
