import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../../src/db/connect.ts';
import { REGISTRATION } from '../../../src/manager/driver/driver.ts';

/** What the tenant `default` of a prepared database owns. */
export const Plant = z.object({
  tenantId: z.string(),
  driverId: z.string(),
  profileId: z.string(),
  /** The first device: the only one with values, one of each point. */
  deviceId: z.string(),
});
export type Plant = z.infer<typeof Plant>;

export const DEVICES = 1_000;
const POINTS = 40;
/** In the driver's words a value is due every hour: none of them is stale while a benchmark runs. */
const driverExt = { [REGISTRATION]: { readIntervalMs: 3_600_000 } };

/** A driver without a process of its own: nothing collects values or loads the devices meanwhile. */
export const addDriver = (tenantId: string) => sql<{ id: string }>`
  insert into svc_driver (tenant_id, driver_name, driver_code, driver_ext)
  values (${tenantId}, 'bench', 'bench', ${JSON.stringify(driverExt)}::jsonb) returning id`;

export const addProfile = (tenantId: string) => sql<{ id: string }>`
  insert into svc_profile (tenant_id, profile_name, profile_code)
  values (${tenantId}, 'bench', 'bench') returning id`;

export const addPoints = ({ tenantId, profileId }: Omit<Plant, 'deviceId'>) => sql`
  insert into svc_point (tenant_id, profile_id, point_name, point_code, point_type_flag, unit)
  select ${tenantId}::bigint, ${profileId}::bigint, 'point ' || n, 'point-' || n, 6, '°C'
  from generate_series(1, ${POINTS}::int) n`;

/** Numbered; one second apart, so that the newest first is one order only. */
export const addDevices = (
  { tenantId, driverId, profileId }: Omit<Plant, 'deviceId'>,
  { from = 1, to }: { from?: number; to: number },
) => sql`
  insert into svc_device (tenant_id, driver_id, profile_id, device_name, device_code, create_time)
  select ${tenantId}::bigint, ${driverId}::bigint, ${profileId}::bigint, 'device ' || n,
    'device-' || n, timestamptz '2026-01-01' + n * interval '1 second'
  from generate_series(${from}::int, ${to}::int) n`;

export const firstDevice = ({ tenantId }: Pick<Plant, 'tenantId'>) => sql<{ id: string }>`
  select id from svc_device where tenant_id = ${tenantId} order by id limit 1`;

export const addValues = ({ tenantId, driverId, profileId, deviceId }: Plant) => sql`
  insert into svc_point_latest (tenant_id, device_id, point_id, driver_id, create_time, raw_value,
    cal_value, num_value, receive_time)
  select ${tenantId}::bigint, ${deviceId}::bigint, id, ${driverId}::bigint, now(), '215', '21.5',
    21.5, now()
  from svc_point where tenant_id = ${tenantId} and profile_id = ${profileId}`;

/** So many stored values of a point, one each second up to now: a wave of a day and noise. */
export const addHistory = (
  { tenantId, driverId, deviceId }: Plant,
  pointId: string,
  count: number,
) => sql`
  insert into svc_point_value (tenant_id, device_id, point_id, driver_id, create_time, raw_value, cal_value,
    num_value, receive_time)
  select ${tenantId}::bigint, ${deviceId}::bigint, ${pointId}::bigint, ${driverId}::bigint, at, value::text, value::text,
    value, at
  from generate_series(${count}::int - 1, 0, -1) n,
    lateral (select date_trunc('second', now()) - n * interval '1 second' as at) t,
    lateral (select round((20 + 5 * sin(extract(epoch from at) / 13750.99) + 0.3 * sin(n::float8 * n))::numeric, 1)::float8
      as value) v`;

/** The id of the row that the query adds or finds. */
export async function idOf(query: RawBuilder<{ id: string }>, q: Queries): Promise<string> {
  const { rows } = await query.execute(q);
  if (!rows[0]) throw new Error('no row');
  return rows[0].id;
}
