import type { Selectable } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { RuleTable } from '../../db/schema/alarm.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { EnableFlag, nameOf } from '../../kernel/input/flag.ts';
import { slot } from '../../kernel/slot.ts';
import { TtlCache } from '../../kernel/ttl-cache.ts';
import { type DeviceVersion, requirePresent } from '../../manager/device/version.ts';
import { placesIn, withDevices } from '../condition/devices.ts';
import type { ActiveRule } from '../condition/fact.ts';
import { limitsIn, withLimits } from '../condition/limit.ts';
import { pointsOf } from '../condition/points.ts';
import { AlarmTarget } from '../kind/alarm.ts';
import { RuleExt } from '../kind/rule-ext.ts';

/** Enabled rules of one tenant by target and entity; 0 means every entity. */
type Index = Record<AlarmTarget, ReadonlyMap<string, readonly ActiveRule[]>>;
type Known = { index: Index; version: string };

export type Candidates = (entityId: string) => readonly ActiveRule[];

/**
 * Where a rule is evaluated, the transaction compares the version. Facts that no known rule watches have none, and a
 * trip of their own would cost more than their storing: the first rule on them, made by another process, acts when
 * this one has seen its version, as every batch that it stores does, and this much later at the latest.
 */
const TTL_MS = 5_000;
const MAX_TENANTS = 1_000;
/** Enabled rules of a tenant; the next one is refused (rule.ts). */
export const MAX_RULES = 10_000;
/** Rules that were added at the same time as the last of them. */
const MORE = 1_000;

const RULES = slot((clock) => new TtlCache<Known>(clock, TTL_MS, MAX_TENANTS));

export const forgetRules = (app: App, tenantId: string): void => app.of(RULES).delete(tenantId);

/** The rules for a target; without a query while the tenant's rules of this version are cached. */
export async function rulesFor(
  app: App,
  at: DeviceVersion,
  target: AlarmTarget,
): Promise<Candidates> {
  const { [target]: index } = await indexOf(app, at);
  const every = index.get('0') ?? [];
  return (entityId) => {
    const own = index.get(entityId);
    if (!own || entityId === '0') return every;
    return every.length > 0 ? [...every, ...own] : own;
  };
}

async function indexOf(app: App, at: DeviceVersion): Promise<Index> {
  const { tenantId, version } = at;
  const known = app.of(RULES).get(tenantId);
  if (known?.version === version) return known.index;
  const rules = await inOneTrip(app.db, tenantId, async (q) => {
    const [read] = await Promise.all([activeRules(app, q, tenantId), requirePresent(q, at)]);
    return read;
  });
  const index = {
    POINT: byEntity(rules, 'POINT'),
    DEVICE: byEntity(rules, 'DEVICE'),
    DRIVER: byEntity(rules, 'DRIVER'),
    EVENT: byEntity(rules, 'EVENT'),
  };
  app.of(RULES).set(tenantId, { index, version });
  return index;
}

function byEntity(
  rules: readonly ActiveRule[],
  target: AlarmTarget,
): ReadonlyMap<string, readonly ActiveRule[]> {
  const index = new Map<string, ActiveRule[]>();
  for (const rule of rules) {
    if (rule.target !== target) continue;
    for (const id of pointsOf(rule)) {
      const known = index.get(id);
      if (known) known.push(rule);
      else index.set(id, [rule]);
    }
  }
  return index;
}

async function activeRules(app: App, q: Queries, tenantId: string): Promise<ActiveRule[]> {
  const known = q
    .selectFrom('svc_rule')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('enableFlag', '=', EnableFlag.ENABLE)
    .orderBy('id')
    .limit(MAX_RULES + MORE)
    .execute();
  const [rows, limits, places] = await Promise.all([
    known,
    limitsIn(q, tenantId),
    placesIn(q, tenantId),
  ]);
  const read = rows.flatMap((row) => {
    const rule = activeRule(row);
    if (rule) return rule;
    app.log.warn({ tenantId, rule: row.id }, 'a stored rule cannot be read and is left out');
    return [];
  });
  if (limits.isCut)
    app.log.warn({ tenantId }, 'too many devices have limits of their own: some are left out');
  if (places.isCut)
    app.log.warn({ tenantId }, 'too many devices are chosen for rules: some are left out');
  return read.map((rule) => withDevices(withLimits(rule, limits), places));
}

/** Null if the rule's ext cannot be parsed. */
export function activeRule(row: Selectable<RuleTable>): ActiveRule | null {
  const ext = RuleExt.safeParse(row.ruleExt);
  if (!ext.success) return null;
  return {
    id: row.id,
    name: row.ruleName,
    code: row.ruleCode,
    target: nameOf(AlarmTarget, row.alarmTargetTypeFlag),
    entityId: row.entityId,
    notifyId: row.notifyId,
    messageId: row.messageId,
    content: ext.data.content,
    since: row.operateTime.getTime(),
  };
}
