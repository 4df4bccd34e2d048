import { sql } from 'kysely';

import type { Queries } from '../../../db/connect.ts';

/** A rule at a place, or an outage (`ruleId` 0), that was raised often. */
export type Chattering = {
  ruleId: string;
  ruleName: string | null;
  deviceId: string;
  deviceName: string | null;
  pointName: string | null;
  /** Alarms of the last hour, and of the last 24. */
  hour: number;
  day: number;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** From so many alarms on of one rule at one place it chatters. */
const IN_HOUR = 5;
const IN_DAY = 20;
/** The newest alarms that are looked at. */
const MAX_ALARMS = 10_000;

/** The rules and outages that chatter at a place, the most frequent first. */
export async function chatteringIn(
  q: Queries,
  tenantId: string,
  { now, limit }: { now: number; limit: number },
): Promise<{ rows: Chattering[]; total: number }> {
  const { rows } = await sql<Chattering & { total: number }>`
    with recent as (
      select rule_id, entity_id, device_id, point_id, create_time from svc_entity_alarm
      where tenant_id = ${tenantId} and create_time > ${new Date(now - DAY_MS)}
      order by create_time desc limit ${MAX_ALARMS}),
    counted as (
      select rule_id, entity_id, device_id, max(point_id) as point_id, count(*)::int as day,
        count(*) filter (where create_time > ${new Date(now - HOUR_MS)})::int as hour
      from recent group by rule_id, entity_id, device_id),
    often as (select *, count(*) over ()::int as total from counted
      where hour >= ${IN_HOUR} or day >= ${IN_DAY}
      order by hour desc, day desc, rule_id, device_id, entity_id limit ${limit})
    select c.rule_id, r.rule_name, c.device_id, d.device_name, p.point_name, c.hour, c.day, c.total
    from often c
    left join svc_rule r on r.tenant_id = ${tenantId} and r.id = c.rule_id
    left join svc_device d on d.tenant_id = ${tenantId} and d.id = c.device_id
    left join svc_point p on p.tenant_id = ${tenantId} and p.id = c.point_id
    order by c.hour desc, c.day desc, c.rule_id, c.device_id, c.entity_id`.execute(q);
  return { rows, total: rows[0]?.total ?? 0 };
}
