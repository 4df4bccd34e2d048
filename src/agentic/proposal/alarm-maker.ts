import { sql } from 'kysely';

import { decide, sourceOf } from '../../alarm/alarm/alert.ts';
import { AlarmLevel, ConfirmFlag } from '../../alarm/kind/alarm.ts';
import { RuleExt } from '../../alarm/kind/rule-ext.ts';
import { forgetRules } from '../../alarm/rule/rule-cache.ts';
import { AddRule, addIn, UpdateRule, updateIn } from '../../alarm/rule/rule.ts';
import { silenceIn } from '../../alarm/watch/silence.ts';
import type { Queries } from '../../db/connect.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { tellDrivers } from '../../manager/driver/driver-updates.ts';
import { frameOf, NO_WRITE } from '../action/card/frame.ts';
import { type AlarmCard, type DoneResult, NOTHING_DONE } from '../action/kind/alarm-card.ts';
import type { Made, Making } from './kind.ts';
import { maintain, maintained, type MaintenanceAsk } from './maintenance-maker.ts';
import { type AddRuleAsk, addedRule, type ChangeRuleAsk, changedRule } from './rule-maker.ts';

/** docs/specification/limits.md, Pending action: a rule is looked at longer than a value. */
const LIFE_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** What a caller asks for of alarms. */
export type AlarmAsk =
  | AddRuleAsk
  | ChangeRuleAsk
  | { does: 'SILENCE'; alarmId: string; hours: number }
  | { does: 'CONFIRM'; alarmIds: readonly string[] }
  | MaintenanceAsk;

/** Makes the card of a proposal about alarms. Throws NotFound, BadRequest; Conflict for what has changed since. */
export async function makeAlarm({ q, proposer, framed }: Making, ask: AlarmAsk): Promise<Made> {
  const { tenantId } = proposer;
  const [frame, alarm] = await Promise.all([
    frameOf(q, proposer, framed, LIFE_MS),
    cardOf(q, tenantId, ask, framed.now),
  ]);
  return {
    card: { ...NO_WRITE, ...frame, alarm },
    begin(app, within, { caller, proposal: { actionId }, now }) {
      const deviceIds = new Set<string>();
      const given = { alarm, reason: framed.reason, deviceIds, now };
      return {
        commandId: null,
        stored: effectOf(app, within, caller, given).then((result) =>
          within
            .updateTable('svc_action')
            .set({ result: JSON.stringify(result) })
            .where('tenantId', '=', tenantId)
            .where('actionId', '=', actionId)
            .execute(),
        ),
        async after() {
          forgetRules(app, tenantId);
          for (const deviceId of deviceIds) await tellDrivers(app, tenantId, { deviceId });
        },
      };
    },
  };
}

/** The same proposal as its card is to be made again. */
export function askOf(alarm: AlarmCard): AlarmAsk {
  if (alarm.does === 'SILENCE' || alarm.does === 'MAINTENANCE') return alarm;
  if (alarm.does === 'CONFIRM')
    return { does: alarm.does, alarmIds: alarm.alarms.map(({ alarmId }) => alarmId) };
  return { ...alarm, content: RuleExt.parse({ content: alarm.content }).content };
}

function cardOf(q: Queries, tenantId: string, ask: AlarmAsk, now: number): Promise<AlarmCard> {
  if (ask.does === 'ADD_RULE') return addedRule(q, tenantId, ask);
  if (ask.does === 'CHANGE_RULE') return changedRule(q, tenantId, ask);
  if (ask.does === 'MAINTENANCE') return maintained(q, tenantId, ask, now);
  return ask.does === 'SILENCE' ? silenced(q, tenantId, ask, now) : confirmed(q, tenantId, ask);
}

type Ask<D extends AlarmAsk['does']> = Extract<AlarmAsk, { does: D }>;

type Found = {
  id: string;
  target: number;
  level: number;
  message: string;
  place: string;
  since: Date;
  confirmFlag: number;
  isWatched: boolean;
  silencedUntil: Date | null;
  silencedBy: string | null;
};

async function alarmsIn(q: Queries, tenantId: string, ids: readonly string[]): Promise<Found[]> {
  const { rows } = await sql<Found>`
    select a.id, a.alarm_target_type_flag as target, a.alarm_level_flag as level, a.message, a.confirm_flag,
      concat_ws(', ', p.point_name, coalesce(d.device_name, v.driver_name)) as place,
      coalesce(a.first_trigger_time, a.create_time) as since, s.id is not null as is_watched,
      s.silenced_until, s.silenced_by
    from svc_entity_alarm a
    left join svc_rule_state s on s.tenant_id = a.tenant_id and s.id = a.rule_state_id
    left join svc_device d on d.tenant_id = a.tenant_id and d.id = a.device_id
    left join svc_point p on p.tenant_id = a.tenant_id and p.id = a.point_id
    left join svc_driver v on v.tenant_id = a.tenant_id and v.id = a.driver_id and a.device_id = 0
    where a.tenant_id = ${tenantId} and a.id = any(${[...ids]}::bigint[])
    order by a.alarm_level_flag, a.id`.execute(q);
  if (rows.length < new Set(ids).size) throw new NotFound('Alarm');
  return rows;
}

async function silenced(
  q: Queries,
  tenantId: string,
  { does, alarmId, hours }: Ask<'SILENCE'>,
  now: number,
): Promise<AlarmCard> {
  const [alarm] = await alarmsIn(q, tenantId, [alarmId]);
  if (!alarm?.isWatched) throw new Conflict('no rule watches the place of this alarm');
  const { message: what, place, silencedUntil: until, silencedBy } = alarm;
  const already =
    until !== null && until.getTime() > now
      ? { until: until.toISOString(), by: silencedBy ?? '' }
      : null;
  return { does, alarmId, level: nameOf(AlarmLevel, alarm.level), what, place, hours, already };
}

async function confirmed(
  q: Queries,
  tenantId: string,
  { does, alarmIds }: Ask<'CONFIRM'>,
): Promise<AlarmCard> {
  const found = await alarmsIn(q, tenantId, alarmIds);
  const open = found.filter(({ confirmFlag }) => confirmFlag === ConfirmFlag.UNCONFIRMED);
  if (open.length < found.length) throw new Conflict(alreadyConfirmed(found.length - open.length));
  return {
    does,
    alarms: open.map(({ id, target, level, message: what, place, since }) => ({
      alarmId: id,
      source: sourceOf(target),
      level: nameOf(AlarmLevel, level),
      what,
      place,
      since: since.toISOString(),
    })),
  };
}

const alreadyConfirmed = (count: number): string =>
  count === 1
    ? '1 of these alarms is confirmed already: leave it out'
    : `${count} of these alarms are confirmed already: leave them out`;

type Effect = { alarm: AlarmCard; reason: string; deviceIds: Set<string>; now: number };

/** Does what was confirmed, as the person that confirmed it, in the transaction of the confirmation. */
async function effectOf(
  app: App,
  q: Queries,
  caller: Caller,
  { alarm, reason, deviceIds, now }: Effect,
): Promise<DoneResult> {
  if (alarm.does === 'ADD_RULE') {
    const { ruleName, pointId, deviceId, notifyId, content } = alarm;
    const watched =
      pointId === ''
        ? { alarmTargetTypeFlag: 'DEVICE', entityId: deviceId }
        : { alarmTargetTypeFlag: 'POINT', entityId: pointId };
    const given = { ruleName, ...watched, notifyId };
    const rule = AddRule.parse({ ...given, ruleExt: { content } });
    return { ...NOTHING_DONE, ruleId: await addIn(app, q, caller, rule) };
  }
  if (alarm.does === 'CHANGE_RULE') {
    const { ruleId: id, content } = alarm;
    await updateIn(app, q, caller, UpdateRule.parse({ id, ruleExt: { content } }));
    return { ...NOTHING_DONE, ruleId: id };
  }
  if (alarm.does === 'SILENCE') {
    const until = now + alarm.hours * HOUR_MS;
    await silenceIn(app, q, caller, { id: alarm.alarmId, until, reason });
    return { ...NOTHING_DONE, until: new Date(until).toISOString() };
  }
  if (alarm.does === 'MAINTENANCE') {
    const maintenanceId = await maintain(app, q, caller, { alarm, reason, now });
    return { ...NOTHING_DONE, maintenanceId, until: alarm.end };
  }
  const decision = { confirm: true, caller, deviceIds };
  let done = 0;
  // In one order, against deadlocks.
  for (const { alarmId: id, source } of alarm.alarms.toSorted((a, b) =>
    a.alarmId.localeCompare(b.alarmId),
  ))
    if ((await decide(app, q, { id, source, note: reason }, decision)) !== 'NOT_FOUND') done += 1;
  return { ...NOTHING_DONE, alarms: done };
}
