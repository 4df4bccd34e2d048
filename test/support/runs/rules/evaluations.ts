import { sql } from 'kysely';

import type { Fact } from '../../../../src/alarm/condition/fact.ts';
import type { AlarmTarget } from '../../../../src/alarm/kind/alarm.ts';
import { evaluate } from '../../../../src/alarm/rule/evaluate.ts';
import { inTenant } from '../../../../src/db/tenant.ts';
import { addTo } from '../../devices/notify.ts';
import { onboardQuiet } from '../../devices/plant.ts';
import type { World } from '../../world/app.ts';
import { fresh } from '../../world/fresh-name.ts';

/** Evaluations at the same time, of one fingerprint. */
const AT_ONCE = 64;

/** What there is after all rounds, of one rule. */
export type Counted = { what: string; states: number; counted: number; alarms: number };

/**
 * The same fact, 64 times at once in these data centers, makes an alarm in each round and ends it; and so many reports
 * of an event that each center gets count once each, and raise one alarm.
 */
export async function runEvaluations(
  worlds: readonly [World, ...World[]],
  rounds: number,
): Promise<{ found: Counted[]; expected: Counted[] }> {
  const [world] = worlds;
  const session = await world.tenant(fresh('parallel'));
  const { tenantId } = session;
  const { deviceId, driverId, temperature } = await onboardQuiet(world, session);
  const rule = (target: AlarmTarget, entityId: string, field: string): Promise<string> =>
    addTo(session, 'rule', {
      ruleName: fresh('parallel'),
      alarmTargetTypeFlag: target,
      entityId,
      ruleExt: { content: { condition: { field, operator: '>', threshold: 90 } } },
    });
  const hot = await rule('POINT', temperature, 'value');
  const reported = await rule('EVENT', '0', 'paramValues.level');
  const atOnce = (
    target: AlarmTarget,
    factOf: (n: number) => Omit<Fact, 'deviceId' | 'driverId'>,
  ) =>
    Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) => {
        const { app } = worlds[n % worlds.length] ?? world;
        const fact = { ...factOf(Math.floor(n / worlds.length)), deviceId, driverId };
        return evaluate(app, tenantId, target, [fact]);
      }),
    );
  for (let round = 0; round < rounds; round += 1) {
    for (const value of [95, 20]) {
      world.clock.shift(1_000);
      const at = world.clock.now();
      const point = { entityId: temperature, pointId: temperature, values: { value }, at };
      await atOnce('POINT', () => point);
    }
    const at = world.clock.now();
    const values = { 'paramValues.level': 95 };
    const event = { entityId: '0', pointId: '0', values, at };
    await atOnce('EVENT', (n) => ({ ...event, reportId: `${round}:${n}` }));
  }
  const countOf = async (what: string, ruleId: string): Promise<Counted> => {
    const { rows } = await inTenant(world.app.db, tenantId, (q) =>
      sql<Omit<Counted, 'what'>>`select
        (select count(*)::int from svc_rule_state where tenant_id = ${tenantId} and rule_id = ${ruleId}) as states,
        (select sum(trigger_count)::int from svc_rule_state where tenant_id = ${tenantId} and rule_id = ${ruleId}) as counted,
        (select count(*)::int from svc_entity_alarm where tenant_id = ${tenantId} and rule_id = ${ruleId}) as alarms`.execute(
        q,
      ),
    );
    return { what, states: 0, counted: 0, alarms: 0, ...rows[0] };
  };
  const reports = AT_ONCE / worlds.length;
  return {
    found: [await countOf('values', hot), await countOf('events', reported)],
    expected: [
      { what: 'values', states: 1, counted: rounds, alarms: rounds },
      { what: 'events', states: 1, counted: rounds * reports, alarms: 1 },
    ],
  };
}
