import { type RawBuilder, sql } from 'kysely';

import { allows } from '../../auth/permission/permission.ts';
import type { Queries } from '../../db/connect.ts';
import type { Caller } from '../../kernel/app/app.ts';
import { EnableFlag, nameOf } from '../../kernel/input/flag.ts';
import { isNumeric, ValueType } from '../../manager/entity/value-type.ts';
import { MAX_AGGREGATED } from '../condition/aggregate.ts';
import { chosenIds, hasMorePlaces, hasPoint, isServed } from '../condition/devices.ts';
import type { ActiveRule } from '../condition/fact.ts';
import { hasMoreLimits, MAX_LIMITS } from '../condition/limit.ts';
import { MAX_PEERS, membersOf } from '../condition/peers.ts';
import { AlarmTarget } from '../kind/alarm.ts';
import { RuleExt } from '../kind/rule-ext.ts';
import { isSparse } from './sense-window.ts';
import { comparesNumbers, type Doubt, doubtsIn, senselessIn } from './sense.ts';

/** One rule, or the enabled rules after an id, `limit` at most. */
type Of = { ruleId: string } | { after: string; limit: number };

/** A stored rule with what may keep it from doing what is meant. */
export type Warned = { ruleId: string; ruleName: string; warnings: Doubt[] };

/** Devices, or latest values, that are looked at: of one rule, and of each of many. */
const LOOKED_AT = { one: 1_000, each: 100 };

type Row = {
  id: string;
  name: string;
  target: number;
  ext: unknown;
  type: number | null;
  types: Record<string, number> | null;
  isThere: boolean;
  hasNumber: boolean;
  /** What is more than is looked at. */
  more: Doubt[];
  entityId: string;
  /** Of the device that was heard last, of those looked at. */
  rates: Record<string, number | null> | null;
};

/**
 * The warnings of stored rules, by id, as they are now (docs/specification/alarms.md, Warnings of rules); those that say
 * something of values for a caller that may read these. Where a rule has more devices than are looked at and none of
 * these is enabled, or has a number, another may: nothing is said of it.
 */
export async function warningsOf(
  q: Queries,
  caller: Caller,
  of: Of,
  maxLimits = MAX_LIMITS,
): Promise<Warned[]> {
  const { tenantId } = caller;
  const most = 'ruleId' in of ? LOOKED_AT.one : LOOKED_AT.each;
  const withValues = allows(caller, 'svc-center-data:point_value:list');
  const { rows } = await sql<Row>`
    select r.id, r.rule_name as name, r.alarm_target_type_flag as target, r.rule_ext as ext,
      r.entity_id as "entityId", p.point_type_flag as type,
      (select jsonb_object_agg(n.key, o.point_type_flag) from jsonb_each_text(r.rule_ext #> '{content,points}') n
        join svc_point o on o.tenant_id = r.tenant_id and o.id = n.value::bigint) as types,
      ${isThere(most)} as "isThere", ${withValues ? hasNumber(most) : sql`true`} as "hasNumber",
      ${'ruleId' in of ? moreThan(maxLimits) : sql`array[]::text[]`} as more,
      ${'ruleId' in of && withValues ? rates : sql`null::jsonb`} as rates
    from svc_rule r
    left join svc_point p on p.tenant_id = r.tenant_id and p.id = r.entity_id
      and r.alarm_target_type_flag = ${sql.lit(POINT)}
    where r.tenant_id = ${tenantId} and ${narrowed(of)}`.execute(q);
  return rows.map((row) => ({ ruleId: row.id, ruleName: row.name, warnings: warningsIn(row) }));
}

const { POINT, DRIVER } = AlarmTarget;
const ENABLE = sql.lit(EnableFlag.ENABLE);

const narrowed = (of: Of): RawBuilder<unknown> =>
  'ruleId' in of
    ? sql`r.id = ${of.ruleId}`
    : sql`r.enable_flag = ${ENABLE} and r.id > ${of.after} order by r.id limit ${of.limit}`;

/** The `most` devices of the rule `r` that are looked at and the next, numbered; `of` chooses its devices `d`. */
const lookedAt = (most: number, of: RawBuilder<unknown>) => sql`(
  select id, row_number() over () as place from (
    (select d.id from svc_device d where r.rule_ext #> '{content,devices}' is null
      and d.tenant_id = r.tenant_id and ${of} limit ${sql.lit(most + 1)})
    union all select * from (${chosenIds(most + 1)}) c) every limit ${sql.lit(most + 1)})`;

/**
 * Whether one of the devices `d` of the rule `r` is such, or one that is not looked at may be. A device at a time:
 * PostgreSQL would hash every such device of the tenant for `exists … or`.
 */
const hasDevice = (
  most: number,
  { of, such }: Record<'of' | 'such', RawBuilder<unknown>>,
) => sql`exists (
    select from ${lookedAt(most, of)} a
    left join lateral (select true as found from svc_device d
      where d.tenant_id = r.tenant_id and d.id = a.id and ${of} and ${such} limit 1) s on true
    where s.found or a.place > ${sql.lit(most)})`;

/** Whether something that the rule `r` watches is there, and enabled: a device with its driver and profile. */
function isThere(most: number): RawBuilder<boolean> {
  const such = isServed('d');
  return sql<boolean>`case
  when r.alarm_target_type_flag = ${sql.lit(DRIVER)} then exists (select from svc_driver v
    where v.tenant_id = r.tenant_id and r.entity_id in (0, v.id) and v.enable_flag = ${ENABLE})
  when r.entity_id = 0 then ${hasDevice(most, { of: sql`true`, such })}
  when r.alarm_target_type_flag = ${sql.lit(POINT)}
    then coalesce(p.enable_flag = ${ENABLE}, false) and ${hasDevice(most, { of: ofProfile, such })}
  else ${hasDevice(most, { of: sql`d.id = r.entity_id`, such })} end`;
}

const ofProfile = sql`d.profile_id = p.profile_id`;

/** Whether the latest value of a point that the rule `r` watches is a number. */
function hasNumber(most: number): RawBuilder<boolean> {
  const such = sql`exists (select from svc_point_latest l where l.tenant_id = d.tenant_id and l.device_id = d.id
    and l.point_id = r.entity_id and l.num_value is not null)`;
  return sql<boolean>`case
  when r.alarm_target_type_flag <> ${sql.lit(POINT)} then true
  when r.entity_id = 0 then exists (select from (
      select l.num_value, row_number() over () as place from svc_point_latest l
      where l.tenant_id = r.tenant_id limit ${sql.lit(most + 1)}) l
    where l.num_value is not null or l.place > ${sql.lit(most)})
  else ${hasDevice(most, { of: ofProfile, such })} end`;
}

/** Whether the rule `r` compares, or takes together, more devices than are looked at. */
const hasMorePeers = sql<boolean>`(exists (select from (${membersOf(sql`r.tenant_id`, sql`(r.rule_ext #>> '{content,peers,groupId}')::bigint`, sql`r.entity_id`)}) m
    offset ${sql.lit(MAX_PEERS)}) or r.rule_ext #> '{content,aggregate}' is not null
    and exists (select from (${chosenIds()}) d (id)
      where ${hasPoint(sql`d.id`, sql`r.tenant_id`, sql`r.entity_id`)} offset ${sql.lit(MAX_AGGREGATED)}))`;

/** Whether a rule, stored or not, is not warned of by `PEERS`: more devices taken together are refused when it is given. */
export async function comparesAllPeers(
  q: Queries,
  tenantId: string,
  { entityId, content }: Pick<ActiveRule, 'entityId' | 'content'>,
): Promise<boolean> {
  if (!content.peers) return true;
  const { rows } = await sql<{ more: boolean }>`
    select ${hasMorePeers} as more from (select ${tenantId}::bigint as tenant_id, ${entityId}::bigint as entity_id,
      ${JSON.stringify({ content })}::jsonb as rule_ext) r`.execute(q);
  return rows[0]?.more !== true;
}

/** What the rule `r` needs and of which not all is looked at: limits and places of its tenant, devices of its group. */
const moreThan = (maxLimits: number) => sql<string[]>`array_remove(array[
  case when svc_limit_attributes(r.rule_ext) <> '{}' and ${hasMoreLimits(sql`r.tenant_id`, maxLimits)} then 'LIMITS' end,
  case when r.rule_ext #> '{content,devices}' is not null and ${hasMorePlaces(sql`r.tenant_id`)} then 'PLACES' end,
  case when ${hasMorePeers} then 'PEERS' end], null)`;

/** Of so many values, or closed hours, the average is taken. */
const SAMPLE = sql.lit(20);

/** How far the newest values of each point of a rule `r` are apart on average (ms), of the device `n` that was heard last of those looked at. */
const rates = sql<Record<string, number | null>>`(
  select jsonb_object_agg(o.id, case
      when hot.count >= ${SAMPLE} then extract(epoch from hot.last - hot.first) / (hot.count - 1)
      when hot.count + closed.count > 1 then extract(epoch from
        greatest(hot.last, closed.last) - least(hot.first, closed.first)) / (hot.count + closed.count - 1)
    end::float8 * 1000)
  from (select l.device_id from ${lookedAt(LOOKED_AT.one, ofProfile)} a
      join svc_device d on d.tenant_id = r.tenant_id and d.id = a.id and ${ofProfile}
      join svc_point_latest l on l.tenant_id = d.tenant_id and l.device_id = d.id and l.point_id = r.entity_id
      order by l.create_time desc limit 1) n
  cross join lateral (select r.entity_id as id
    union select value::bigint from jsonb_each_text(r.rule_ext #> '{content,points}')) o
  cross join lateral (select count(*) as count, min(v.create_time) as first, max(v.create_time) as last
    from (select create_time from svc_point_value
      where tenant_id = r.tenant_id and device_id = n.device_id and point_id = o.id
      order by create_time desc limit ${SAMPLE}) v) hot
  cross join lateral (select coalesce(sum(h.value_count), 0) as count, min(h.start) as first, max(h.end_time) as last
    from (select value_count, start, end_time from svc_value_hour
      where tenant_id = r.tenant_id and device_id = n.device_id and point_id = o.id
      order by start desc limit ${SAMPLE}) h) closed
  where coalesce(r.rule_ext #>> '{content,window,hold}', r.rule_ext #>> '{content,window,duration}') is not null)`;

function warningsIn({ ext, target: flag, isThere: found, hasNumber: known, ...row }: Row): Doubt[] {
  const rule = RuleExt.safeParse(ext).data;
  if (!rule) return ['NEVER'];
  const { content } = rule;
  const type = row.type === null ? null : nameOf(ValueType, row.type);
  const points = new Map(
    Object.entries(row.types ?? {}).map(([name, each]) => [name, nameOf(ValueType, each)]),
  );
  const watches = { target: nameOf(AlarmTarget, flag), type, points };
  const isOnNumbers = watches.target === 'POINT' && comparesNumbers(content);
  const isMute = isOnNumbers && !known && (type === null || isNumeric(type));
  return [
    ...(senselessIn(content, watches) ? (['NEVER'] as const) : doubtsIn(content, watches)),
    ...(found ? [] : (['NOTHING'] as const)),
    ...(found && isMute ? (['NO_NUMBER'] as const) : []),
    ...row.more,
    ...(isSparse({ ...row, content }, new Map(Object.entries(row.rates ?? {})))
      ? (['SPARSE'] as const)
      : []),
  ];
}
