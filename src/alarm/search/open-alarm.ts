import { sql } from 'kysely';
import { z } from 'zod';

import { madeByPlatform } from '../../auth/connection/untrusted.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { answer, AnswerId, MaybeTime, named, Time, YesNo } from '../../kernel/entity/answer.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { episode } from '../alarm/episode.ts';
import { type NotifyCounts, notifyCounts } from '../alarm/notify-counts.ts';
import { AlarmLevel, AlarmSource, AlarmTarget, AlarmType } from '../kind/alarm.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import { placeOf } from './matching.ts';
import { type FoundAlarms, searchIn } from './search.ts';

const MAX_COUNTED = 10_000;

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
  message: madeByPlatform(z.string()),
  confirmed: YesNo,
  createTime: Time,
  confirmTime: MaybeTime,
  /** The person that confirmed the alarm; null while unconfirmed, or when a policy confirmed it. */
  confirmedBy: z.string().nullable(),
  ...episode,
});
type Alarm = z.output<typeof Alarm.schema>;

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

type Active = { limit: number; after?: string | undefined };

export type ActiveAlarms = FoundAlarms & {
  /** Number of rows: rule (or equal reports) and place; of the first 10,000 alarms. */
  total: number;
};

/** Firing or unconfirmed alarms behind the position `after`. */
export const activeAlarms: Operation<Active, ActiveAlarms> = (app, { tenantId }, asked) =>
  inOneTrip(app.db, tenantId, (q) => activeIn(q, tenantId, { ...asked, now: app.clock.now() }));

/** The first of them, and entities in PENDING, last changed first. */
export const activeAndPending: Operation<
  { limit: number; pendingLimit: number },
  ActiveAlarms & { pending: PendingAlarm[] }
> = (app, { tenantId }, { limit, pendingLimit }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const [active, pending] = await Promise.all([
      activeIn(q, tenantId, { limit, now: app.clock.now() }),
      pendingOf(q, tenantId, pendingLimit),
    ]);
    return { ...active, pending };
  });

async function activeIn(
  q: Queries,
  tenantId: string,
  asked: Active & { now: number },
): Promise<ActiveAlarms> {
  const [total, found] = await Promise.all([placesOf(q, tenantId), searchIn(q, tenantId, asked)]);
  return { ...found, total };
}

async function placesOf(q: Queries, tenantId: string): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(distinct ${placeOf('active')})::int as total
    from (select * from svc_entity_alarm where tenant_id = ${tenantId}
      and urgency >= 1
      limit ${MAX_COUNTED}) active`.execute(q);
  return rows[0]?.total ?? 0;
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
