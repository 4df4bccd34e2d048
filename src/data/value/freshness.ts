import { sql } from 'kysely';

import type { Quality } from '../../bus/topics.ts';
import { REGISTRATION } from '../../manager/driver/driver.ts';

/** For drivers that do not declare a read interval (docs/specification/drivers.md, LwM2M collection). */
export const DEFAULT_INTERVAL_MS = 30_000;
/** In intervals: one value may be late and one lost before a point counts as stale. */
export const STALE_AFTER = 3;

/** Age of a value, and whether a newer one is overdue. */
export type Freshness = {
  ageS: number;
  /** The driver's read interval. */
  expectedIntervalS: number;
  stale: boolean;
  /** The present quality: GOOD becomes UNCERTAIN when stale. */
  quality: keyof typeof Quality;
};

type Stored = { createTime: Date | string; quality: keyof typeof Quality };

/** Computes the freshness of a stored value at `now`. */
export function freshnessOf(
  { createTime, quality }: Stored,
  { intervalMs, now }: { intervalMs: number; now: number },
): Freshness {
  const ageMs = Math.max(0, now - new Date(createTime).getTime());
  const stale = ageMs > STALE_AFTER * intervalMs;
  return {
    ageS: Math.round(ageMs / 1000),
    expectedIntervalS: intervalMs / 1000,
    stale,
    quality: stale && quality === 'GOOD' ? 'UNCERTAIN' : quality,
  };
}

/** The issue text of a stale value. */
export const staleIssue = ({ ageS, expectedIntervalS }: Freshness): string =>
  `The value is ${ageS} s old; a newer one is expected every ${expectedIntervalS} s`;

/** The interval (ms) declared by the driver row `v` of a query, for `intervalOf`. */
export const declaredInterval = sql<
  string | null
>`v.driver_ext #>> ${sql.lit(`{${REGISTRATION},readIntervalMs}`)}`;

export const intervalOf = (declared: string | null): number => {
  const ms = Number(declared ?? DEFAULT_INTERVAL_MS);
  return Number.isSafeInteger(ms) && ms > 0 ? ms : DEFAULT_INTERVAL_MS;
};
