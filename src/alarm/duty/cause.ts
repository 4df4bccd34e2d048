import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
import { AlarmTarget, AlarmType } from '../kind/alarm.ts';
import { Known } from '../kind/delivery-status.ts';
import { HeldBack } from '../kind/held-back.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import { isAsked, isBound, isChannelOn } from '../notify/bound.ts';
import type { Alarm } from './of-alarm.ts';

/** Devices that were away with their driver have so long to come back with it. */
const BACK_MS = 60_000;

/** Types of alarms that say that a device is away; a device that reports a fault answers. */
const AWAY = new Set<keyof typeof AlarmType>(['OFFLINE', 'STATE_FLIP']);

/**
 * The firing alarms that explain these, by their ids: the outage of the driver of a device that is away, of the device
 * or driver of a point that is silent, and of what is away by a rule on its status. None that is less urgent than what it
 * explains. For each channel, it explains only where the channel gets it.
 */
export async function causesOf(
  q: Queries,
  tenantId: string,
  alarms: readonly Alarm[],
): Promise<Map<string, string>> {
  const sought = new Map(alarms.map((alarm) => [alarm.id, placesOf(alarm)]));
  const places = [...new Set([...sought.values()].flat())];
  if (places.length === 0) return new Map();
  const { rows } = await sql<{ id: string; place: string; level: number }>`
    select a.id, s.fingerprint as place, a.alarm_level_flag as level from svc_rule_state s
    join svc_entity_alarm a on a.tenant_id = s.tenant_id and a.id = s.alarm_id
    where s.tenant_id = ${tenantId} and s.fingerprint = any(${places}::text[])
      and s.entity_state_flag = ${RuleStatus.FIRING}`.execute(q);
  const firing = new Map(rows.map((row) => [row.place, row]));
  return new Map(
    alarms.flatMap(({ id, alarmLevelFlag }) => {
      const causes = (sought.get(id) ?? []).flatMap((place) => firing.get(place) ?? []);
      const cause = causes.find(({ level }) => level <= alarmLevelFlag);
      return cause ? [[id, cause.id]] : [];
    }),
  );
}

/** The fingerprints of what may explain an alarm, the driver first. */
function placesOf(alarm: Alarm): string[] {
  const driver = fingerprint(EntityType.DRIVER, alarm.driverId);
  if (isAway(alarm)) return [driver];
  const isExplained = isAwayByRule(alarm) || isSilent(alarm);
  return isExplained ? [driver, fingerprint(EntityType.DEVICE, alarm.deviceId)] : [];
}

const fingerprint = (type: number, id: string): string => `outage:${type}:${id}`;

const conditionOf = ({ alarmExt }: Alarm): Record<string, unknown> => {
  const { condition } = alarmExt;
  return typeof condition === 'object' && condition !== null ? { ...condition } : {};
};

const isSilent = (alarm: Alarm): boolean =>
  alarm.alarmTargetTypeFlag === AlarmTarget.POINT && conditionOf(alarm)['operator'] === 'nodata';

/** The outage of a device itself. */
const isAway = ({ alarmTargetTypeFlag, ruleId, alarmTypeFlag }: Alarm): boolean =>
  alarmTargetTypeFlag === AlarmTarget.DEVICE &&
  ruleId === '0' &&
  AWAY.has(nameOf(AlarmType, alarmTypeFlag));

/** A device or driver that is away by a rule on its status. */
function isAwayByRule(alarm: Alarm): boolean {
  const { field, expected } = conditionOf(alarm);
  return (
    (alarm.alarmTargetTypeFlag === AlarmTarget.DEVICE ||
      alarm.alarmTargetTypeFlag === AlarmTarget.DRIVER) &&
    (field === 'status' || field === 'statusName') &&
    String(expected).toUpperCase() === 'OFFLINE'
  );
}

/** Whether an alarm explains others to a channel that a policy sends these to. */
export type Explains = (notifyId: string, channelId: string) => boolean;

/** The firing alarm that explains one that fires, '0' where there is no such one, and to which channels. */
export async function explainingOf(
  q: Queries,
  alarm: Alarm,
): Promise<{ causeId: string; explains: Explains }> {
  const { tenantId, id, stateFlag } = alarm;
  const causes = stateFlag === RuleStatus.FIRING ? await causesOf(q, tenantId, [alarm]) : null;
  const causeId = causes?.get(id) ?? '0';
  const explaining = causeId === '0' ? null : await explainersOf(q, tenantId, [causeId]);
  return { causeId, explains: explaining?.(causeId) ?? (() => false) };
}

/** The channel of the entry `g` knows its alarm, or gets it as soon as nothing holds it back. */
const isCalled = sql<boolean>`(g.known_flag = ${sql.lit(Known.FIRING)} or g.history_id <> 0
  or not g.uncalled and g.reason <> '')`;
const isGotten = sql<boolean>`g.end_time is null and ${isBound('g')} and ${isChannelOn('g')}
  and ${isAsked('g')}`;
/** Its steps do not call it yet: they call it of the alarm of the entry as late. A step of other levels never does. */
const isForOwnPolicy = sql<boolean>`g.reason not like ${`${HeldBack.enum.LEVEL}%`}`;

/**
 * Whether the channel of an entry `l` gets the alarm that explains that of the entry: it knows it, or it is due to it. One
 * that waits for a step of escalation explains what the same policy sends.
 */
export const isExplained = sql<boolean>`exists (select from svc_notify_ledger g
  where g.tenant_id = l.tenant_id and g.alarm_id = l.cause_id and g.channel_id = l.channel_id
    and ${isGotten} and (${isCalled} or g.notify_id = l.notify_id and ${isForOwnPolicy}))`;

/** To which channels alarms that fire explain others, by the ids of the alarms. */
export async function explainersOf(
  q: Queries,
  tenantId: string,
  alarmIds: readonly string[],
): Promise<(causeId: string) => Explains> {
  const { rows } =
    alarmIds.length === 0
      ? { rows: [] }
      : await sql<{ alarmId: string; notifyId: string; channelId: string; isCalled: boolean }>`
          select g.alarm_id as "alarmId", g.notify_id as "notifyId", g.channel_id as "channelId",
            ${isCalled} as "isCalled" from svc_notify_ledger g
          where g.tenant_id = ${tenantId} and g.alarm_id = any(${alarmIds}::bigint[])
            and ${isGotten} and (${isCalled} or ${isForOwnPolicy})`.execute(q);
  const keys = new Set(
    rows.map(({ alarmId, notifyId, channelId, isCalled: isForAll }) =>
      [alarmId, channelId, ...(isForAll ? [] : [notifyId])].join(' '),
    ),
  );
  return (causeId) => (notifyId, channelId) =>
    keys.has(`${causeId} ${channelId}`) || keys.has(`${causeId} ${channelId} ${notifyId}`);
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
