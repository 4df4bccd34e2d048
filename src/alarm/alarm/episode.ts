import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { MaybeTime, named } from '../../kernel/entity/answer.ts';
import { RuleStatus } from '../kind/rule-status.ts';

/** Why an episode ended without a recovery. */
export type EndReason =
  | 'RULE_CHANGED'
  | 'RULE_DISABLED'
  | 'RULE_DELETED'
  | 'PLACE_DISABLED'
  | 'PLACE_DELETED'
  | 'PLACE_LEFT';

/** Course of an alarm's episode; `state` is column state_flag. */
export const episode = {
  state: z
    .nullable(named(RuleStatus))
    .describe('FIRING, RECOVERED or CLOSED; null: a reported alarm, which has no recovery'),
  firstTriggerTime: MaybeTime,
  lastTriggerTime: MaybeTime,
  lastRecoverTime: MaybeTime,
  lastNotifyTime: MaybeTime,
  triggerCount: z.string().describe('Matching facts since the alarm fired'),
  condition: z
    .string()
    .meta({ examples: ['calValue > 80 °C for 10 s'] })
    .describe('Condition of the rule when the alarm fired; later changes do not alter it'),
  endReason: z
    .string()
    .meta({ examples: ['RULE_DELETED'] })
    .describe('Empty unless the episode ended without a recovery'),
};

type Change = Partial<
  Record<'firstTriggerTime' | 'lastTriggerTime' | 'lastRecoverTime' | 'lastNotifyTime', Date>
> & {
  state?: Exclude<keyof typeof RuleStatus, 'PENDING'>;
  /** The condition matched again: adds 1 to the trigger count. */
  counted?: boolean;
};

/**
 * Copies changes of the rule state to the alarm of the episode, in the same transaction: the rule state is
 * reused for the next episode, or deleted with its rule.
 */
export async function keepEpisode(
  q: Queries,
  tenantId: string,
  alarmId: string,
  { state, counted, ...times }: Change,
): Promise<void> {
  await q
    .updateTable('svc_entity_alarm')
    .set({
      ...times,
      ...(state ? { stateFlag: RuleStatus[state] } : {}),
      ...(counted ? { triggerCount: sql`trigger_count + 1` } : {}),
    })
    .where('tenantId', '=', tenantId)
    .where('id', '=', alarmId)
    .execute();
}

/** Closes the firing alarms of a rule after its states were deleted, and answers their ids: no evaluation would end them. */
export async function endEpisodes(
  q: Queries,
  tenantId: string,
  { ruleId, reason, now }: { ruleId: string; reason: EndReason; now: number },
): Promise<string[]> {
  const ended = await q
    .updateTable('svc_entity_alarm')
    .set({ stateFlag: RuleStatus.CLOSED, endReason: reason, operateTime: new Date(now) })
    .where('tenantId', '=', tenantId)
    .where('ruleId', '=', ruleId)
    .where('stateFlag', '=', RuleStatus.FIRING)
    .returning('id')
    .execute();
  return ended.map(({ id }) => id);
}
