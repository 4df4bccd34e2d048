import { type Selectable, sql } from 'kysely';

import { nameOf } from '../../core/input/flag.ts';
import type { Queries } from '../../db/connect.ts';
import type { EntityAlarmTable } from '../../db/schema/alarm.ts';
import { RuleStatus } from '../rule/state/rule-status.ts';

/** Why an episode ended without a recovery. */
export type EndReason = 'RULE_CHANGED' | 'RULE_DISABLED' | 'RULE_DELETED' | 'PLACE_DELETED';

/** Course of an alarm's episode; times ISO-8601. */
export type EpisodeView = {
  /** FIRING, RECOVERED or CLOSED; null for a reported alarm, which has no recovery. */
  state: keyof typeof RuleStatus | null;
  firstTriggerTime: string | null;
  lastTriggerTime: string | null;
  lastRecoverTime: string | null;
  lastNotifyTime: string | null;
  triggerCount: string;
  /** The rule's condition when the alarm fired; later changes of the rule do not alter it. */
  condition: string;
  /** Empty unless the episode ended without a recovery. */
  endReason: string;
};

export const episodeOf = (row: Selectable<EntityAlarmTable>): EpisodeView => ({
  state: row.stateFlag === null ? null : nameOf(RuleStatus, row.stateFlag),
  firstTriggerTime: row.firstTriggerTime?.toISOString() ?? null,
  lastTriggerTime: row.lastTriggerTime?.toISOString() ?? null,
  lastRecoverTime: row.lastRecoverTime?.toISOString() ?? null,
  lastNotifyTime: row.lastNotifyTime?.toISOString() ?? null,
  triggerCount: row.triggerCount,
  condition: row.condition,
  endReason: row.endReason,
});

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

/** Closes the firing alarms of a rule after its states were deleted: no evaluation would end them. */
export async function endEpisodes(
  q: Queries,
  tenantId: string,
  { ruleId, reason, now }: { ruleId: string; reason: EndReason; now: number },
): Promise<void> {
  await q
    .updateTable('svc_entity_alarm')
    .set({ stateFlag: RuleStatus.CLOSED, endReason: reason, operateTime: new Date(now) })
    .where('tenantId', '=', tenantId)
    .where('ruleId', '=', ruleId)
    .where('stateFlag', '=', RuleStatus.FIRING)
    .execute();
}
