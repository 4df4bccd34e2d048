import { expect, it } from 'vitest';

import { coincidences } from '../../src/alarm/dashboard/coincidences.ts';

const happenings = (times: Record<string, readonly number[]>) =>
  Object.entries(times).flatMap(([key, all]) => all.map((at) => ({ key, at })));

it('counts each happening once for a pair, however close others are', () => {
  const close = happenings({ a: [0, 100, 200, 9_000], b: [150, 160, 9_010], c: [50_000] });
  expect(coincidences(close, 100, 10)).toEqual([{ a: 'a', b: 'b', count: 3 }]);
});

it('includes the edge of the window, and nothing beyond', () => {
  expect(coincidences(happenings({ a: [0, 1_000], b: [30, 1_030] }), 30, 10)).toEqual([
    { a: 'a', b: 'b', count: 2 },
  ]);
  expect(coincidences(happenings({ a: [0, 1_000], b: [31, 1_031] }), 30, 10)).toEqual([]);
});

it('takes once together for no pattern', () => {
  expect(coincidences(happenings({ a: [0], b: [0] }), 30, 10)).toEqual([]);
});

it('answers the most frequent pairs, as if every pair were tried out', () => {
  const times = { a: [1, 50, 90, 400, 900], b: [2, 55, 500, 910], c: [0, 45, 91, 399, 905, 2_000] };
  const tried = (one: readonly number[], other: readonly number[]) => {
    const free = new Set(other.keys());
    return one.filter((at) => {
      const match = [...free].find((place) => Math.abs((other[place] ?? 0) - at) <= 10);
      return match !== undefined && free.delete(match);
    }).length;
  };
  expect(coincidences(happenings(times), 10, 2)).toEqual(
    [
      { a: 'a', b: 'c', count: tried(times.a, times.c) },
      { a: 'a', b: 'b', count: tried(times.a, times.b) },
    ].toSorted((x, y) => y.count - x.count),
  );
});

it('compares the fifty most frequent only, so that a storm of sources is bounded', () => {
  const storm = Array.from({ length: 10_000 }, (_, n) => ({ key: `k${n % 1_000}`, at: n }));
  const often = happenings({
    often: storm.map(({ at }) => at),
    other: [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  });
  const [first] = coincidences([...storm, ...often], 1_000, 30);
  expect(first).toEqual({ a: 'often', b: 'other', count: 11 });
});
