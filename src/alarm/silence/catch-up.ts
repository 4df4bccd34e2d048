import type { Selectable } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { EntityAlarmTable } from '../../db/schema/alarm.ts';
import { findRow } from '../../kernel/entity/row.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { keepEpisode } from '../alarm/episode.ts';
import { type AlarmEvent, withoutRule } from '../deliver/alarm-event.ts';
import { enqueue, enqueueWithoutRule, type Written } from '../deliver/enqueue.ts';
import { AlarmLevel, AlarmTarget, AlarmType } from '../kind/alarm.ts';
import { RuleStatus } from '../kind/rule-status.ts';

type Ended = { tenantId: string; stateId: string; now: number };

/**
 * Ends the silence of a rule state, whose row the caller has locked: while it fires, every channel that did not get
 * this alarm gets it now. Answers the notifications to publish after the commit.
 */
export async function catchUp(q: Queries, { tenantId, stateId, now }: Ended): Promise<Written[]> {
  const state = await q
    .updateTable('svc_rule_state')
    .set({ silencedUntil: null, silencedBy: '', silenceReason: '' })
    .where('tenantId', '=', tenantId)
    .where('id', '=', stateId)
    .returning(['alarmId', 'ruleId', 'entityStateFlag'])
    .executeTakeFirst();
  if (!state || state.entityStateFlag !== RuleStatus.FIRING) return [];
  const alarm = await findRow(q, 'svc_entity_alarm', tenantId, state.alarmId);
  if (!alarm) return [];
  const written =
    state.ruleId === '0'
      ? await ofOutage(q, alarm, now)
      : await ofRule(q, alarm, state.ruleId, now);
  if (!written.some((one) => 'id' in one)) return written;
  const lastNotifyTime = new Date(now);
  await keepEpisode(q, tenantId, alarm.id, { lastNotifyTime });
  await q
    .updateTable('svc_rule_state')
    .set({ lastNotifyTime })
    .where('tenantId', '=', tenantId)
    .where('id', '=', stateId)
    .execute();
  return written;
}

type Alarm = Selectable<EntityAlarmTable>;

function ofOutage(q: Queries, alarm: Alarm, now: number): Promise<Written[]> {
  const type = nameOf(AlarmType, alarm.alarmTypeFlag);
  const { tenantId, id: alarmId } = alarm;
  const alarmEvent = { ...withoutRule({ tenantId, alarmId, type }), ...placeOf(alarm) };
  return enqueueWithoutRule(q, alarmEvent, { type, event: 'FIRED', resumed: true, now });
}

async function ofRule(q: Queries, alarm: Alarm, ruleId: string, now: number): Promise<Written[]> {
  const { tenantId } = alarm;
  const rule = await findRow(q, 'svc_rule', tenantId, ruleId);
  if (!rule) return [];
  const { notifyId, messageId, ruleCode, ruleName } = rule;
  const alarmEvent = {
    ...placeOf(alarm),
    tenantId,
    alarmId: alarm.id,
    ruleId,
    ruleCode,
    name: ruleName,
    pointId: alarm.pointId,
    facts: factsOf(alarm.alarmExt),
  };
  const occasion = { event: 'FIRED', resumed: true, notifyId, messageId, now } as const;
  return (await enqueue(q, alarmEvent, occasion)).written;
}

const placeOf = (
  alarm: Alarm,
): Pick<
  AlarmEvent,
  'ruleStateId' | 'level' | 'target' | 'entityId' | 'deviceId' | 'message' | 'occurTime'
> => ({
  ruleStateId: alarm.ruleStateId,
  level: nameOf(AlarmLevel, alarm.alarmLevelFlag),
  target: nameOf(AlarmTarget, alarm.alarmTargetTypeFlag),
  entityId: alarm.entityId,
  deviceId: alarm.deviceId,
  message: alarm.message,
  occurTime: (alarm.lastTriggerTime ?? alarm.createTime).getTime(),
});

/** The variables of its first notification, from the snapshot that the alarm has kept. */
function factsOf({
  condition,
  values,
  eventType,
  labels,
}: Record<string, unknown>): AlarmEvent['facts'] {
  const of = (part: unknown): object => (typeof part === 'object' && part !== null ? part : {});
  return { ...of(values), ...of(condition), values: of(values), eventType, labels };
}
