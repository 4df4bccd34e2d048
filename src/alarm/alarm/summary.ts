import { type RawBuilder, type Selectable, sql } from 'kysely';

import type { EntityAlarmTable } from '../../db/schema/alarm.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { AlarmLevel, AlarmType, ConfirmFlag } from '../kind/alarm.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import { type Firing, firedAt, firedBy, firingOf } from './firing.ts';
import type { InMaintenance } from './in-maintenance.ts';

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
  /** Null unless a person holds its notifications back. */
  silenced: Silenced | null;
  /** Null unless the receiver of a channel acknowledged it; no confirmation. */
  acknowledged: Acknowledged | null;
  /** Null unless its place was in maintenance when it was raised, or is since. */
  maintenance: InMaintenance | null;
  /** The person that looks after it. */
  assignee: Assignee | null;
};

type Assignee = { id: string; name: string };

/** The first acknowledgement by the receiver of a channel; `channel` is null for a deleted one, `at` ISO-8601. */
export type Acknowledged = { channel: string | null; at: string };

/** A silence; `until` is ISO-8601, and passes some seconds before the silence is gone. */
export type Silenced = { until: string; by: string; reason: string };

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
  | 'assigneeId'
  | 'assigneeName'
> & {
  deviceName: string | null;
  driverName: string | null;
  pointName: string | null;
  unit: string | null;
  silence: Silenced | null;
  acknowledged: Acknowledged | null;
  maintenance: InMaintenance | null;
};

export const firingIn = ({ unit, alarmExt }: SummaryRow): Firing | null =>
  firingOf({ unit: unit ?? '', ...alarmExt });

export const beginOf = ({ firstTriggerTime, createTime }: SummaryRow): Date =>
  firstTriggerTime ?? createTime;

/** The silence of the rule state of the alarm `row`, as JSON. */
export const silenceOf = (tenantId: string, row: string): RawBuilder<Silenced | null> => sql`
  (select json_build_object('until', to_char(s.silenced_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'by', s.silenced_by, 'reason', s.silence_reason)
    from svc_rule_state s where s.tenant_id = ${tenantId} and s.id = ${sql.ref(`${row}.rule_state_id`)}
      and s.silenced_until is not null)`;

/** The first acknowledgement of the alarm `row` by the receiver of a channel, as JSON. */
export const acknowledgedOf = (
  tenantId: string,
  row: string,
): RawBuilder<Acknowledged | null> => sql`
  (select json_build_object('channel', c.channel_name,
      'at', to_char(l.acknowledged_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    from svc_notify_ledger l
    left join svc_notify_channel c on c.tenant_id = l.tenant_id and c.id = l.channel_id
    where l.tenant_id = ${tenantId} and l.alarm_id = ${sql.ref(`${row}.id`)} and l.acknowledged_time is not null
    order by l.acknowledged_time limit 1)`;

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
    silenced: row.silence,
    acknowledged: row.acknowledged,
    maintenance: row.maintenance,
    assignee: row.assigneeId === '0' ? null : { id: row.assigneeId, name: row.assigneeName },
  };
}
