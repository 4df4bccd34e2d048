import { type RawBuilder, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
import type { RuleContent } from '../kind/rule-ext.ts';
import type { ActiveRule } from './fact.ts';
import type { Watches, Wrong } from './sense-window.ts';

/** The most places of the rules of a tenant that watch chosen devices. */
const MAX_PLACES = 100_000;

type Given = Pick<RuleContent, 'devices'>;

/** Chosen devices of a rule on drivers. */
export const oddDevices = ({ devices }: Given, { target }: Watches): Wrong | null =>
  devices && target === 'DRIVER'
    ? { at: 'devices', why: 'the rule watches drivers: leave the devices out' }
    : null;

/** Throws BadRequest for devices and groups that are not there, and for devices without the point. */
export async function requireDevices(
  q: Queries,
  tenantId: string,
  { devices }: Given,
  watched: { profileId: string } | null,
): Promise<void> {
  if (!devices) return;
  const { ids = [], groupIds = [] } = devices;
  const [known, groups] = await Promise.all([
    q
      .selectFrom('svc_device')
      .select(['id', 'profileId'])
      .where('tenantId', '=', tenantId)
      .where((eb) => eb('id', '=', eb.fn.any(eb.val(ids))))
      .execute(),
    q
      .selectFrom('svc_group')
      .select('id')
      .where('tenantId', '=', tenantId)
      .where('entityTypeFlag', '=', EntityType.DEVICE)
      .where((eb) => eb('id', '=', eb.fn.any(eb.val(groupIds))))
      .execute(),
  ]);
  const found = new Map(known.map(({ id, profileId }) => [id, profileId]));
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length > 0) throw refused('ids', `there is no device ${missing.join(', ')}`);
  const without = watched ? ids.filter((id) => found.get(id) !== watched.profileId) : [];
  if (without.length > 0)
    throw refused('ids', `device ${without.join(', ')} does not have the point`);
  const unknown = groupIds.filter((id) => !groups.some((group) => group.id === id));
  if (unknown.length > 0)
    throw refused('groupIds', `there is no group of devices ${unknown.join(', ')}`);
}

function refused(of: keyof NonNullable<Given['devices']>, why: string): BadRequest {
  const path = `ruleExt.content.devices.${of}`;
  return new BadRequest(`${path}: ${why}`, { fields: { [path]: why } });
}

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

/** The devices of the rules that watch chosen ones, by rule: of the tenant, or of one rule. */
export async function placesIn(q: Queries, tenantId: string, ruleId?: string): Promise<Places> {
  const list = (key: string) =>
    sql`select value::bigint from jsonb_array_elements_text(r.rule_ext #> ${sql.lit(`{content,devices,${key}}`)})`;
  const { rows } = await sql<{ rule: string; device: string }>`
    select r.id as rule, d.id as device from svc_rule r
    cross join lateral (${list('ids')} union
      select b.entity_id from svc_group_bind b where b.tenant_id = r.tenant_id and ${enabledBind}
        and b.group_id in (${list('groupIds')})) d (id)
    where r.tenant_id = ${tenantId} and r.rule_ext #> '{content,devices}' is not null
      and ${ruleId === undefined ? sql`true` : sql`r.id = ${ruleId}`}
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
