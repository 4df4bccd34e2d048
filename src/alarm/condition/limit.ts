import { type RawBuilder, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { EnableFlag, nameOf } from '../../kernel/input/flag.ts';
import { isNumeric, ValueType } from '../../manager/entity/value-type.ts';
import {
  Condition,
  isSet,
  namedLimits,
  type NamedLimit,
  type Part,
  partsOf,
} from '../kind/condition.ts';
import type { RuleContent } from '../kind/rule-ext.ts';
import type { ActiveRule, Fact } from './fact.ts';

/** Limits by device, and by `device:point`, which goes before it. */
type Limits = ReadonlyMap<string, number>;

/** The most limits of devices that the rules of a tenant read. */
export const MAX_LIMITS = 100_000;

/** The attributes from which a condition takes limits. */
export const codesIn = ({ condition }: Pick<RuleContent, 'condition'>): string[] => [
  ...new Set(namedLimits(condition).map(({ code }) => code)),
];

type KnownLimits = { of: ReadonlyMap<string, Limits>; isCut: boolean };

/** All that rules of the tenant name, one of its rules, or attributes by their codes. */
type Named = { ruleId?: string; codes?: readonly string[] };

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

/** A rule with the limits of the devices for which the attributes that it names have a config. */
export function withLimits(rule: ActiveRule, { of }: KnownLimits): ActiveRule {
  const own = codesIn(rule.content).flatMap((code) => {
    const limits = of.get(code);
    return limits ? [[code, limits] as const] : [];
  });
  return own.length === 0 ? rule : { ...rule, limits: new Map(own) };
}

/** As `withLimits`, of one rule; a query only where it names an attribute. */
export async function limited(q: Queries, tenantId: string, rule: ActiveRule): Promise<ActiveRule> {
  const codes = codesIn(rule.content);
  return codes.length === 0 ? rule : withLimits(rule, await limitsIn(q, tenantId, { codes }));
}

const NUMERIC = Object.values(ValueType).filter((flag) => isNumeric(nameOf(ValueType, flag)));

type Row = { code: string; place: string; value: string };

/** In one statement, so that it goes with those that read the rules. */
const limitRows = async (q: Queries, tenantId: string, named: Named): Promise<Row[]> =>
  (await sql<Row>`${limitsOf(sql`${tenantId}::bigint`, named)} limit ${MAX_LIMITS + 1}`.execute(q))
    .rows;

/** Whether the rules of the tenant in `tenantId` name more limits of devices than `most`, those that are read. */
export const hasMoreLimits = (tenantId: RawBuilder<unknown>, most: number): RawBuilder<boolean> =>
  sql<boolean>`exists (select from (${limitsOf(tenantId)}) named offset ${most}::int)`;

function limitsOf(
  tenantId: RawBuilder<unknown>,
  { ruleId, codes }: Named = {},
): RawBuilder<unknown> {
  const named =
    codes === undefined
      ? sql`in (select unnest(svc_limit_attributes(rule_ext)) from svc_rule
          where svc_rule.tenant_id = ${tenantId} and svc_limit_attributes(rule_ext) <> '{}' and ${ruleId === undefined ? sql`true` : sql`id = ${ruleId}`})`
      : sql`= any(${codes}::text[])`;
  const of = (kind: 'driver' | 'point', place: RawBuilder<string>) => sql`
    select a.attribute_code as code, ${place} as place, c.config_value as value
    from ${sql.table(`svc_${kind}_attribute`)} a
    join ${sql.table(`svc_${kind}_attribute_config`)} c on c.tenant_id = a.tenant_id and c.attribute_id = a.id
    where a.tenant_id = ${tenantId} and a.attribute_code ${named}
      and a.attribute_type_flag = any(${NUMERIC}::smallint[]) and c.enable_flag = ${EnableFlag.ENABLE}`;
  return sql`${of('driver', sql`c.device_id::text`)}
    union all ${of('point', sql`c.device_id || ':' || c.point_id`)}`;
}

type Place = Pick<Fact, 'deviceId' | 'pointId'>;
type LimitsByCode = ReadonlyMap<string, Limits>;

/** What a rule says for a device: with its limits, where it has some. Levels and recovery keep their distance from one. */
export const contentAt = (
  content: RuleContent,
  limits: LimitsByCode,
  place: Place,
): RuleContent => {
  const named = namedLimits(content.condition);
  return named.length === 0
    ? content
    : withThose(content, limitsAt(named, content, { limits, place }));
};

/** The limits at a place, in the order in which the condition names them. */
const limitsAt = (
  named: readonly NamedLimit[],
  { points = {} }: RuleContent,
  { limits, place: { deviceId, pointId } }: { limits: LimitsByCode; place: Place },
): number[] =>
  named.map(({ code, point, own }) => {
    const of = limits.get(code);
    const id = point === undefined ? pointId : (points[point] ?? '');
    return of?.get(`${deviceId}:${id}`) ?? of?.get(deviceId) ?? own;
  });

const NONE: LimitsByCode = new Map();
/** Of each rule as it was read, the limits that it names, and what it is with other ones. */
type Known = { named: readonly NamedLimit[]; placed: Map<string, ActiveRule> };
const PLACED = new WeakMap<ActiveRule, Known>();

/** A rule as `contentAt`; one for the same limits, because what is known of a condition is known by its object. */
export function atPlace(rule: ActiveRule, place: Place): ActiveRule {
  const { limits = NONE, content } = rule;
  const known = PLACED.get(rule) ?? { named: namedLimits(content.condition), placed: new Map() };
  PLACED.set(rule, known);
  const { named, placed } = known;
  if (named.length === 0) return rule;
  const own = limitsAt(named, content, { limits, place });
  const key = own.join(' ');
  const there = placed.get(key) ?? { ...rule, content: withThose(content, own) };
  placed.set(key, there);
  return there;
}

function withThose(content: RuleContent, limits: readonly number[]): RuleContent {
  const { condition, recovery, levels } = content;
  const placed = Condition.parse(limitedBy(condition, limits[Symbol.iterator]()));
  if (!('threshold' in condition)) return { ...content, condition: placed };
  const limit = limits[0] ?? condition.threshold;
  const moved = (threshold: number): number =>
    Number((threshold + (limit - condition.threshold)).toPrecision(12));
  return {
    ...content,
    condition: placed,
    recovery:
      recovery.threshold === undefined
        ? recovery
        : { ...recovery, threshold: moved(recovery.threshold) },
    ...(levels && {
      levels: levels.map((level) => ({ ...level, threshold: moved(level.threshold) })),
    }),
  };
}

/** A condition with the next limits in place of those that it names. */
function limitedBy(condition: Condition | Part, next: Iterator<number, undefined>): object {
  const of = (code: string | undefined, own: number): number =>
    code === undefined ? own : (next.next().value ?? own);
  if (isSet(condition)) {
    const parts = partsOf(condition).map((part) => limitedBy(part, next));
    return { ...condition, [condition.operator]: parts };
  }
  if ('threshold' in condition) {
    const { attribute, ...plain } = condition;
    return attribute === undefined
      ? condition
      : { ...plain, threshold: of(attribute, plain.threshold) };
  }
  if (!('low' in condition)) return condition;
  const { lowAttribute, highAttribute, ...plain } = condition;
  const low = of(lowAttribute, plain.low);
  const high = of(highAttribute, plain.high);
  return low > high ? plain : { ...plain, low, high };
}
