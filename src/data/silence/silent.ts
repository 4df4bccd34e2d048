import { type Expression, sql, type SqlBool } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { EntityState } from '../../manager/device/state.ts';
import { receivedUntil } from '../../manager/driver/listening.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
import { RwFlag } from '../../manager/entity/value-type.ts';
import { isOlder, isStale } from '../value/freshness.ts';

/** Older than any value, and within the range of an interval. */
const MAX_AGE_S = 1e10;

/** Whether a point should have values: it can be read, and is enabled like its device. */
const isExpected = sql<SqlBool>`d.enable_flag = ${EnableFlag.ENABLE} and p.enable_flag = ${EnableFlag.ENABLE}
  and p.rw_flag <> ${RwFlag.WRITE_ONLY}`;

/**
 * Whether a point of `joinedLatest` is silent at `now`: it should have values, and has none that is at most `olderThanS`
 * old; without an age, none that is not stale.
 */
export const isSilent = (now: number, olderThanS?: number): Expression<SqlBool> => {
  const isOld =
    olderThanS === undefined
      ? isStale(now)
      : isOlder(sql`${Math.min(olderThanS, MAX_AGE_S) * 1000}::float8`, now);
  return sql`${isExpected} and (l.create_time is null or ${isOld})`;
};

/**
 * How many points are silent at `now`: those that should have values, less those that have a fresh one. No point without a
 * value is looked at, as there may be millions.
 */
export async function silentPoints(q: Queries, tenantId: string, now: number): Promise<number> {
  const { rows } = await sql<{ silent: string }>`
    select coalesce((
        select sum(d.devices * p.points) from (
          select profile_id, count(*) as devices from svc_device d
          where tenant_id = ${tenantId} and enable_flag = ${EnableFlag.ENABLE} group by profile_id) d
        join (
          select profile_id, count(*) as points from svc_point p
          where tenant_id = ${tenantId} and enable_flag = ${EnableFlag.ENABLE} and rw_flag <> ${RwFlag.WRITE_ONLY}
          group by profile_id) p on p.profile_id = d.profile_id), 0) - (
        select count(*) from svc_point_latest l
        join svc_device d on d.tenant_id = l.tenant_id and d.id = l.device_id
        join svc_point p on p.tenant_id = l.tenant_id and p.id = l.point_id and p.profile_id = d.profile_id
        join svc_driver v on v.tenant_id = d.tenant_id and v.id = d.driver_id
        where l.tenant_id = ${tenantId} and ${isExpected} and not (${isStale(now)})) as silent`.execute(
    q,
  );
  return Number(rows[0]?.silent ?? 0);
}

export type SilentPoint = {
  pointId: string;
  pointName: string;
  deviceName: string;
  /** When its last value was measured. */
  since: Date;
};

/** The points of connected devices that are silent at `now` and had a value, those that fell silent last first. */
export async function latestSilent(
  q: Queries,
  tenantId: string,
  { now, limit }: { now: number; limit: number },
): Promise<{ rows: SilentPoint[]; more: boolean }> {
  const { rows } = await sql<SilentPoint>`
    select p.id as "pointId", p.point_name as "pointName", d.device_name as "deviceName", l.create_time as since
    from svc_point_latest l
    join svc_device d on d.tenant_id = l.tenant_id and d.id = l.device_id
    join svc_point p on p.tenant_id = l.tenant_id and p.id = l.point_id and p.profile_id = d.profile_id
    join svc_driver v on v.tenant_id = d.tenant_id and v.id = d.driver_id
    join svc_entity_state s on s.tenant_id = d.tenant_id and s.entity_id = d.id
      and s.entity_type_flag = ${EntityType.DEVICE} and s.entity_state_flag <> ${EntityState.OFFLINE}
      and s.expire_time > ${receivedUntil(now)}
    where l.tenant_id = ${tenantId} and ${isExpected} and ${isStale(now)}
    order by l.create_time desc, d.id, p.id limit ${limit + 1}`.execute(q);
  return { rows: rows.slice(0, limit), more: rows.length > limit };
}
