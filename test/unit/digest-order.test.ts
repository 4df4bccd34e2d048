import { describe, expect, test } from 'vitest';

import { arrange, quantile, quantiles } from '../../src/data/digest/find/order.ts';

const day = 86_400;
const parts = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1];
const from = (value: (index: number) => number): Float64Array =>
  Float64Array.from({ length: day }, (_, index) => value(index));
const peak = (index: number): number => Math.min(index, day - 1 - index);

const shapes: Record<string, Float64Array> = {
  'half sine': from((index) => Math.sin((Math.PI * index) / day)),
  triangle: from((index) => Math.round(peak(index) / 100) / 10),
  'tank filled and emptied': from(
    (index) => Math.round(1e6 * (1 - Math.abs((2 * index) / day - 1) ** 1.5)) / 1000,
  ),
  'organ pipe': from(peak),
  valley: from((index) => -peak(index)),
  sorted: from((index) => index),
  reversed: from((index) => -index),
  constant: from(() => 21.5),
  'two values': from((index) => (index % 7 < 3 ? 0 : 1)),
  'sixteen sines': from((index) => Math.sin((32 * Math.PI * index) / day)),
};

describe('quantiles of a day in the order of its values', () => {
  test.each(Object.entries(shapes))(
    '%s: looks at each number a few times, and finds what sorting finds',
    (_, numbers) => {
      for (const part of parts) {
        const own = numbers.slice();
        expect(arrange(own, 0, Math.floor((day - 1) * part))).toBeLessThan(6 * day);
      }
      const sorted = numbers.toSorted();
      expect(quantiles(numbers, parts)).toEqual(parts.map((part) => quantile(sorted, part)));
    },
  );

  test.each(Object.entries(shapes))(
    '%s: is sorted where the partitions may not look again',
    (_, numbers) => {
      const sorted = numbers.toSorted();
      for (const place of [0, day / 2, day - 1]) {
        const own = numbers.slice();
        expect(arrange(own, 0, place, 1)).toBeLessThanOrEqual(day);
        expect(own[place]).toBe(sorted[place]);
      }
    },
  );
});
