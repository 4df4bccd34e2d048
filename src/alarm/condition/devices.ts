import { type RawBuilder, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
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

export type Places = { of: ReadonlyMap<string, ReadonlySet<string>>; isCut: boolean };

const list = (key: string) =>
  sql`select value::bigint from jsonb_array_elements_text(r.rule_ext #> ${sql.lit(`{content,devices,${key}}`)})`;

/** The devices of the rules `r` that watch chosen ones. */
const chosenBy = (tenantId: RawBuilder<unknown>) => sql`
  select r.id as rule, d.id as device from svc_rule r
  cross join lateral (${list('ids')} union
    select b.entity_id from svc_group_bind b where b.tenant_id = r.tenant_id and ${enabledBind}
      and b.group_id in (${list('groupIds')})) d (id)
  where r.tenant_id = ${tenantId} and r.rule_ext #> '{content,devices}' is not null`;

/** Whether the rules of the tenant in `tenantId` choose more places than are read. */
export const hasMorePlaces = (tenantId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`exists (select from (${chosenBy(tenantId)}) chosen offset ${sql.lit(MAX_PLACES)})`;

/** The devices of the rules that watch chosen ones, by rule: of the tenant, or of one rule. */
export async function placesIn(q: Queries, tenantId: string, ruleId?: string): Promise<Places> {
  const { rows } = await sql<{ rule: string; device: string }>`
    ${chosenBy(sql`${tenantId}::bigint`)} and ${ruleId === undefined ? sql`true` : sql`r.id = ${ruleId}`}
    order by r.id limit ${MAX_PLACES + 1}`.execute(q);
  const places = new Map<string, Set<string>>();
  for (const { rule, device } of rows.slice(0, MAX_PLACES)) {
    const known = places.get(rule) ?? new Set();
    places.set(rule, known.add(device));
  }
  return { of: places, isCut: rows.length > MAX_PLACES };
}

const NONE: ReadonlySet<string> = new Set();

/** A rule with its devices, where it watches chosen ones. */
export const withDevices = (rule: ActiveRule, { of }: Pick<Places, 'of'>): ActiveRule =>
  rule.content.devices ? { ...rule, devices: of.get(rule.id) ?? NONE } : rule;

/** As `withDevices`, of one stored rule; a query only where it watches chosen devices. */
export const placed = async (q: Queries, tenantId: string, rule: ActiveRule): Promise<ActiveRule> =>
  rule.content.devices ? withDevices(rule, await placesIn(q, tenantId, rule.id)) : rule;

/** Whether a rule watches a device; one of chosen devices watches none before they are known. */
export const watches = ({ content, devices = NONE }: ActiveRule, deviceId: string): boolean =>
  !content.devices || devices.has(deviceId);
