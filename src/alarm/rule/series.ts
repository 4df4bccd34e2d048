import { type RawBuilder, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { ofAll } from '../condition/aggregate.ts';
import { watches } from '../condition/devices.ts';
import { type Evaluated, type Fact, fingerprintOf, matchOf } from '../condition/fact.ts';
import type { ActiveRule } from '../condition/fact.ts';
import { atPlace } from '../condition/limit.ts';
import { type Groups, withPeers } from '../condition/peers.ts';
import { ofRule } from '../condition/points.ts';
import { remembers, seenOf } from '../condition/seen.ts';
import { AlarmTarget } from '../kind/alarm.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import { changed, decide, remembered } from './decide.ts';
import type { Candidates } from './rule-cache.ts';
import type { State } from './state-row.ts';

/** The facts of one state that decide its rule, in their order. */
export type Series = { rule: ActiveRule; fingerprint: string; facts: readonly Fact[] };

const NO_GROUPS: Groups = new Map();

/**
 * Passes an array as a subselect, which hides its length from PostgreSQL's planner. A planner that knows the length
 * estimates the plan for one call below the generic plan, and plans the statement again for each batch of values;
 * planning takes longer than the statement.
 */
const list = <T>(of: readonly T[], type: string): RawBuilder<T[]> =>
  sql`(select ${of}::${sql.raw(type)}[])`;

/** One order for all evaluations, in which they lock states. */
export function seriesOf(
  candidates: Candidates,
  facts: readonly Fact[],
  groups: Groups = NO_GROUPS,
): Series[] {
  const all = new Map<string, Series & { facts: Fact[] }>();
  for (const given of facts)
    for (const found of candidates(given.entityId)) {
      if (!watches(found, given.deviceId)) continue;
      const fact = withPeers(found, ofAll(found, ofRule(found, given)), groups);
      const rule = atPlace(found, fact);
      if ((fact.silentFor ?? fact.heldFor ?? rule.id) !== rule.id) continue;
      if (!remembers({ rule, fact }) && matchOf({ rule, fact }) === null) continue;
      const fingerprint = fingerprintOf({ rule, fact });
      const series = all.get(fingerprint);
      if (series) series.facts.push(fact);
      else all.set(fingerprint, { rule, fingerprint, facts: [fact] });
    }
  for (const { facts: some } of all.values())
    some.sort((a, b) => a.at - b.at || Number((a.seq ?? 0n) - (b.seq ?? 0n)));
  return [...all.values()].toSorted((a, b) =>
    a.fingerprint < b.fingerprint ? -1 : Number(a.fingerprint > b.fingerprint),
  );
}

/**
 * The states of some series, by fingerprint, locked in one order. Those that are missing are made first, of rules that
 * are as the memory has them; without its rule a series has no state.
 */
export async function statesOf(
  q: Queries,
  tenantId: string,
  some: readonly Series[],
  now: number,
): Promise<Map<string, State>> {
  // An event that does not match leaves no state.
  const made = some.filter(({ rule }) => rule.target !== 'EVENT');
  const [, states] = await Promise.all([
    made.length > 0 && begin(q, tenantId, made, now),
    q
      .selectFrom('svc_rule_state')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where(
        sql<boolean>`fingerprint = any(${list(
          some.map(({ fingerprint }) => fingerprint),
          'text',
        )}::text[])`,
      )
      .orderBy(sql`fingerprint collate "C"`)
      .forUpdate()
      .execute(),
  ]);
  return new Map(states.map((state) => [state.fingerprint, state]));
}

/** A rule is locked before its states, as a change of it does. */
function begin(
  q: Queries,
  tenantId: string,
  some: readonly Series[],
  now: number,
): Promise<unknown> {
  const places = some.map(({ facts: [fact] }) => fact);
  const at = sql`${new Date(now)}::timestamptz`;
  return sql`
    insert into svc_rule_state (tenant_id, rule_id, alarm_target_type_flag, entity_id, device_id,
      fingerprint, entity_state_flag, create_time, operate_time)
    select ${tenantId}::bigint, r.id, s.target, s.entity_id, s.device_id, s.fingerprint,
      ${RuleStatus.CLOSED}::smallint, ${at}, ${at}
    from unnest(${list(
      some.map(({ rule }) => rule.id),
      'bigint',
    )},
      ${list(
        some.map(({ rule }) => new Date(rule.since).toISOString()),
        'timestamptz',
      )},
      ${list(
        some.map(({ rule }) => AlarmTarget[rule.target]),
        'smallint',
      )},
      ${list(
        places.map((fact) => fact?.entityId ?? '0'),
        'bigint',
      )},
      ${list(
        places.map((fact) => fact?.deviceId ?? '0'),
        'bigint',
      )},
      ${list(
        some.map(({ fingerprint }) => fingerprint),
        'text',
      )})
      as s (rule_id, since, target, entity_id, device_id, fingerprint)
    join svc_rule r on r.tenant_id = ${tenantId}::bigint and r.id = s.rule_id
      and r.enable_flag = ${EnableFlag.ENABLE}
      and date_trunc('milliseconds', r.operate_time) = s.since
    where not exists (select from svc_rule_state known
      where known.tenant_id = r.tenant_id and known.fingerprint = s.fingerprint)
    order by s.fingerprint for share of r
    on conflict (tenant_id, fingerprint) do nothing`.execute(q);
}

/** What a fact changes in a state that goes on as it is; null if it changes more. */
export function quietly(given: Evaluated, state: State): State | null {
  const { fact, match, memory } = seenOf(given, state);
  const after = memory ? { ...state, memory } : state;
  if (match === null) return after;
  const isFiring = state.entityStateFlag === RuleStatus.FIRING;
  // The memory of rules can be outdated: the rule is read again before it fires.
  if (match && !isFiring) return null;
  const seen = { ...given, fact };
  const decision = decide(seen, after, match);
  if (!decision) return after;
  const { begun, change, alarm } = decision;
  const { holdingSince, ...more } = change;
  if (begun || alarm !== 'stays' || Object.keys(more).length > 0) return null;
  if (holdingSince || (holdingSince === null && state.holdingSince !== null)) return null;
  return { ...after, ...changed(seen, {}), entityStateExt: remembered(seen, after) };
}

/** Writes what quiet facts changed, of locked states. */
export async function keepQuiet(
  q: Queries,
  tenantId: string,
  states: readonly State[],
  now: number,
): Promise<void> {
  if (states.length === 0) return;
  await sql`
    update svc_rule_state as s set last_fact_time = n.last_fact_time,
      last_fact_seq = n.last_fact_seq, entity_state_ext = n.ext::jsonb, memory = n.memory::jsonb,
      operate_time = ${new Date(now)}::timestamptz
    from unnest(${list(
      states.map(({ id }) => id),
      'bigint',
    )},
      ${list(
        states.map(({ lastFactTime }) => lastFactTime?.toISOString() ?? null),
        'timestamptz',
      )},
      ${list(
        states.map(({ lastFactSeq }) => lastFactSeq),
        'bigint',
      )},
      ${list(
        states.map(({ entityStateExt }) => JSON.stringify(entityStateExt)),
        'text',
      )},
      ${list(
        states.map(({ memory }) => JSON.stringify(memory)),
        'text',
      )})
      as n (id, last_fact_time, last_fact_seq, ext, memory)
    where s.tenant_id = ${tenantId}::bigint and s.id = n.id`.execute(q);
}
