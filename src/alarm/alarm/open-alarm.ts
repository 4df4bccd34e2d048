import { sql } from 'kysely';
import { z } from 'zod';

import type { Operation } from '../../app.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import { answer, AnswerId, Int8, MaybeTime, named, Time, YesNo } from '../../entity/answer.ts';
import { rowOf } from '../../entity/row.ts';
import { RuleStatus } from '../rule/state/rule-status.ts';
import { AlarmLevel, AlarmSource, AlarmTarget, AlarmType, ConfirmFlag } from './alarm.ts';
import { episode } from './episode.ts';
import { type NotifyCounts, notifyCounts } from './notify-counts.ts';

/** An alarm and the episode that raised it. */
const Alarm = answer('Alarm', {
  alarmId: AnswerId,
  level: named(AlarmLevel),
  type: named(AlarmType),
  source: named(AlarmSource),
  target: named(AlarmTarget),
  driverId: AnswerId,
  deviceId: AnswerId,
  pointId: AnswerId,
  ruleId: AnswerId,
  message: z.string(),
  confirmed: YesNo,
  createTime: Time,
  confirmTime: MaybeTime,
  /** The person that confirmed the alarm; null while unconfirmed, or when a policy confirmed it. */
  confirmedBy: z.string().nullable(),
  ...episode,
});
type Alarm = z.output<typeof Alarm.schema>;

/**
 * The open alarms of one rule (or one kind of report) at one place, shown as one: the firing one, else the
 * newest.
 */
const OpenAlarm = answer('OpenAlarm', {
  alarmId: AnswerId,
  state: z.nullable(named(RuleStatus)),
  level: named(AlarmLevel),
  type: named(AlarmType),
  /** Start of the episode; creation time for a reported alarm. */
  since: Time,
  /** Number of open alarms in this group. */
  occurrences: Int8,
  deviceId: AnswerId,
  deviceName: z.string().nullable(),
  pointId: AnswerId,
  pointName: z.string().nullable(),
  ruleId: AnswerId,
  message: z.string(),
  confirmed: YesNo,
});
type OpenRow = z.input<typeof OpenAlarm.schema>;

/** A condition that matches, but not yet for the rule's duration. */
const PendingAlarm = answer('PendingAlarm', {
  ruleId: AnswerId,
  ruleName: z.string(),
  target: named(AlarmTarget),
  entityId: AnswerId,
  deviceId: AnswerId,
  firstTriggerTime: MaybeTime,
});
type PendingAlarm = z.output<typeof PendingAlarm.schema>;

export type OpenAlarms = {
  /** Number of groups: rule (or kind of report) and place. */
  total: number;
  /** Number of firing alarms. */
  firing: number;
  /** Number of unconfirmed alarms that do not fire. */
  unconfirmed: number;
  alarms: z.output<typeof OpenAlarm.schema>[];
  /** Whether another page follows. */
  hasMore: boolean;
};

/** Sort key of the last alarm of a page. */
export type Place = { firing: boolean; level: number; since: number; alarmId: string };

type ById = { alarmId: string; withNotifications: boolean };

/**
 * One alarm, with the counts of its notifications where they are asked for, else null; throws NotFound, also for
 * another tenant's.
 */
export const alarmById: Operation<ById, Alarm & { notifications: NotifyCounts | null }> = (
  app,
  { tenantId },
  { alarmId, withNotifications },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const [row, notifications] = await Promise.all([
      rowOf(q, 'svc_entity_alarm', tenantId, alarmId),
      withNotifications ? notifyCounts(q, tenantId, alarmId) : null,
    ]);
    const alarm = Alarm.of({
      ...row,
      alarmId: row.id,
      level: row.alarmLevelFlag,
      type: row.alarmTypeFlag,
      source: row.alarmSourceFlag,
      target: row.alarmTargetTypeFlag,
      confirmed: row.confirmFlag,
      confirmedBy: row.confirmUserName,
      state: row.stateFlag,
    });
    return { ...alarm, notifications };
  });

type Listed = { limit: number; after?: Place };

/**
 * Firing or unconfirmed alarms after the sort key `after`: firing first, then by level, then oldest first.
 * One row for each rule and place, so that a flapping rule takes one row.
 */
export const openAlarms: Operation<Listed, OpenAlarms> = (app, { tenantId }, listed) =>
  inOneTrip(app.db, tenantId, (q) => openOf(q, tenantId, listed));

type Active = { limit: number; pendingLimit: number };

/** The first open alarms, and entities in PENDING, last changed first. */
export const activeAlarms: Operation<Active, OpenAlarms & { pending: PendingAlarm[] }> = (
  app,
  { tenantId },
  { limit, pendingLimit },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const [open, pending] = await Promise.all([
      openOf(q, tenantId, { limit }),
      pendingOf(q, tenantId, pendingLimit),
    ]);
    return { ...open, pending };
  });

async function openOf(q: Queries, tenantId: string, { limit, after }: Listed): Promise<OpenAlarms> {
  const [totals, rows] = await Promise.all([
    totalsOf(q, tenantId),
    openRowsOf(q, tenantId, limit + 1, after),
  ]);
  const alarms = rows.slice(0, limit).map(OpenAlarm.of);
  return { ...totals, alarms, hasMore: rows.length > limit };
}

/** Columns that group open alarms: rule and place; for alarms without a state also the message. */
const sameness = sql`rule_id, alarm_type_flag, alarm_source_flag, alarm_target_type_flag, entity_id,
  device_id, case when state_flag is null then message end`;
const isOpen = sql`(confirm_flag = ${sql.lit(ConfirmFlag.UNCONFIRMED)}
  or state_flag = ${sql.lit(RuleStatus.FIRING)})`;
const isFiring = sql`coalesce(state_flag = ${sql.lit(RuleStatus.FIRING)}, false)`;

async function totalsOf(q: Queries, tenantId: string) {
  const { rows } = await sql<{ total: string; firing: string; unconfirmed: string }>`
    select count(distinct (${sameness})) as total, count(*) filter (where ${isFiring}) as firing,
      count(*) filter (where not ${isFiring}) as unconfirmed
    from svc_entity_alarm where tenant_id = ${tenantId} and ${isOpen}`.execute(q);
  const [row] = rows;
  return {
    total: Number(row?.total ?? 0),
    firing: Number(row?.firing ?? 0),
    unconfirmed: Number(row?.unconfirmed ?? 0),
  };
}

async function openRowsOf(
  q: Queries,
  tenantId: string,
  limit: number,
  after: Place | undefined,
): Promise<OpenRow[]> {
  const behind = after
    ? sql`(not o.firing, o.alarm_level_flag, o.since, o.id) > (${!after.firing}::boolean,
        ${after.level}::smallint, ${new Date(after.since)}::timestamptz, ${after.alarmId}::bigint)`
    : sql`true`;
  const { rows } = await sql<OpenRow>`
    with open as (
      select id, state_flag, alarm_level_flag, alarm_type_flag, confirm_flag, device_id, point_id,
        rule_id, message, ${isFiring} as firing,
        date_trunc('milliseconds', coalesce(first_trigger_time, create_time)) as since,
        count(*) over (partition by ${sameness}) as occurrences,
        row_number() over (partition by ${sameness} order by ${isFiring} desc, id desc) as rank
      from svc_entity_alarm where tenant_id = ${tenantId} and ${isOpen})
    select o.*, o.id as alarm_id, o.state_flag as state, o.alarm_level_flag as level,
      o.alarm_type_flag as type, o.confirm_flag as confirmed, d.device_name, p.point_name
    from open o
    left join svc_device d on d.tenant_id = ${tenantId} and d.id = o.device_id
    left join svc_point p on p.tenant_id = ${tenantId} and p.id = o.point_id
    where o.rank = 1 and ${behind}
    order by not o.firing, o.alarm_level_flag, o.since, o.id limit ${limit}`.execute(q);
  return rows;
}

async function pendingOf(q: Queries, tenantId: string, limit: number): Promise<PendingAlarm[]> {
  const rows = await q
    .selectFrom('svc_rule_state as s')
    .innerJoin('svc_rule as r', (join) =>
      join.onRef('r.tenantId', '=', 's.tenantId').onRef('r.id', '=', 's.ruleId'),
    )
    .select(['s.ruleId', 'r.ruleName', 's.alarmTargetTypeFlag as target'])
    .select(['s.entityId', 's.deviceId', 's.firstTriggerTime'])
    .where('s.tenantId', '=', tenantId)
    .where('s.entityStateFlag', '=', RuleStatus.PENDING)
    // States without a matching condition are not pending.
    .where('s.holdingSince', 'is not', null)
    .orderBy('s.operateTime', 'desc')
    .orderBy('s.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(PendingAlarm.of);
}
