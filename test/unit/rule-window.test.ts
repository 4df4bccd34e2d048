import { describe, expect, it } from 'vitest';

import { aggregateOf, type Parts, PARTS, withSample } from '../../src/alarm/condition/window.ts';
import { Window } from '../../src/alarm/kind/window.ts';

const MINUTE = 60_000;
type Sample = [minute: number, value: number, seq?: number];

/** What a window of ten minutes remembers after values in this order, looked at when all have come. */
const after = (given: object, samples: readonly Sample[], now = 1_000 * MINUTE): Parts => {
  const window = Window.parse({ mode: 'MEAN', duration: 'PT10M', ...given });
  return samples.reduce<Parts>((parts, [minute, value, seq = 0]) => {
    const sample = { at: minute * MINUTE, seq, value };
    return withSample(window, parts, sample, now) ?? parts;
  }, []);
};
const come = (given: object, samples: readonly Sample[], now?: number): number | null =>
  aggregateOf(
    Window.parse({ mode: 'MEAN', duration: 'PT10M', ...given }),
    after(given, samples, now),
  );

describe('the values of a window', () => {
  const some: Sample[] = [
    [0, 100],
    [5, 20],
    [8, 50],
    [15, 26],
  ];
  it.each([
    ['MEAN', 32],
    ['MIN', 20],
    ['MAX', 50],
    ['SUM', 96],
    ['COUNT', 3],
    ['DELTA', 6],
    ['RATE', 36],
    ['LAST', 26],
  ])('come to %s %j: those that are not older than its time', (mode, value) => {
    expect(come({ mode }, some)).toBe(value);
  });

  it('come to a rate in the time that is asked for', () => {
    expect(come({ mode: 'RATE', per: 'PT1M' }, some)).toBeCloseTo(0.6);
  });

  it('decide nothing where they are too few, or of one moment', () => {
    expect(come({ minSamples: 4 }, some)).toBeNull();
    expect(come({ minSamples: 3 }, some)).toBe(32);
    expect(
      come({ mode: 'DELTA' }, [
        [0, 1],
        [20, 5],
      ]),
    ).toBeNull();
    expect(
      come({ mode: 'RATE' }, [
        [20, 1, 1],
        [20, 5, 2],
      ]),
    ).toBeNull();
  });

  it('count once, in whatever order they come', () => {
    const late: Sample[] = [
      [5, 20],
      [15, 26],
      [8, 50],
      [8, 50],
      [5, 20],
      [4, 1_000],
      [15, 26],
    ];
    for (const mode of ['MEAN', 'DELTA', 'COUNT'])
      expect(come({ mode }, late)).toBe(come({ mode }, some));
  });

  it('are 120 parts at most; those of a part leave together', () => {
    const many = Array.from({ length: 5_000 }, (_, n): Sample => [n / 100, n, n]);
    const parts = after({}, many);
    expect(parts.length).toBeLessThanOrEqual(PARTS + 1);
    const mean = come({}, many) ?? 0;
    // Ten minutes are the last thousand values; a part is nearly nine of them.
    expect(Math.abs(mean - 4_499)).toBeLessThan(5);
    expect(after({}, [...many, ...many.slice(-800)])).toEqual(parts);
  });

  it('that lie ahead, after a clock was set back, are forgotten', () => {
    expect(
      come(
        {},
        [
          [50, 1_000],
          [10, 3],
          [12, 5],
        ],
        20 * MINUTE,
      ),
    ).toBe(4);
  });
});
