import { type RawBuilder, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
import { MAX_AGGREGATED } from './aggregate.ts';
import type { ActiveRule } from './fact.ts';

/** The most places of the rules of a tenant that watch chosen devices. */
const MAX_PLACES = 100_000;

const enabledBind = sql`b.entity_type_flag = ${EntityType.DEVICE} and b.enable_flag = ${EnableFlag.ENABLE}`;

/** Whether the rule with this ext watches a device, as SQL of the tenant in `tenantId`. */
export const watchesDevice = (
  ext: RawBuilder<unknown>,
  tenantId: RawBuilder<unknown>,
  deviceId: RawBuilder<unknown>,
): RawBuilder<boolean> => sql<boolean>`(${ext} #> '{content,devices}' is null
    or coalesce(jsonb_exists(${ext} #> '{content,devices,ids}', ${deviceId}::text), false)
    or exists (select from svc_group_bind b where b.tenant_id = ${tenantId} and b.entity_id = ${deviceId}
      and ${enabledBind} and jsonb_exists(${ext} #> '{content,devices,groupIds}', b.group_id::text)))`;

/** Whether drivers serve the device with this name in a query: they do where it, its driver and its profile are enabled. */
export const isServed = (device: string): RawBuilder<boolean> => sql<boolean>`exists (
    select from svc_driver v join svc_profile f on f.tenant_id = v.tenant_id
    where v.tenant_id = ${sql.ref(`${device}.tenant_id`)} and v.id = ${sql.ref(`${device}.driver_id`)}
      and f.id = ${sql.ref(`${device}.profile_id`)}
      and greatest(${sql.ref(`${device}.enable_flag`)}, v.enable_flag, f.enable_flag) = ${sql.lit(EnableFlag.ENABLE)})`;

/**
 * A device that a rule judges with others: it is enabled and has the point. `whether: 'served'`: only while its driver and
 * its profile are enabled too.
 */
export const hasPoint = (
  deviceId: RawBuilder<unknown>,
  tenantId: RawBuilder<unknown>,
  pointId: RawBuilder<unknown>,
  whether: 'served' | 'any' = 'served',
): RawBuilder<boolean> => sql<boolean>`exists (select from svc_device j
    join svc_point p on p.tenant_id = j.tenant_id and p.profile_id = j.profile_id and p.id = ${pointId}
    where j.tenant_id = ${tenantId} and j.id = ${deviceId}
      and ${whether === 'served' ? isServed('j') : sql`j.enable_flag = ${sql.lit(EnableFlag.ENABLE)}`})`;

type Place = { devices: ReadonlyMap<string, string>; groupNames: readonly string[] };
export type Places = { of: ReadonlyMap<string, Place>; isCut: boolean };

const list = (key: string) =>
  sql`select value::bigint from jsonb_array_elements_text(r.rule_ext #> ${sql.lit(`{content,devices,${key}}`)})`;

const isAggregated = sql`r.rule_ext #> '{content,aggregate}' is not null`;

/** With the names of devices and groups that alarms of all of them name. */
const NAMED = sql`r.id as rule, d.id as device, case when ${isAggregated} then coalesce((select n.device_name
    from svc_device n where n.tenant_id = r.tenant_id and n.id = d.id), '') else '' end as name,
  case when ${isAggregated} then array(select g.group_name from svc_group g
    where g.tenant_id = r.tenant_id and g.id in (${list('groupIds')}) order by g.id limit 20)
    else '{}' end as groups`;

/** The ids of the devices that the rule `r` chooses, of its groups `most` at most. */
export const chosenIds = (most?: number): RawBuilder<unknown> => sql`${list('ids')} union
  (select b.entity_id from svc_group_bind b where b.tenant_id = r.tenant_id and ${enabledBind}
    and b.group_id in (${list('groupIds')}) limit ${sql.lit(most ?? null)})`;

const MEMBERS = sql`(${chosenIds()}) m (id)`;

/** The devices of the rules `r` that watch chosen ones; those that are judged together are not too many. */
const chosenBy = (
  tenantId: RawBuilder<unknown>,
  columns: RawBuilder<unknown> = sql`r.id as rule, d.id as device`,
) => sql`
  select ${columns} from svc_rule r
  cross join lateral (
    select m.id from ${MEMBERS} where not ${isAggregated}
    union all (select m.id from ${MEMBERS} where ${isAggregated}
      and ${hasPoint(sql`m.id`, sql`r.tenant_id`, sql`r.entity_id`)} order by m.id limit ${sql.lit(MAX_AGGREGATED)})) d (id)
  where r.tenant_id = ${tenantId} and r.rule_ext #> '{content,devices}' is not null`;

/** Whether the rules of the tenant in `tenantId` choose more places than are read. */
export const hasMorePlaces = (tenantId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`exists (select from (${chosenBy(tenantId)}) chosen offset ${sql.lit(MAX_PLACES)})`;

/** The devices of the rules that watch chosen ones, by rule: of the tenant, or of one rule. */
export async function placesIn(q: Queries, tenantId: string, ruleId?: string): Promise<Places> {
  const { rows } = await sql<{ rule: string; device: string; name: string; groups: string[] }>`
    ${chosenBy(sql`${tenantId}::bigint`, NAMED)} and ${ruleId === undefined ? sql`true` : sql`r.id = ${ruleId}`}
    order by r.id, d.id limit ${MAX_PLACES + 1}`.execute(q);
  const places = new Map<string, { devices: Map<string, string>; groupNames: string[] }>();
  for (const { rule, device, name, groups } of rows.slice(0, MAX_PLACES)) {
    const known = places.get(rule) ?? { devices: new Map(), groupNames: groups };
    known.devices.set(device, name);
    places.set(rule, known);
  }
  return { of: places, isCut: rows.length > MAX_PLACES };
}

const NONE: Place = { devices: new Map(), groupNames: [] };

/** A rule with its devices, where it watches chosen ones. */
export function withDevices(rule: ActiveRule, { of }: Pick<Places, 'of'>): ActiveRule {
  const { devices, aggregate } = rule.content;
  if (!devices) return rule;
  const place = of.get(rule.id) ?? NONE;
  return { ...rule, ...(aggregate ? place : { devices: place.devices }) };
}

/** As `withDevices`, of one stored rule; a query only where it watches chosen devices. */
export const placed = async (q: Queries, tenantId: string, rule: ActiveRule): Promise<ActiveRule> =>
  rule.content.devices ? withDevices(rule, await placesIn(q, tenantId, rule.id)) : rule;

/** Whether a rule watches a device, 0: all of its devices; one of chosen devices watches none before they are known. */
export const watches = (
  { content, devices = NONE.devices }: ActiveRule,
  deviceId: string,
): boolean =>
  !content.devices ||
  devices.has(deviceId) ||
  (content.aggregate !== undefined && deviceId === '0');
