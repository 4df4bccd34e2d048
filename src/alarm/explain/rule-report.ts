import { type Selectable, sql } from 'kysely';

import type { AttributeType } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import type { RuleTable } from '../../db/schema/alarm.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { Conflict } from '../../kernel/errors.ts';
import { EnableFlag, nameOf } from '../../kernel/input/flag.ts';
import { amount, byName, quoted } from '../../kernel/sentence/voice.ts';
import { ValueType } from '../../manager/entity/value-type.ts';
import { demandOf, demandText } from '../alarm/demand.ts';
import { matches } from '../condition/condition.ts';
import { watchesDevice } from '../condition/devices.ts';
import { contentAt, limitsIn } from '../condition/limit.ts';
import { factOf } from '../condition/value-fact.ts';
import { comparedWords, unitOfCompared } from '../kind/aggregate.ts';
import { AlarmTarget } from '../kind/alarm.ts';
import { isFormula, isSet } from '../kind/condition.ts';
import { lengthWords } from '../kind/duration.ts';
import { type RuleContent, RuleExt } from '../kind/rule-ext.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import { type Doubt, senselessIn } from '../validation/sense.ts';
import { warningsOf } from '../validation/warnings.ts';

type State = {
  state: number;
  deviceName: string | null;
  alarmId: string;
  since: Date | null;
  holdingSince: Date | null;
};
type Latest = {
  deviceId: string;
  deviceName: string;
  createTime: Date;
  calValue: string;
  rawValue: string;
  numValue: number | null;
  quality: number;
};
type Place = { pointName: string | null; pointType: number | null; unit: string; name: string };

/** A rule, what it watches, and why it fires or does not. */
export type RuleReport = {
  ruleId: string;
  ruleName: string;
  target: keyof typeof AlarmTarget;
  entityId: string;
  isEnabled: boolean;
  content: RuleContent;
  /** The condition with its window and hold, as people read it. */
  condition: string;
  /** Name of the point, device or driver; empty: every one. */
  watches: string;
  unit: string;
  changedAt: Date;
  /** Alarms of the last seven days, counted up to 1,000. */
  week: number;
  /** Sentences. */
  why: string[];
  warnings: Doubt[];
};

const WEEK_MS = 7 * 86_400_000;
const MAX_STATES = 5;
const MAX_COUNTED = 1_000;

/** What a rule watches and why it fires or not, from its states and the latest values; throws NotFound. */
export const ruleReport: Operation<{ ruleId: string; withValues: boolean }, RuleReport> = (
  app,
  caller,
  { ruleId, withValues },
) =>
  inOneTrip(app.db, caller.tenantId, async (q) => {
    const { tenantId } = caller;
    const now = app.clock.now();
    const of = { tenantId, ruleId };
    const [row, place, states, week, latest, limits, [warned]] = await Promise.all([
      rowOf(q, 'svc_rule', tenantId, ruleId),
      placeOf(q, of),
      statesOf(q, of),
      alarmsOf(q, of, now),
      withValues ? latestOf(q, of) : [],
      limitsIn(q, tenantId, { ruleId }),
      warningsOf(q, caller, { ruleId }),
    ]);
    const ext = RuleExt.safeParse(row.ruleExt);
    if (!ext.success) throw new Conflict('This rule is of a form that is not known: save it anew');
    const { content } = ext.data;
    const target = nameOf(AlarmTarget, row.alarmTargetTypeFlag);
    const type = place.pointType === null ? null : nameOf(ValueType, place.pointType);
    const unit = ('unit' in content.condition ? content.condition.unit : undefined) ?? place.unit;
    const rule = { row, content, target, type, unit, limits: limits.of };
    return {
      ruleId,
      ruleName: row.ruleName,
      target,
      entityId: row.entityId,
      isEnabled: row.enableFlag === EnableFlag.ENABLE,
      content,
      condition: conditionWords(content, unit),
      watches: place.name,
      unit: place.unit,
      changedAt: row.operateTime,
      week,
      why: whyOf(rule, { states, latest, now }),
      warnings: warned?.warnings ?? [],
    };
  });

/** `value (mean over 10 min) > 80 °C for 5 min`. */
export function conditionWords(content: RuleContent, unit: string): string {
  const { condition } = content;
  if (condition.operator === 'nodata' || isSet(condition)) return demandText(content, '');
  return `${comparedWords(content)} ${demandText(content, unitOfCompared(content, unit))}`;
}

type Rule = {
  row: Selectable<RuleTable>;
  content: RuleContent;
  target: keyof typeof AlarmTarget;
  type: AttributeType | null;
  unit: string;
  limits: Awaited<ReturnType<typeof limitsIn>>['of'];
};
type Seen = { states: readonly State[]; latest: readonly Latest[]; now: number };

function whyOf(rule: Rule, { states, latest, now }: Seen): string[] {
  const { row, content, target, type } = rule;
  if (row.enableFlag !== EnableFlag.ENABLE) return ['It is disabled: nothing is looked at.'];
  const never = senselessIn(content, { target, type });
  if (never) return [`It can never do what it says: ${never.why}.`];
  const standing = states.flatMap((state) => stateWords(state, now));
  const values = latest.map((value) => valueWords(rule, value, now));
  if (standing.length + values.length === 0)
    return ['It does not fire, and nothing that it watches has been looked at yet.'];
  return [...standing, ...values];
}

function stateWords({ state, deviceName, since, holdingSince }: State, now: number): string[] {
  const where = deviceName === null ? '' : ` at ${quoted(deviceName)}`;
  if (state === RuleStatus.FIRING)
    return [`It fires${where}${since ? ` for ${lengthWords(now - since.getTime())}` : ''}.`];
  if (state === RuleStatus.PENDING && holdingSince)
    return [
      `Its condition holds${where} for ${lengthWords(now - holdingSince.getTime())}, and not long enough yet.`,
    ];
  return [];
}

/** Whether the latest value of a device meets the condition; of windows, what the last value is. */
function valueWords(rule: Rule, value: Latest, now: number): string {
  const { type, unit, row, limits } = rule;
  const place = { deviceId: value.deviceId, pointId: row.entityId };
  const content = contentAt(rule.content, limits, place);
  const { condition, window } = content;
  const shown = amount(value.calValue, unit, byName);
  const age = lengthWords(now - value.createTime.getTime());
  const last = `The last value of ${quoted(value.deviceName)}, ${shown}, ${age} old`;
  const isOfMore =
    isSet(condition) ||
    isFormula(condition) ||
    window.mode !== 'LAST' ||
    content.peers !== undefined ||
    content.aggregate !== undefined;
  if (condition.operator === 'nodata' || isOfMore) return `${last}.`;
  const fact = factOf(
    { ...value, pointId: '0', originTime: value.createTime.getTime(), seq: 0n },
    '0',
    now,
  );
  const met = matches(condition, fact.values, type ?? undefined);
  if (met === null) return `${last}, decides nothing: it is bad, or no number.`;
  const limit = content === rule.content ? '' : ` there: ${demandOf(content, unit)}`;
  return `${last}, ${met ? 'meets' : 'does not meet'} its condition${limit}.`;
}

type Of = { tenantId: string; ruleId: string };

/** What a rule watches, by name. */
export async function placeOf(q: Queries, { tenantId, ruleId }: Of): Promise<Place> {
  const { POINT, DRIVER } = AlarmTarget;
  const { rows } = await sql<Place>`
    select p.point_name, p.point_type_flag as point_type, coalesce(p.unit, '') as unit,
      coalesce(p.point_name, d.device_name, v.driver_name, '') as name
    from svc_rule r
    left join svc_point p on p.tenant_id = r.tenant_id and p.id = r.entity_id and r.alarm_target_type_flag = ${POINT}
    left join svc_driver v on v.tenant_id = r.tenant_id and v.id = r.entity_id and r.alarm_target_type_flag = ${DRIVER}
    left join svc_device d on d.tenant_id = r.tenant_id and d.id = r.entity_id
      and r.alarm_target_type_flag not in (${POINT}, ${DRIVER})
    where r.tenant_id = ${tenantId} and r.id = ${ruleId}`.execute(q);
  return rows[0] ?? { pointName: null, pointType: null, unit: '', name: '' };
}

async function statesOf(q: Queries, { tenantId, ruleId }: Of): Promise<State[]> {
  const { FIRING, PENDING } = RuleStatus;
  const { rows } = await sql<State>`
    select s.entity_state_flag as state, d.device_name, s.alarm_id, s.first_trigger_time as since, s.holding_since
    from svc_rule_state s left join svc_device d on d.tenant_id = s.tenant_id and d.id = s.device_id
    where s.tenant_id = ${tenantId} and s.rule_id = ${ruleId}
      and s.entity_state_flag in (${FIRING}, ${PENDING})
    order by s.entity_state_flag = ${FIRING} desc, s.operate_time desc, s.id limit ${MAX_STATES}`.execute(
    q,
  );
  return rows;
}

async function alarmsOf(q: Queries, { tenantId, ruleId }: Of, now: number): Promise<number> {
  const found = q
    .selectFrom('svc_entity_alarm')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('ruleId', '=', ruleId)
    .where('createTime', '>', new Date(now - WEEK_MS))
    .limit(MAX_COUNTED);
  const { count } = await q
    .selectFrom(found.as('found'))
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function latestOf(q: Queries, { tenantId, ruleId }: Of): Promise<Latest[]> {
  const { rows } = await sql<Latest>`
    select l.device_id, d.device_name, l.create_time, l.cal_value, l.raw_value, l.num_value, l.quality
    from svc_rule r
    join svc_point p on p.tenant_id = r.tenant_id and p.id = r.entity_id
    join svc_device d on d.tenant_id = r.tenant_id and d.profile_id = p.profile_id
    join svc_point_latest l on l.tenant_id = r.tenant_id and l.device_id = d.id and l.point_id = p.id
    where r.tenant_id = ${tenantId} and r.id = ${ruleId} and r.alarm_target_type_flag = ${AlarmTarget.POINT}
      and ${watchesDevice(sql`r.rule_ext`, sql`r.tenant_id`, sql`d.id`)}
    order by l.create_time desc, d.id limit ${MAX_STATES}`.execute(q);
  return rows;
}
