import { sql } from 'kysely';

import type { Quality } from '../../bus/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { REGISTRATION } from '../../manager/driver/driver.ts';

/** Of a driver that does not declare how often it reads (docs/specification/drivers.md, LwM2M collection). */
const DEFAULT_INTERVAL_MS = 30_000;
/** One value may be late and one lost before a point is taken to be silent. */
const STALE_AFTER = 3;

/** How old a value is, and whether a newer one should have come by now. */
export type Freshness = {
  ageS: number;
  /** How often the driver reads the point. */
  expectedIntervalS: number;
  stale: boolean;
  /** Of the value as it is now: a good one is UNCERTAIN once it is stale. */
  quality: keyof typeof Quality;
};

type Stored = { createTime: Date | string; quality: keyof typeof Quality };

/** What a stored value is worth at `now`; nothing of it is stored. */
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

/** Why a value that was good is not any more. */
export const staleIssue = ({ ageS, expectedIntervalS }: Freshness): string =>
  `The value is ${ageS} s old; a newer one is expected every ${expectedIntervalS} s`;

/** The interval (ms) that the driver row `v` of a query declares; to be read by `intervalOf`. */
export const declaredInterval = sql<
  string | null
>`v.driver_ext #>> ${sql.lit(`{${REGISTRATION},readIntervalMs}`)}`;

export const intervalOf = (declared: string | null): number => {
  const ms = Number(declared ?? DEFAULT_INTERVAL_MS);
  return Number.isSafeInteger(ms) && ms > 0 ? ms : DEFAULT_INTERVAL_MS;
};

/** How often (ms) a value of the device is expected. */
export async function expectedIntervalMs(
  q: Queries,
  tenantId: string,
  deviceId: string,
): Promise<number> {
  const row = await q
    .selectFrom('svc_device as d')
    .innerJoin('svc_driver as v', (join) =>
      join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.driverId'),
    )
    .select(declaredInterval.as('declared'))
    .where('d.tenantId', '=', tenantId)
    .where('d.id', '=', deviceId)
    .executeTakeFirst();
  return intervalOf(row?.declared ?? null);
}
