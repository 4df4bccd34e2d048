import { type RawBuilder, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { EnableFlag, nameOf } from '../../kernel/input/flag.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { isSecret } from '../../manager/entity/secret-value.ts';
import { isNumeric, ValueType } from '../../manager/entity/value-type.ts';
import { attributeIn, type Condition } from '../kind/condition.ts';
import type { RuleContent } from '../kind/rule-ext.ts';
import type { ActiveRule, Fact } from './fact.ts';

/** Limits by device, and by `device:point`, which goes before it. */
export type Limits = ReadonlyMap<string, number>;

/** Drivers that have an attribute of one code. */
const MAX_DRIVERS = 1_000;
/** The most limits of devices that the rules of a tenant read. */
const MAX_LIMITS = 100_000;

/** Throws BadRequest where the condition takes its limit from an attribute that gives no device a number. */
export async function requireAttribute(
  q: Queries,
  tenantId: string,
  { condition }: RuleContent,
): Promise<void> {
  const code = attributeIn(condition);
  if (code === undefined) return;
  const of = (kind: 'driver' | 'point') =>
    q
      .selectFrom(`svc_${kind}_attribute`)
      .select(['attributeTypeFlag', 'attributeExt'])
      .where('tenantId', '=', tenantId)
      .where('attributeCode', '=', code)
      .limit(MAX_DRIVERS)
      .execute();
  const rows = (await Promise.all([of('driver'), of('point')])).flat();
  const open = rows.filter(({ attributeExt }) => !isSecret(attributeExt));
  if (open.some((row) => isNumeric(nameOf(ValueType, row.attributeTypeFlag)))) return;
  const why =
    rows.length === 0
      ? `no driver has an attribute ${quoted(code)} for devices or points: add one to the driver first`
      : `the attribute ${quoted(code)} is no number that can be read: a limit is of a numeric type, and not secret`;
  const path = 'ruleExt.content.condition.attribute';
  throw new BadRequest(`${path}: ${why}`, { fields: { [path]: why } });
}

type KnownLimits = { of: ReadonlyMap<string, Limits>; isCut: boolean };

/** All that rules of the tenant name, one of its rules, or an attribute by its code. */
type Named = { ruleId?: string; code?: string | undefined };

/** The limits of devices by the code of their attribute. */
export async function limitsIn(
  q: Queries,
  tenantId: string,
  named: Named = {},
): Promise<KnownLimits> {
  const rows = await limitRows(q, tenantId, named);
  const limits = new Map<string, Map<string, number>>();
  for (const { code, place, value } of rows.slice(0, MAX_LIMITS)) {
    const limit = Number(value);
    if (value.trim() === '' || !Number.isFinite(limit)) continue;
    const known = limits.get(code) ?? new Map<string, number>();
    limits.set(code, known.set(place, limit));
  }
  return { of: limits, isCut: rows.length > MAX_LIMITS };
}

/** A rule with the limits of the devices for which the attribute that it names has a config. */
export function withLimits(rule: ActiveRule, { of }: KnownLimits): ActiveRule {
  const limits = of.get(attributeIn(rule.content.condition) ?? '');
  return limits ? { ...rule, limits } : rule;
}

/** As `withLimits`, of one rule; a query only where it names an attribute. */
export async function limited(q: Queries, tenantId: string, rule: ActiveRule): Promise<ActiveRule> {
  const code = attributeIn(rule.content.condition);
  return code === undefined ? rule : withLimits(rule, await limitsIn(q, tenantId, { code }));
}

const NUMERIC = Object.values(ValueType).filter((flag) => isNumeric(nameOf(ValueType, flag)));

type Row = { code: string; place: string; value: string };

/** In one statement, so that it goes with those that read the rules. */
async function limitRows(q: Queries, tenantId: string, { ruleId, code }: Named): Promise<Row[]> {
  const named =
    code === undefined
      ? sql`in (select rule_ext #>> '{content,condition,attribute}' from svc_rule
          where tenant_id = ${tenantId} and rule_ext #>> '{content,condition,attribute}' is not null
            and ${ruleId === undefined ? sql`true` : sql`id = ${ruleId}`})`
      : sql`= ${code}`;
  const of = (kind: 'driver' | 'point', place: RawBuilder<string>) => sql`
    select a.attribute_code as code, ${place} as place, c.config_value as value
    from ${sql.table(`svc_${kind}_attribute`)} a
    join ${sql.table(`svc_${kind}_attribute_config`)} c on c.tenant_id = a.tenant_id and c.attribute_id = a.id
    where a.tenant_id = ${tenantId} and a.attribute_code ${named}
      and a.attribute_type_flag = any(${NUMERIC}::smallint[]) and c.enable_flag = ${EnableFlag.ENABLE}`;
  const { rows } = await sql<Row>`
    ${of('driver', sql`c.device_id::text`)} union all ${of('point', sql`c.device_id || ':' || c.point_id`)}
    limit ${MAX_LIMITS + 1}`.execute(q);
  return rows;
}

type Place = Pick<Fact, 'deviceId' | 'pointId'>;

/** What a rule says for a device: with its limit, where it has one. Levels and recovery keep their distance from it. */
export const contentAt = (content: RuleContent, limits: Limits, place: Place): RuleContent => {
  const limit = limitAt(content.condition, limits, place);
  return limit === null ? content : withLimit(content, limit);
};

/** Null where a condition names no attribute. */
function limitAt(condition: Condition, limits: Limits, place: Place): number | null {
  if (!('attribute' in condition) || condition.attribute === undefined) return null;
  const { deviceId, pointId } = place;
  return limits.get(`${deviceId}:${pointId}`) ?? limits.get(deviceId) ?? condition.threshold;
}

const NONE: Limits = new Map();
/** Of each rule as it was read, what it is for each limit. */
const PLACED = new WeakMap<ActiveRule, Map<number, ActiveRule>>();

/** A rule as `contentAt`; one for each limit, because what is known of a condition is known by its object. */
export function atPlace(rule: ActiveRule, place: Place): ActiveRule {
  const { limits = NONE, content } = rule;
  const limit = limitAt(content.condition, limits, place);
  if (limit === null) return rule;
  const placed = PLACED.get(rule) ?? new Map<number, ActiveRule>();
  PLACED.set(rule, placed);
  const known = placed.get(limit) ?? { ...rule, content: withLimit(content, limit) };
  placed.set(limit, known);
  return known;
}

function withLimit(content: RuleContent, limit: number): RuleContent {
  const { condition, recovery, levels } = content;
  if (!('attribute' in condition)) return content;
  const { attribute: _, ...plain } = condition;
  const moved = (threshold: number): number =>
    Number((threshold + (limit - plain.threshold)).toPrecision(12));
  return {
    ...content,
    condition: { ...plain, threshold: limit },
    recovery:
      recovery.threshold === undefined
        ? recovery
        : { ...recovery, threshold: moved(recovery.threshold) },
    ...(levels && {
      levels: levels.map((level) => ({ ...level, threshold: moved(level.threshold) })),
    }),
  };
}
