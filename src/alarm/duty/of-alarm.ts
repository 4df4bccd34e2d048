import type { Selectable } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { EntityAlarmTable } from '../../db/schema/alarm.ts';
import { findRow } from '../../kernel/entity/row.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { AlarmLevel, AlarmTarget, AlarmType } from '../kind/alarm.ts';
import type { NoticeEvent } from '../kind/delivery-status.ts';
import { type AlarmEvent, withoutRule } from '../message/alarm-event.ts';
import { endReasonOf, leavesOpen } from '../message/episode-text.ts';

export type Alarm = Selectable<EntityAlarmTable>;

/** What there is to report of an alarm later than its event: what the stored alarm says. */
export async function alarmEventOf(
  q: Queries,
  alarm: Alarm,
  { event, now }: { event: NoticeEvent; now: number },
): Promise<AlarmEvent> {
  const { tenantId, id: alarmId, ruleId, ruleStateId, entityId, deviceId, pointId } = alarm;
  const rule = ruleId === '0' ? undefined : await findRow(q, 'svc_rule', tenantId, ruleId);
  const { ruleCode, ruleName } = alarm.alarmExt;
  return {
    ...withoutRule({ tenantId, alarmId, type: nameOf(AlarmType, alarm.alarmTypeFlag) }),
    ...(ruleId !== '0' && {
      name: textOf(ruleName, rule?.ruleName),
      ruleCode: textOf(ruleCode, rule?.ruleCode),
    }),
    ruleId,
    ruleStateId,
    level: nameOf(AlarmLevel, alarm.alarmLevelFlag),
    target: nameOf(AlarmTarget, alarm.alarmTargetTypeFlag),
    entityId,
    deviceId,
    pointId,
    message: event === 'FIRED' ? alarm.message : endOf(alarm),
    occurTime: leavesOpen(alarm, event) ? now : timeOf(alarm, event).getTime(),
    facts: factsOf(alarm.alarmExt),
  };
}

/** As the alarm has it, else as its rule has it now. */
const textOf = (stored: unknown, now = ''): string => (typeof stored === 'string' ? stored : now);

function endOf(alarm: Alarm): string {
  if (leavesOpen(alarm, 'RECOVERED')) return `no longer sent here, still fires: ${alarm.message}`;
  const reason = endReasonOf(alarm);
  return reason === '' ? `over: ${alarm.message}` : `ended, because ${reason}: ${alarm.message}`;
}

const timeOf = (
  { lastTriggerTime, lastRecoverTime, createTime, operateTime }: Alarm,
  event: NoticeEvent,
): Date => (event === 'FIRED' ? (lastTriggerTime ?? createTime) : (lastRecoverTime ?? operateTime));

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
