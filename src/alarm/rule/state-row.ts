import type { Selectable } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import type { RuleStateTable } from '../../db/schema/alarm.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import {
  AnswerExt,
  AnswerId,
  MaybeTime,
  named,
  numbered,
  stored,
} from '../../kernel/entity/answer.ts';
import { byIdIn } from '../../kernel/entity/by-id.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { EnableFlag, flag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, input } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';
import { keepEpisode } from '../alarm/episode.ts';
import { placed } from '../condition/devices.ts';
import { type Evaluated, fingerprintOf } from '../condition/fact.ts';
import { type ActiveRule } from '../condition/fact.ts';
import { limited } from '../condition/limit.ts';
import { AlarmTarget } from '../kind/alarm.ts';
import { RuleStatus, allowing } from '../kind/rule-status.ts';
import type { Writing } from '../message/alarm-link.ts';
import { type Change, changed } from './decide.ts';
import { activeRule } from './rule-cache.ts';

export type State = Selectable<RuleStateTable>;
export type Step = Evaluated &
  Writing & {
    q: Queries;
    tenantId: string;
    /** Called when the cached rule is outdated. */
    outdated(): void;
  };

type Move = Change & { lastNotifyTime?: Date; alarmId?: string; entityStateExt?: string };

/** Writes a change of a locked state, and copies it to the alarm of its episode. */
export async function move(given: Step, state: State, change: Move): Promise<void> {
  const { q, tenantId, now } = given;
  const { to, by } = change;
  let query = q
    .updateTable('svc_rule_state')
    .set({
      entityStateExt: JSON.stringify(state.entityStateExt),
      memory: JSON.stringify(state.memory),
      ...changed(given, change),
      operateTime: new Date(now),
    })
    .where('tenantId', '=', tenantId)
    .where('id', '=', state.id);
  if (by) query = query.where('entityStateFlag', 'in', allowing(by));
  await query.execute();
  // `raise` has written the episode of a new alarm; a new episode has no alarm yet.
  if (state.alarmId === '0' || change.alarmId !== undefined) return;
  const { lastTriggerTime, lastRecoverTime, lastNotifyTime, triggerCount } = change;
  const kept = {
    ...(lastTriggerTime ? { lastTriggerTime } : {}),
    ...(lastRecoverTime ? { lastRecoverTime } : {}),
    ...(lastNotifyTime ? { lastNotifyTime } : {}),
    ...(triggerCount === undefined ? {} : { counted: true }),
    ...(to && to !== 'PENDING' ? { state: to } : {}),
  };
  if (Object.keys(kept).length > 0) await keepEpisode(q, tenantId, state.alarmId, kept);
}

/** Writes what a locked state remembers of a fact that decides nothing. */
export async function keepMemory({ q, tenantId }: Step, { id, memory }: State): Promise<void> {
  await q
    .updateTable('svc_rule_state')
    .set({ memory: JSON.stringify(memory) })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .execute();
}

/** The state of the rule on the fact's entity, locked; undefined without one. */
export const find = (given: Step): Promise<State | undefined> =>
  given.q
    .selectFrom('svc_rule_state')
    .selectAll()
    .where('tenantId', '=', given.tenantId)
    .where('fingerprint', '=', fingerprintOf(given))
    .forUpdate()
    .executeTakeFirst();

/**
 * The stored rule; null if it is deleted or disabled. `hold` locks it against changes until the end of the
 * transaction; a caller that has locked the state must not hold the rule, because a change locks the rule
 * first and its states last.
 */
export async function currentRule(
  { q, tenantId, rule }: Step,
  hold: boolean,
): Promise<ActiveRule | null> {
  const query = q
    .selectFrom('svc_rule')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', rule.id)
    .where('enableFlag', '=', EnableFlag.ENABLE);
  const row = await (hold ? query.forShare() : query).executeTakeFirst();
  const current = row ? activeRule(row) : null;
  return current && placed(q, tenantId, await limited(q, tenantId, current));
}

/** Creates the state, unless another process did, and locks it. */
export async function begin(given: Step): Promise<State> {
  const { q, tenantId, rule, fact, now } = given;
  await q
    .insertInto('svc_rule_state')
    .values({
      tenantId,
      ruleId: rule.id,
      alarmTargetTypeFlag: AlarmTarget[rule.target],
      entityId: fact.entityId,
      deviceId: fact.deviceId,
      fingerprint: fingerprintOf(given),
      entityStateFlag: RuleStatus.CLOSED,
      createTime: new Date(now),
      operateTime: new Date(now),
    })
    .onConflict((conflict) => conflict.columns(['tenantId', 'fingerprint']).doNothing())
    .execute();
  const state = await find(given);
  if (!state) throw new Error('a state that was just written is gone');
  return state;
}

/**
 * The state of one rule on one entity; entityStateFlag is a number (docs/specification/alarms.md,
 * Enumerations).
 */
export const RuleState = stored('RuleState', {
  ruleId: AnswerId.describe('0 for an outage, which has no rule'),
  alarmTargetTypeFlag: named(AlarmTarget),
  entityId: AnswerId,
  deviceId: AnswerId,
  fingerprint: z
    .string()
    .meta({ examples: ['12:POINT:7312:41'] })
    .describe('Rule, target, entity and device; one state for each'),
  entityStateFlag: numbered(RuleStatus),
  firstTriggerTime: MaybeTime,
  lastTriggerTime: MaybeTime,
  lastRecoverTime: MaybeTime,
  lastNotifyTime: MaybeTime,
  triggerCount: z.string().describe('Matching facts since the alarm fired'),
  alarmId: AnswerId,
  entityStateExt: AnswerExt,
});
export type RuleState = z.output<typeof RuleState.schema>;

export const RuleStateQuery = input({
  page: Page,
  ruleId: Id.optional(),
  alarmTargetTypeFlag: flag(AlarmTarget).optional(),
  entityId: Id.optional(),
  fingerprint: Text(256).optional(),
  entityStateFlag: flag(RuleStatus).optional(),
  alarmId: Id.optional(),
});
type RuleStateQuery = z.infer<typeof RuleStateQuery>;

export const byId: Operation<ById, RuleState> = byIdIn('svc_rule_state', RuleState.of);

/** States without any match of the condition are left out. */
export const page: Operation<RuleStateQuery, Paged<RuleState>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    const query = narrowed(
      q
        .selectFrom('svc_rule_state')
        .selectAll()
        .where('tenantId', '=', tenantId)
        .where('firstTriggerTime', 'is not', null),
      given,
      {
        equal: [
          'ruleId',
          'alarmTargetTypeFlag',
          'entityId',
          'fingerprint',
          'entityStateFlag',
          'alarmId',
        ],
      },
    );
    return pageOf(
      query.orderBy('operateTime', 'desc').orderBy('id', 'desc'),
      given.page,
      RuleState.of,
    );
  });
