import { z } from 'zod';

import { Unprocessable } from '../../src/kernel/errors.ts';

const LENGTHS = { '1h': { hours: 1 }, '1d': { days: 1 }, '1w': { weeks: 1 } } as const;
type Length = keyof typeof LENGTHS;
/** Of a window. */
const MAX_PARTS = 62;

/** Hours, days or weeks of the plant. */
export const Every = z
  .enum(['1h', '1d', '1w'])
  .optional()
  .describe('Figures of each part; of a counter its increase');

/**
 * Where the parts of a window begin and the last one ends, in ms: hours, days and weeks (from Monday on) of the clock of
 * the plant, the first and the last cut to the window. Throws Unprocessable for too many.
 */
export function edgesOf(from: number, to: number, every: Length, zone: string): number[] {
  const begin = Temporal.Instant.fromEpochMilliseconds(Math.floor(from)).toZonedDateTimeISO(zone);
  const day = begin.startOfDay();
  let next =
    every === '1h'
      ? begin.round({ smallestUnit: 'hour', roundingMode: 'floor' })
      : every === '1d'
        ? day
        : day.subtract({ days: day.dayOfWeek - 1 });
  const edges = [from];
  for (;;) {
    next = next.add(LENGTHS[every]);
    const at = every === '1h' ? next.epochMilliseconds : next.startOfDay().epochMilliseconds;
    if (at >= to) return [...edges, to];
    edges.push(at);
    if (edges.length > MAX_PARTS)
      throw new Unprocessable(`At most ${MAX_PARTS} parts: take a shorter window, or longer parts`);
  }
}
