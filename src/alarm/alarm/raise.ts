import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { storable } from '../../kernel/input/text.ts';
import { AlarmSource, AlarmTarget, AlarmType } from '../kind/alarm.ts';
import { RuleStatus } from '../kind/rule-status.ts';

/** Ids that do not apply are '0'. */
export type NewAlarm = {
  tenantId: string;
  target: AlarmTarget;
  entityId: string;
  driverId?: string;
  deviceId?: string;
  pointId?: string;
  ruleId?: string;
  ruleStateId?: string;
  type: keyof typeof AlarmType;
  source: keyof typeof AlarmSource;
  level: number;
  message: string;
  ext?: Record<string, unknown>;
  /** The rule's condition as text for people. */
  condition?: string;
  /** Creates the alarm FIRING; without it the alarm has no state and never recovers, as for reports. */
  episode?: { firstTriggerTime: Date; lastTriggerTime: Date };
  now: number;
};

/** The ext of an alarm about a point has the point's unit, as it was then. */
const withUnit = ({ tenantId, pointId = '0', ext = {} }: NewAlarm) =>
  pointId === '0'
    ? JSON.stringify(ext)
    : sql<string>`coalesce((select jsonb_build_object('unit', p.unit) from svc_point p
        where p.tenant_id = ${tenantId} and p.id = ${pointId}), '{}') || ${JSON.stringify(ext)}::jsonb`;

const MAX_MESSAGE = 1024;
const MAX_CONDITION = 256;

/**
 * Writes an alarm, whatever its origin (docs/specification/service.md, Rules of the service 5); answers the
 * alarm's id. No other function inserts alarms.
 */
export async function raise(q: Queries, alarm: NewAlarm): Promise<string> {
  const at = new Date(alarm.now);
  const { id } = await q
    .insertInto('svc_entity_alarm')
    .values({
      tenantId: alarm.tenantId,
      alarmTargetTypeFlag: AlarmTarget[alarm.target],
      entityId: alarm.entityId,
      driverId: alarm.driverId ?? '0',
      deviceId: alarm.deviceId ?? '0',
      pointId: alarm.pointId ?? '0',
      ruleId: alarm.ruleId ?? '0',
      ruleStateId: alarm.ruleStateId ?? '0',
      alarmTypeFlag: AlarmType[alarm.type],
      alarmSourceFlag: AlarmSource[alarm.source],
      alarmLevelFlag: alarm.level,
      message: storable(alarm.message).slice(0, MAX_MESSAGE),
      alarmExt: withUnit(alarm),
      condition: storable(alarm.condition ?? '').slice(0, MAX_CONDITION),
      ...(alarm.episode
        ? { ...alarm.episode, stateFlag: RuleStatus.FIRING, triggerCount: '1' }
        : {}),
      createTime: at,
      operateTime: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

type Changed = Pick<NewAlarm, 'tenantId' | 'level' | 'now' | 'ext' | 'condition'> & {
  alarmId: string;
  message?: string;
};

/** Changes the level of an alarm that goes on, and what it says of why. */
export async function changeLevel(
  q: Queries,
  { tenantId, alarmId, level, now, ext = {}, message, condition }: Changed,
): Promise<void> {
  await q
    .updateTable('svc_entity_alarm')
    .set({
      alarmLevelFlag: level,
      alarmExt: sql`alarm_ext || ${JSON.stringify(ext)}::jsonb`,
      ...(message === undefined ? {} : { message: storable(message).slice(0, MAX_MESSAGE) }),
      ...(condition === undefined
        ? {}
        : { condition: storable(condition).slice(0, MAX_CONDITION) }),
      operateTime: new Date(now),
    })
    .where('tenantId', '=', tenantId)
    .where('id', '=', alarmId)
    .execute();
}
