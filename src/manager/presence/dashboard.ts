import { sql } from 'kysely';
import { z } from 'zod';

import { nameOfOthers } from '../../auth/connection/untrusted.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { EnableFlag, nameOf } from '../../kernel/input/flag.ts';
import { input } from '../../kernel/input/input.ts';
import { DriverType } from '../driver/driver.ts';

const Count = z.number().int();
const Bucket = z.object({ key: z.string(), count: Count });
type Bucket = z.output<typeof Bucket>;

export const Nothing = input({});
type Nothing = z.infer<typeof Nothing>;
export const TopN = input({ topN: z.coerce.number().int().min(1).max(50).default(10) });
type TopN = z.infer<typeof TopN>;
/** At most 90 days (docs/specification/endpoints.md, Paging). */
export const Days = input({ days: z.coerce.number().int().min(1).max(90).default(7) });
type Days = z.infer<typeof Days>;

const DAY_MS = 86_400_000;

type Grouped = { table: 'svc_driver' | 'svc_device'; column: string; limit: number };

async function buckets(
  q: Queries,
  tenantId: string,
  { table, column, limit }: Grouped,
): Promise<Bucket[]> {
  const rows = await q
    .selectFrom(table)
    .select(sql<string>`${sql.ref(column)}::text`.as('key'))
    .select(sql<string>`count(*)`.as('count'))
    .where('tenantId', '=', tenantId)
    .groupBy(sql.ref(column))
    .orderBy(sql`count(*)`, 'desc')
    .orderBy(sql.ref(column))
    .limit(limit)
    .execute();
  return rows.map(({ key, count }) => ({ key, count: Number(count) }));
}

const named = (flags: Record<string, number>, found: readonly Bucket[]): Bucket[] =>
  found.map(({ key, count }) => ({ key: nameOf(flags, Number(key)), count }));
const sum = (found: readonly Bucket[]): number => found.reduce((all, { count }) => all + count, 0);

/** Number of drivers, by state, type and service name. */
export const DriverStats = z.object({
  total: Count,
  byEnable: z.array(Bucket),
  byType: z.array(Bucket),
  byService: z.array(Bucket.extend({ key: nameOfOthers(z.string()) })),
});

export const driverStats: Operation<Nothing, z.output<typeof DriverStats>> = (app, { tenantId }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const by = (column: string) => buckets(q, tenantId, { table: 'svc_driver', column, limit: 50 });
    const [byEnable, byType, byService] = await Promise.all([
      by('enable_flag'),
      by('driver_type_flag'),
      by('service_name'),
    ]);
    return {
      total: sum(byEnable),
      byEnable: named(EnableFlag, byEnable),
      byType: named(DriverType, byType),
      byService,
    };
  });

/** Number of devices by driver and profile; `key` is its id, the `topN` largest of each. */
export const DeviceStats = z.object({
  total: Count,
  byEnable: z.array(Bucket),
  byDriver: z.array(Bucket),
  byProfile: z.array(Bucket),
});

export const deviceStats: Operation<TopN, z.output<typeof DeviceStats>> = (
  app,
  { tenantId },
  { topN },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const by = (column: string, limit = topN) =>
      buckets(q, tenantId, { table: 'svc_device', column, limit });
    const [byEnable, byDriver, byProfile] = await Promise.all([
      by('enable_flag', 2),
      by('driver_id'),
      by('profile_id'),
    ]);
    return {
      total: sum(byEnable),
      byEnable: named(EnableFlag, byEnable),
      byDriver,
      byProfile,
    };
  });

/** Number of entities created on each of the last `days` days (UTC), oldest first, today last. */
export const Growth = z.object({
  driverDailyCounts: z.array(Count),
  deviceDailyCounts: z.array(Count),
  pointDailyCounts: z.array(Count),
  profileDailyCounts: z.array(Count),
});

export const growth: Operation<Days, z.output<typeof Growth>> = (app, { tenantId }, { days }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const today = Math.floor(app.clock.now() / DAY_MS);
    const first = today - days + 1;
    const daily = async (table: 'svc_driver' | 'svc_device' | 'svc_point' | 'svc_profile') => {
      const rows = await q
        .selectFrom(table)
        .select(sql<number>`floor(extract(epoch from create_time) / 86400)::int`.as('day'))
        .select(sql<string>`count(*)`.as('count'))
        .where('tenantId', '=', tenantId)
        .where('createTime', '>=', new Date(first * DAY_MS))
        .groupBy('day')
        .execute();
      const counts = new Map(rows.map(({ day, count }) => [day, Number(count)]));
      return Array.from({ length: days }, (_, day) => counts.get(first + day) ?? 0);
    };
    const [driverDailyCounts, deviceDailyCounts, pointDailyCounts, profileDailyCounts] =
      await Promise.all([
        daily('svc_driver'),
        daily('svc_device'),
        daily('svc_point'),
        daily('svc_profile'),
      ]);
    return { driverDailyCounts, deviceDailyCounts, pointDailyCounts, profileDailyCounts };
  });
