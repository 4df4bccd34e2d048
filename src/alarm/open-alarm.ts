import type { Operation } from '../app.ts';
import { NotFound } from '../core/errors.ts';
import { nameOf } from '../core/input/flag.ts';
import type { Queries } from '../db/connect.ts';
import { inTenant } from '../db/tenant.ts';
import { AlarmLevel, AlarmSource, AlarmTarget, AlarmType, ConfirmFlag } from './entity-alarm.ts';
import { RuleStatus } from './rule/state/rule-status.ts';

/** Counted no further: more than anybody looks at. */
const MAX_COUNTED = 1_000;

/** An alarm and how the rule or outage stands that raised it; flags by name, times ISO-8601. */
export type AlarmView = {
  alarmId: string;
  /** Null for an alarm that was reported, which nothing watches. */
  state: RuleStatus | null;
  level: keyof typeof AlarmLevel;
  type: keyof typeof AlarmType;
  source: keyof typeof AlarmSource;
  target: AlarmTarget;
  driverId: string;
  deviceId: string;
  pointId: string;
  ruleId: string;
  message: string;
  confirmed: boolean;
  createTime: string;
  confirmTime: string | null;
  /** Of the episode that raised it; null once a later one has begun. */
  firstTriggerTime: string | null;
  lastTriggerTime: string | null;
  lastRecoverTime: string | null;
  lastNotifyTime: string | null;
};

/** A condition that holds and has not lasted long enough to raise an alarm. */
type PendingView = {
  ruleId: string;
  ruleName: string;
  target: AlarmTarget;
  entityId: string;
  deviceId: string;
  firstTriggerTime: string | null;
};

export type OpenAlarms = {
  /** Counted up to 1,000. */
  total: number;
  alarms: AlarmView[];
  pending: PendingView[];
};

const alarms = (q: Queries, tenantId: string) =>
  q
    .selectFrom('svc_entity_alarm as a')
    .leftJoin('svc_rule_state as s', (join) =>
      join.onRef('s.tenantId', '=', 'a.tenantId').onRef('s.id', '=', 'a.ruleStateId'),
    )
    .selectAll('a')
    .select(['s.alarmId', 's.entityStateFlag', 's.firstTriggerTime', 's.lastTriggerTime'])
    .select(['s.lastRecoverTime', 's.lastNotifyTime'])
    .where('a.tenantId', '=', tenantId);

type AlarmRow = Awaited<ReturnType<ReturnType<typeof alarms>['executeTakeFirstOrThrow']>>;

/** A state serves one episode after the other; what a later one left behind had recovered before. */
function stateOf(row: AlarmRow): RuleStatus | null {
  if (row.entityStateFlag === null) return null;
  if (isCurrent(row)) return nameOf(RuleStatus, row.entityStateFlag);
  return row.confirmFlag === ConfirmFlag.CONFIRMED ? 'CLOSED' : 'RECOVERED';
}

const isCurrent = (row: AlarmRow): boolean =>
  row.alarmId === row.id && row.entityStateFlag !== RuleStatus.PENDING;

function viewOf(row: AlarmRow): AlarmView {
  const ofEpisode = (time: Date | null): string | null =>
    isCurrent(row) ? (time?.toISOString() ?? null) : null;
  return {
    alarmId: row.id,
    state: stateOf(row),
    level: nameOf(AlarmLevel, row.alarmLevelFlag),
    type: nameOf(AlarmType, row.alarmTypeFlag),
    source: nameOf(AlarmSource, row.alarmSourceFlag),
    target: nameOf(AlarmTarget, row.alarmTargetTypeFlag),
    driverId: row.driverId,
    deviceId: row.deviceId,
    pointId: row.pointId,
    ruleId: row.ruleId,
    message: row.message,
    confirmed: row.confirmFlag === ConfirmFlag.CONFIRMED,
    createTime: row.createTime.toISOString(),
    confirmTime: row.confirmTime?.toISOString() ?? null,
    firstTriggerTime: ofEpisode(row.firstTriggerTime),
    lastTriggerTime: ofEpisode(row.lastTriggerTime),
    // What fires has not recovered: that was the episode before.
    lastRecoverTime:
      row.entityStateFlag === RuleStatus.FIRING ? null : ofEpisode(row.lastRecoverTime),
    lastNotifyTime: ofEpisode(row.lastNotifyTime),
  };
}

/** One alarm; throws NotFound, also for another tenant's. */
export const alarmById: Operation<{ alarmId: string }, AlarmView> = (
  app,
  { tenantId },
  { alarmId },
) =>
  inTenant(app.db, tenantId, async (q) => {
    const row = await alarms(q, tenantId).where('a.id', '=', alarmId).executeTakeFirst();
    if (!row) throw new NotFound('Alarm');
    return viewOf(row);
  });

/** What still fires or waits for its confirmation, newest first, and what is about to fire. */
export const openAlarms: Operation<{ limit: number }, OpenAlarms> = (
  app,
  { tenantId },
  { limit },
) =>
  inTenant(app.db, tenantId, async (q) => {
    const ids = await openIds(q, tenantId);
    const newest = ids.slice(0, limit);
    const rows =
      newest.length === 0
        ? []
        : await alarms(q, tenantId)
            .where('a.id', 'in', newest)
            .orderBy('a.createTime', 'desc')
            .orderBy('a.id', 'desc')
            .execute();
    const pending = await pendingOf(q, tenantId, limit);
    return { total: ids.length, alarms: rows.map(viewOf), pending };
  });

async function openIds(q: Queries, tenantId: string): Promise<string[]> {
  const rows = await q
    .selectFrom((from) =>
      from
        .selectFrom('svc_entity_alarm')
        .select(['id', 'createTime'])
        .where('tenantId', '=', tenantId)
        .where('confirmFlag', '=', ConfirmFlag.UNCONFIRMED)
        .orderBy('createTime', 'desc')
        .orderBy('id', 'desc')
        .limit(MAX_COUNTED)
        .as('unconfirmed'),
    )
    .select(['id', 'createTime'])
    .union((also) =>
      also
        .selectFrom('svc_rule_state as s')
        .innerJoin('svc_entity_alarm as a', (join) =>
          join.onRef('a.tenantId', '=', 's.tenantId').onRef('a.id', '=', 's.alarmId'),
        )
        .select(['a.id', 'a.createTime'])
        .where('s.tenantId', '=', tenantId)
        .where('s.entityStateFlag', '=', RuleStatus.FIRING),
    )
    .orderBy('createTime', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_COUNTED)
    .execute();
  return rows.map(({ id }) => id);
}

async function pendingOf(q: Queries, tenantId: string, limit: number): Promise<PendingView[]> {
  const rows = await q
    .selectFrom('svc_rule_state as s')
    .innerJoin('svc_rule as r', (join) =>
      join.onRef('r.tenantId', '=', 's.tenantId').onRef('r.id', '=', 's.ruleId'),
    )
    .select(['s.ruleId', 'r.ruleName', 's.alarmTargetTypeFlag', 's.entityId', 's.deviceId'])
    .select('s.firstTriggerTime')
    .where('s.tenantId', '=', tenantId)
    .where('s.entityStateFlag', '=', RuleStatus.PENDING)
    // A rule that has looked at an entity and found nothing about it waits for nothing.
    .where('s.holdingSince', 'is not', null)
    .orderBy('s.operateTime', 'desc')
    .orderBy('s.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ruleId: row.ruleId,
    ruleName: row.ruleName,
    target: nameOf(AlarmTarget, row.alarmTargetTypeFlag),
    entityId: row.entityId,
    deviceId: row.deviceId,
    firstTriggerTime: row.firstTriggerTime?.toISOString() ?? null,
  }));
}
