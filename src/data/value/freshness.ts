import { type Expression, sql, type SqlBool } from 'kysely';

import type { Quality } from '../../bus/topic/topics.ts';
import { REGISTRATION } from '../../manager/driver/driver.ts';

/** For drivers that do not declare a read interval (docs/specification/drivers.md, LwM2M collection). */
const DEFAULT_INTERVAL_MS = 30_000;
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

/** Of a declared interval that is no number, the default counts, as for `intervalOf`. */
const intervalMs = sql<number>`coalesce(
  substring(${declaredInterval} from '^[1-9][0-9]{0,14}$')::float8, ${DEFAULT_INTERVAL_MS}::float8)`;

/** Whether the latest value, row `l` of a query, was measured more than `ms` before `now` (both ms). */
export const isOlder = (ms: Expression<number>, now: number): Expression<SqlBool> =>
  sql`l.create_time < ${new Date(now)}::timestamptz - make_interval(secs => ${ms} / 1000)`;

/** Whether the latest value, row `l`, is stale at `now` by the interval of the driver, row `v`. */
export const isStale = (now: number): Expression<SqlBool> =>
  isOlder(sql`${STALE_AFTER}::int * ${intervalMs}`, now);
