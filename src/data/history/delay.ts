/** Where the bins of a delay begin (ms); each ends where the next begins. Closed hours are counted by them. */
export const DELAY_BINS = [
  0, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000,
] as const;

/** The place of a delay (ms) among the bins; what the clock of a device puts into the future is no delay. */
export function delayBin(ms: number): number {
  const place = DELAY_BINS.findLastIndex((bin) => bin <= ms);
  return Math.max(place, 0);
}
