import { type Selectable, sql } from 'kysely';

import { nameOf } from '../../core/input/flag.ts';
import type { Queries } from '../../db/connect.ts';
import type { EntityAlarmTable } from '../../db/schema/alarm.ts';
import { RuleStatus } from '../rule/state/rule-status.ts';

/** Why an episode ended without a recovery. */
export type EndReason = 'RULE_CHANGED' | 'RULE_DISABLED' | 'RULE_DELETED' | 'PLACE_DELETED';

/** How the episode of an alarm went so far, or ended; times ISO-8601. */
export type EpisodeView = {
  /** FIRING, RECOVERED or CLOSED; null for an alarm that was reported, which nothing watches. */
  state: keyof typeof RuleStatus | null;
  firstTriggerTime: string | null;
  lastTriggerTime: string | null;
  lastRecoverTime: string | null;
  lastNotifyTime: string | null;
  triggerCount: string;
  /** What the rule demanded when it fired, whatever it demands now. */
  condition: string;
  /** Empty unless it ended without a recovery. */
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
  /** The condition was met once more. */
  counted?: boolean;
};

/**
 * Writes into an alarm what happened in the episode that raised it, beside the state of its rule and in
 * the same transaction: the state goes on to the next episode, or is deleted with its rule.
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

/** Nothing watches what this rule fired on any more: its alarms neither fire on nor recover. */
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
