import { seeded } from '../../world/seeded.ts';

const MINUTE_MS = 60_000;
const MINUTES = 24 * 60;

export type Sample = { at: number; value: number };

/** The faults of the day, in minutes after its begin. */
export const SPIKE = { from: 900, minutes: 3, peak: 91 };
export const GAP = { from: 600, minutes: 13 };
export const DRIFT = { perHour: 0.5 };

/** A value each minute of the day before `end` (ms): 60 °C with little noise, changed by one fault. */
export function dayOf(seed: number, end: number, fault: 'spike' | 'gap' | 'drift'): Sample[] {
  const random = seeded(seed);
  const samples = Array.from({ length: MINUTES }, (_, minute) => {
    const noise = (random() - 0.5) * 0.4;
    const moved = fault === 'drift' ? (DRIFT.perHour * minute) / 60 : 0;
    const quiet = Number((60 + noise + moved).toFixed(2));
    const value = fault === 'spike' && within(SPIKE, minute) ? SPIKE.peak : quiet;
    return { at: end - (MINUTES - minute) * MINUTE_MS, value };
  });
  return fault === 'gap' ? samples.filter((_, minute) => !within(GAP, minute)) : samples;
}

const within = ({ from, minutes }: { from: number; minutes: number }, minute: number): boolean =>
  minute >= from && minute < from + minutes;
