import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import type { Present, Terms } from '../duty/duty.ts';
import type { Alarm } from '../duty/of-alarm.ts';
import type { Entry } from '../duty/standing.ts';
import { type Bound, channelsOf, lastTermsOf, policyOf, termsOf } from '../duty/terms.ts';
import { AlarmType } from '../kind/alarm.ts';
import { isBound, isNamed } from '../notify/bound.ts';
import type { NotifyContent } from '../notify/policy-ext.ts';

/** A channel, and the terms by which a policy sends over it. */
export type Used = { channel: Bound; terms: Terms };

/** The channels that a policy uses, by their ids, and whether it sends an alarm. */
export type Use = { channels: ReadonlyMap<string, Used>; isSent: boolean };

/** How a policy uses its channels for an alarm; none where it is disabled or gone. */
export async function useOf(q: Queries, alarm: Alarm, notifyId: string): Promise<Use> {
  const { tenantId } = alarm;
  const notify = await policyOf(q, tenantId, notifyId, alarm);
  if (!notify) return { channels: new Map(), isSent: false };
  const channels = await channelsOf(q, tenantId, notifyId);
  return {
    channels: new Map(
      channels.map((channel) => [channel.id, { channel, terms: termsOf(notify, channel) }]),
    ),
    isSent: notify.isNamed && asksFor(notify.policy, alarm),
  };
}

/** Whether a policy asks for alarms of such a type; one of a rule is asked for by the rule. */
export const asksFor = ({ alarmTypes }: NotifyContent, { ruleId, alarmTypeFlag }: Alarm): boolean =>
  ruleId !== '0' || alarmTypes.includes(nameOf(AlarmType, alarmTypeFlag));

/** How the channel of an entry gets its alarm, or the end of that; null: the channel is disabled or gone. */
export async function routeOf(
  q: Queries,
  entry: Entry,
  { channels, isSent }: Use,
): Promise<(Used & Pick<Present, 'unused'>) | null> {
  const { alarmId, channelId } = entry;
  const found = channels.get(channelId);
  if (found && isSent) return found;
  const last = found ?? (await lastTermsOf(q, entry));
  if (!last) return null;
  const elsewhere = await elsewhereOf(q, entry, [alarmId]);
  return { ...last, unused: elsewhere.has(alarmId) ? 'ELSEWHERE' : 'UNUSED' };
}

/** Those of some alarms that another policy sends over the channel of an entry. */
export async function elsewhereOf(
  q: Queries,
  { tenantId, notifyId, channelId }: Entry,
  alarmIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ alarmId: string }>`
    select distinct l.alarm_id as "alarmId" from svc_notify_ledger l
    where l.tenant_id = ${tenantId} and l.alarm_id = any(${alarmIds}::bigint[]) and l.channel_id = ${channelId}
      and l.notify_id <> ${notifyId} and l.end_time is null and ${isBound('l')} and ${isNamed('l')}`.execute(
    q,
  );
  return new Set(rows.map((row) => row.alarmId));
}
