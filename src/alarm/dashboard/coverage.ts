import { sql } from 'kysely';
import { z } from 'zod';

import { clamped } from '../../data/dashboard/range.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { AnswerId } from '../../kernel/entity/answer.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { input } from '../../kernel/input/input.ts';
import { AlarmTarget } from '../kind/alarm.ts';
import { STOPPING, Warnings } from '../validation/sense.ts';
import { type Warned, warningsOf } from '../validation/warnings.ts';

const Count = z.number().int();

export const GapQuery = input({ limit: clamped({ most: 200, fallback: 100 }) });
export const CoverageGap = z
  .object({
    totalPoints: Count,
    missingPoints: Count,
    items: z.array(z.object({ pointId: AnswerId, profileId: AnswerId })),
    rules: z
      .array(z.object({ ruleId: AnswerId, ruleName: z.string(), warnings: Warnings }))
      .describe(
        'Enabled rules that cannot fire as things are, by id; `limit` at most, of the first 5,000 rules. Where a rule has more than 100 devices and none of 100 is enabled, or has a number, nothing is said of it',
      ),
  })
  .meta({ id: 'CoverageGap' });
type Gaps = z.output<typeof CoverageGap>;

/**
 * Enabled points that no enabled rule watches, and enabled rules that cannot fire. A rule of all points watches each, one
 * on several points all that it names.
 */
export const coverageGap: Operation<z.output<typeof GapQuery>, Gaps> = async (
  app,
  caller,
  { limit },
) => {
  const [points, first] = await inOneTrip(app.db, caller.tenantId, (q) =>
    Promise.all([unwatched(q, caller, limit), warningsOf(q, caller, { after: '0', limit: STEP })]),
  );
  return { ...points, rules: await withoutEffect(app, caller, { first, most: limit }) };
};

async function unwatched(
  q: Queries,
  { tenantId }: Caller,
  limit: number,
): Promise<Omit<Gaps, 'rules'>> {
  const rules = sql`rule as (select entity_id, rule_ext from svc_rule where tenant_id = ${tenantId}
    and enable_flag = ${EnableFlag.ENABLE} and alarm_target_type_flag = ${AlarmTarget.POINT})`;
  const points = sql`(select p.id, p.profile_id, not (
      exists (select from rule where entity_id = 0) or p.id in (select entity_id from rule) or p.id in (
        select n.value::bigint from rule cross join lateral jsonb_each_text(rule_ext #> '{content,points}') n)) as is_missing
    from svc_point p where p.tenant_id = ${tenantId} and p.enable_flag = ${EnableFlag.ENABLE}) p`;
  const [counts, missing] = await Promise.all([
    sql<{ total: number; missing: number }>`with ${rules} select count(*)::int as total,
      count(*) filter (where is_missing)::int as missing from ${points}`.execute(q),
    sql<{ pointId: string; profileId: string }>`with ${rules} select id as point_id, profile_id
      from ${points} where is_missing order by id limit ${limit}`.execute(q),
  ]);
  const { total = 0, missing: missingPoints = 0 } = counts.rows[0] ?? {};
  return { totalPoints: total, missingPoints, items: missing.rows };
}

/** Rules that are looked at in one statement: other requests are served between them. */
const STEP = 500;
/** Of one request. */
const MAX_STEPS = 10;

/** Goes on from the first rules, by id, until as many that cannot fire are found as are asked for; 5,000 at most. */
async function withoutEffect(
  app: App,
  caller: Caller,
  { first, most }: { first: readonly Warned[]; most: number },
): Promise<Warned[]> {
  const found: Warned[] = [];
  let rules = first;
  for (let step = 1; rules.length > 0; step += 1) {
    found.push(...rules.filter(({ warnings }) => warnings.some((code) => STOPPING.has(code))));
    const after = rules.at(-1)?.ruleId ?? '0';
    if (found.length >= most || rules.length < STEP || step === MAX_STEPS) break;
    rules = await inOneTrip(app.db, caller.tenantId, (q) =>
      warningsOf(q, caller, { after, limit: STEP }),
    );
  }
  return found.slice(0, most);
}
