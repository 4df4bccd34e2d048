import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
import { AlarmTarget, AlarmType } from '../kind/alarm.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import type { Alarm } from './of-alarm.ts';

/** Devices that were away with their driver have so long to come back with it. */
const BACK_MS = 60_000;

/** Types of alarms that say that a device is away; a device that reports a fault answers. */
const AWAY = new Set<keyof typeof AlarmType>(['OFFLINE', 'STATE_FLIP']);

/**
 * The firing alarm that explains this one: the outage of the driver of a device that is away, of the device or driver
 * of a point that is silent. '0': none, or one that is less urgent than this alarm. For each channel, it explains only
 * where the channel gets it.
 */
export async function causeOf(q: Queries, alarm: Alarm): Promise<string> {
  const { tenantId, driverId, deviceId, alarmLevelFlag } = alarm;
  const causes = [
    ...(isOfDriver(alarm) || isSilent(alarm) ? [fingerprint(EntityType.DRIVER, driverId)] : []),
    ...(isSilent(alarm) ? [fingerprint(EntityType.DEVICE, deviceId)] : []),
  ];
  if (causes.length === 0) return '0';
  const { rows } = await sql<{ id: string }>`
    select a.id from svc_rule_state s
    join svc_entity_alarm a on a.tenant_id = s.tenant_id and a.id = s.alarm_id
    where s.tenant_id = ${tenantId} and s.fingerprint in (${sql.join(causes)})
      and s.entity_state_flag = ${RuleStatus.FIRING} and a.alarm_level_flag <= ${alarmLevelFlag}
    order by s.alarm_target_type_flag = ${AlarmTarget.DRIVER} desc limit 1`.execute(q);
  return rows[0]?.id ?? '0';
}

const fingerprint = (type: number, id: string): string => `outage:${type}:${id}`;

const conditionOf = ({ alarmExt }: Alarm): Record<string, unknown> => {
  const { condition } = alarmExt;
  return typeof condition === 'object' && condition !== null ? { ...condition } : {};
};

const isSilent = (alarm: Alarm): boolean =>
  alarm.alarmTargetTypeFlag === AlarmTarget.POINT && conditionOf(alarm)['operator'] === 'nodata';

/** A device that is away, by its lease or by a rule on its status. */
function isOfDriver(alarm: Alarm): boolean {
  if (alarm.alarmTargetTypeFlag !== AlarmTarget.DEVICE) return false;
  if (alarm.ruleId === '0') return AWAY.has(nameOf(AlarmType, alarm.alarmTypeFlag));
  const { field, expected } = conditionOf(alarm);
  return (
    (field === 'status' || field === 'statusName') && String(expected).toUpperCase() === 'OFFLINE'
  );
}

/** Whether a channel gets, or got, an alarm that goes on. */
export async function gets(
  q: Queries,
  tenantId: string,
  { alarmId, channelId }: { alarmId: string; channelId: string },
): Promise<boolean> {
  if (alarmId === '0') return false;
  const row = await q
    .selectFrom('svc_notify_ledger')
    .select('channelId')
    .where('tenantId', '=', tenantId)
    .where('alarmId', '=', alarmId)
    .where('channelId', '=', channelId)
    .where('endTime', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Looks again, a minute later, at what an alarm explained that is over now. A row that is locked is looked at by its
 * holder.
 */
export async function wakeExplained(
  q: Queries,
  tenantId: string,
  alarmId: string,
  now: number,
): Promise<void> {
  await sql`
    update svc_notify_ledger set due_time = ${new Date(now + BACK_MS)}
    where (tenant_id, alarm_id, notify_id, channel_id) in (
      select tenant_id, alarm_id, notify_id, channel_id from svc_notify_ledger
      where tenant_id = ${tenantId} and cause_id = ${alarmId} and end_time is null
      for update skip locked)`.execute(q);
}
