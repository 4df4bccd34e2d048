import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { AlarmTarget, AlarmType, ConfirmFlag } from '../kind/alarm.ts';

/**
 * Whether the rule of an alarm `a` looks at what an outage of its device or driver explains: that a point is silent, or
 * that the device or driver is away.
 */
export const isOfOutage = sql`(a.alarm_target_type_flag = ${sql.lit(AlarmTarget.POINT)}
    and a.alarm_ext #>> '{condition,operator}' = 'nodata'
  or a.alarm_target_type_flag in (${sql.lit(AlarmTarget.DEVICE)}, ${sql.lit(AlarmTarget.DRIVER)})
    and a.alarm_ext #>> '{condition,field}' in ('status', 'statusName')
    and upper(a.alarm_ext #>> '{condition,expected}') = 'OFFLINE')`;

type Cause = { tenantId: string; causeId: string; limit: number };

/**
 * The ids of at most `limit` unconfirmed alarms that an outage explains (docs/specification/notifications.md, One cause),
 * over or not: raised while it was, or within a minute before or after it, and no more urgent than it. None for an
 * alarm that is no outage.
 */
export async function explainedIds(
  q: Queries,
  { tenantId, causeId, limit }: Cause,
): Promise<string[]> {
  const { DEVICE, DRIVER } = AlarmTarget;
  const away = sql`(${sql.lit(AlarmType.OFFLINE)}, ${sql.lit(AlarmType.STATE_FLIP)})`;
  const { rows } = await sql<{ id: string }>`
    select a.id from svc_entity_alarm c join svc_entity_alarm a on a.tenant_id = c.tenant_id
      and a.urgency > 0 and a.confirm_flag = ${ConfirmFlag.UNCONFIRMED} and a.id <> c.id
      and a.alarm_level_flag >= c.alarm_level_flag
      and a.create_time >= c.create_time - interval '1 minute'
      and (c.last_recover_time is null or a.create_time <= c.last_recover_time + interval '1 minute')
    where c.tenant_id = ${tenantId} and c.id = ${causeId}
      and c.rule_id = 0 and c.alarm_type_flag in ${away}
      and case c.alarm_target_type_flag when ${DRIVER} then a.driver_id = c.driver_id
        when ${DEVICE} then a.device_id = c.device_id end
      and (${isOfOutage} or c.alarm_target_type_flag = ${DRIVER}
        and a.alarm_target_type_flag = ${DEVICE} and a.rule_id = 0 and a.alarm_type_flag in ${away})
    order by a.id limit ${limit}`.execute(q);
  return rows.map(({ id }) => id);
}
