import { type Expression, sql, type SqlBool } from 'kysely';

import { EnableFlag } from '../../../core/input/flag.ts';
import type { Queries } from '../../../db/connect.ts';
import { RwFlag } from '../../../manager/profile/value-type.ts';
import { isOlder, isStale } from '../freshness.ts';
import { joinedLatest } from '../latest-value.ts';

/** Older than any value, and within the range of an interval. */
const MAX_AGE_S = 1e10;

/**
 * Whether a point of `joinedLatest` is silent at `now`: it should have values, as it can be read and is enabled like
 * its device, and has none that is at most `olderThanS` old; without an age, none that is not stale.
 */
export const isSilent = (now: number, olderThanS?: number): Expression<SqlBool> => {
  const isOld =
    olderThanS === undefined
      ? isStale(now)
      : isOlder(sql`${Math.min(olderThanS, MAX_AGE_S) * 1000}::float8`, now);
  return sql`d.enable_flag = ${EnableFlag.ENABLE} and p.enable_flag = ${EnableFlag.ENABLE}
    and p.rw_flag <> ${RwFlag.WRITE_ONLY} and (l.create_time is null or ${isOld})`;
};

/** How many points are silent at `now`. */
export async function silentPoints(q: Queries, tenantId: string, now: number): Promise<number> {
  const row = await joinedLatest(q, tenantId)
    .where(isSilent(now))
    .select(({ fn }) => fn.countAll<string>().as('silent'))
    .executeTakeFirst();
  return Number(row?.silent ?? 0);
}
