import type { Selectable } from 'kysely';

import { nameOf } from '../../core/input/flag.ts';
import type { EntityAlarmTable } from '../../db/schema/alarm.ts';
import { RuleStatus } from '../rule/state/rule-status.ts';
import { AlarmLevel, AlarmType, ConfirmFlag } from './alarm.ts';
import { type Firing, firedAt, firedBy, firingOf } from './firing.ts';

/** What a list of alarms and the report of one say alike. */
export type AlarmSummary = {
  alarmId: string;
  /** Null: reported, no rule watches it. */
  state: keyof typeof RuleStatus | null;
  level: keyof typeof AlarmLevel;
  type: keyof typeof AlarmType;
  confirmed: boolean;
  /** Begin of its episode, ISO-8601. */
  since: string;
  deviceId: string;
  deviceName: string | null;
  driverName: string | null;
  pointId: string;
  pointName: string | null;
  /** As they were when it fired; null without a rule. */
  ruleName: string | null;
  condition: string | null;
  value: string | null;
  message: string;
};

/** The names are null where there is none, or where it was deleted. */
export type SummaryRow = Pick<
  Selectable<EntityAlarmTable>,
  | 'id'
  | 'stateFlag'
  | 'alarmLevelFlag'
  | 'alarmTypeFlag'
  | 'confirmFlag'
  | 'message'
  | 'condition'
  | 'alarmExt'
  | 'createTime'
  | 'firstTriggerTime'
  | 'deviceId'
  | 'pointId'
> & {
  deviceName: string | null;
  driverName: string | null;
  pointName: string | null;
  unit: string | null;
};

export const firingIn = ({ unit, alarmExt }: SummaryRow): Firing | null =>
  firingOf({ unit: unit ?? '', ...alarmExt });

export const beginOf = ({ firstTriggerTime, createTime }: SummaryRow): Date =>
  firstTriggerTime ?? createTime;

export function summaryOf(row: SummaryRow): AlarmSummary {
  const firing = firingIn(row);
  return {
    alarmId: row.id,
    state: row.stateFlag === null ? null : nameOf(RuleStatus, row.stateFlag),
    level: nameOf(AlarmLevel, row.alarmLevelFlag),
    type: nameOf(AlarmType, row.alarmTypeFlag),
    confirmed: row.confirmFlag === ConfirmFlag.CONFIRMED,
    since: beginOf(row).toISOString(),
    deviceId: row.deviceId,
    deviceName: row.deviceName,
    driverName: row.driverName,
    pointId: row.pointId,
    pointName: row.pointName,
    ruleName: firing?.ruleName ?? null,
    condition: firing ? firedBy(firing) : row.condition || null,
    value: firing && firedAt(firing),
    message: row.message,
  };
}
