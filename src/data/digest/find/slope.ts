import type { Bins } from './bins.ts';
import { median } from './order.ts';
import { at } from './series.ts';

const MAX_POINTS = 48;
const HOUR_MS = 3_600_000;

/** Change per hour: the median of the slopes of all pairs (Theil–Sen), which outliers do not move. */
export function slopePerHour({ widthMs, medians }: Bins): number {
  const every = Math.max(1, Math.floor(medians.length / MAX_POINTS));
  const slopes: number[] = [];
  for (let a = 0; a < medians.length; a += every)
    for (let b = a + every; b < medians.length; b += every) {
      const slope = (at(medians, b) - at(medians, a)) / (b - a);
      if (!Number.isNaN(slope)) slopes.push(slope);
    }
  return (median(Float64Array.from(slopes)) / widthMs) * HOUR_MS;
}
