import { sql } from 'kysely';
import { z } from 'zod';

import { AttributeType } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { Unavailable } from '../../kernel/errors.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import type { AfterBreak } from '../../manager/driver/listening.ts';
import type { Fact } from '../condition/fact.ts';
import { AlarmTarget } from '../kind/alarm.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import { evaluate } from '../rule/evaluate.ts';

const BATCH = 500;

/** The targets of the rules that each kind of message may concern. */
const TARGETS = {
  value: [AlarmTarget.POINT, AlarmTarget.EVENT],
  state: [AlarmTarget.DEVICE, AlarmTarget.DRIVER],
} as const;
type Kind = keyof typeof TARGETS;

const Holding = z.object({
  values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  driverId: z.string(),
  pointId: z.string(),
  pointType: AttributeType.optional(),
});
type Held = {
  tenantId: string;
  ruleId: string;
  target: number;
  entityId: string;
  deviceId: string;
  holding: unknown;
};

/**
 * Fires the rules whose condition has held for its time since its last fact, and ends the alarms whose recovery has: a
 * device that reports changes alone, and an outage, send no second fact. At most 500 a run, those of each tenant in turn; the
 * next run goes on.
 */
export async function scanHeld(app: App, kind: Kind): Promise<void> {
  const now = app.clock.now();
  const held = await acrossTenants(app.db, 'sweeper', (q) => heldStates(q, kind, new Date(now)));
  for (const { tenantId, ruleId, target, entityId, deviceId, holding } of held) {
    const known = Holding.safeParse(holding);
    if (!known.success) continue;
    const fact: Fact = { ...known.data, entityId, deviceId, at: now, heldFor: ruleId };
    await evaluate(app, tenantId, nameOf(AlarmTarget, target), [fact]).catch((error: unknown) => {
      if (error instanceof Unavailable) throw error;
      app.log.error({ error, tenantId, ruleId }, 'a hold time was not ended, retrying');
    });
  }
}

/**
 * The time in which messages of a kind could not be received is no time in which a condition held: what held before goes
 * on after it, except for what values that came meanwhile say.
 */
export const withoutBreak =
  (kind: Kind): AfterBreak =>
  async (q, { from, to }) => {
    const since = sql`greatest(${new Date(from)}::timestamptz, s.holding_since, s.last_fact_time)`;
    await sql`
      update svc_rule_state as s set holding_since = s.holding_since + (${new Date(to)}::timestamptz - ${since})
      from (select id from svc_rule_state
        where entity_state_flag in (${RuleStatus.PENDING}, ${RuleStatus.FIRING})
          and alarm_target_type_flag = any(${[...TARGETS[kind]]}::smallint[])
          and holding_since < ${new Date(to)}::timestamptz
        order by tenant_id, fingerprint collate "C" for update) as held
      where s.id = held.id and ${since} < ${new Date(to)}::timestamptz`.execute(q);
  };

/** Until when what holds has to, of the state `s` of the rule `r`. */
const heldUntil = sql`s.holding_since + case s.entity_state_flag
  when ${RuleStatus.PENDING} then (case r.rule_ext #>> '{content,window,mode}'
    when 'LAST' then r.rule_ext #>> '{content,window,duration}'
    else r.rule_ext #>> '{content,window,hold}' end)::interval
  when ${RuleStatus.FIRING} then (r.rule_ext #>> '{content,recovery,duration}')::interval end`;

async function heldStates(q: Queries, kind: Kind, at: Date): Promise<Held[]> {
  const { rows } = await sql<Held>`
    select * from (select s.tenant_id as "tenantId", s.rule_id as "ruleId",
      s.alarm_target_type_flag as target, s.entity_id as "entityId", s.device_id as "deviceId",
      s.entity_state_ext -> 'holding' as holding,
      row_number() over (partition by s.tenant_id order by s.holding_since, s.id) as turn
    from svc_rule_state s
    join svc_rule r on r.tenant_id = s.tenant_id and r.id = s.rule_id
    join svc_tenant t on t.id = s.tenant_id and t.enable_flag = 0
    where s.alarm_target_type_flag = any(${[...TARGETS[kind]]}::smallint[])
      and s.holding_since is not null and s.entity_state_ext -> 'holding' is not null
      and ${heldUntil} <= ${at}
      and (r.rule_ext #> '{content,window,maxGap}' is null
        or ${heldUntil} <= s.last_fact_time + (r.rule_ext #>> '{content,window,maxGap}')::interval)) held
    order by turn, "tenantId" limit ${BATCH}`.execute(q);
  return rows;
}
