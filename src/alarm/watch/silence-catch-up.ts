import type { Queries } from '../../db/connect.ts';
import { attend, type Attended } from '../ledger/attend.ts';
import { combined } from '../ledger/notify.ts';
import type { Writing } from '../message/alarm-link.ts';
import { wake } from '../notify/wake.ts';

type Ended = { tenantId: string; stateId: string };

/** Episodes of a silence that channels know of; the ledger goes on with more. */
const MAX_EPISODES = 20;

/**
 * Ends the silence of a rule state, whose row the caller has locked: every channel gets now what it should know, of the
 * oldest alarm first. Answers what is to be published after the commit.
 */
export async function catchUp(
  q: Queries,
  { tenantId, stateId }: Ended,
  writing: Writing,
): Promise<Attended> {
  await q
    .updateTable('svc_rule_state')
    .set({ silencedUntil: null, silencedBy: '', silenceReason: '' })
    .where('tenantId', '=', tenantId)
    .where('id', '=', stateId)
    .execute();
  return attendPlace(q, { tenantId, stateId }, writing);
}

/** Brings the channels of a rule state, whose row the caller has locked, to what they should know now. */
export async function attendPlace(
  q: Queries,
  { tenantId, stateId }: Ended,
  writing: Writing,
): Promise<Attended> {
  const alarms = await q
    .selectFrom('svc_entity_alarm')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('ruleStateId', '=', stateId)
    .where('id', 'in', (inner) =>
      inner
        .selectFrom('svc_notify_ledger')
        .select('alarmId')
        .where('tenantId', '=', tenantId)
        .where('endTime', 'is', null),
    )
    .orderBy('id')
    .limit(MAX_EPISODES)
    .execute();
  // A message that the silence held back is due at its end, also when that comes before its time.
  const alarmIds = alarms.map(({ id }) => id);
  await wake(q, tenantId, { alarmIds }, writing.now);
  const attended: Attended[] = [];
  for (const alarm of alarms) attended.push(await attend(q, alarm, writing));
  return combined(attended);
}
