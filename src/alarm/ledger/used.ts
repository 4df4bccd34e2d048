import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import type { Present, Terms } from '../duty/duty.ts';
import { callOf } from '../duty/escalation.ts';
import type { Alarm } from '../duty/of-alarm.ts';
import { type Entry, levelOf } from '../duty/standing.ts';
import { type Bound, channelsOf, lastTermsOf, policyOf, termsOf } from '../duty/terms.ts';
import { takesLevel } from '../duty/wants.ts';
import { AlarmType } from '../kind/alarm.ts';
import { Known } from '../kind/delivery-status.ts';
import { isAsked, isBound } from '../notify/bound.ts';
import { type NotifyContent, wantsEnd } from '../notify/policy-ext.ts';

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

/** `heirId`: the policy that sends the alarm over the channel instead. */
export type Route = Used & Pick<Present, 'unused'> & { heirId?: string };

/** How the channel of an entry gets its alarm, or the end of that; null: the channel is disabled or gone. */
export async function routeOf(
  q: Queries,
  entry: Entry,
  { channels, isSent }: Use,
): Promise<Route | null> {
  const { alarmId, channelId } = entry;
  const found = channels.get(channelId);
  if (found && isSent) return found;
  const last = found ?? (await lastTermsOf(q, entry));
  if (!last) return null;
  const heirId = (await heirsOf(q, entry, [alarmId])).get(alarmId);
  return heirId === undefined
    ? { ...last, unused: 'UNUSED' }
    : { ...last, unused: 'ELSEWHERE', heirId };
}

/**
 * Other policies that send some alarms, and their ends, over the channel of an entry, by the alarms; first one that did.
 * One that calls the channel for other levels alone is none, unless it did send the alarm.
 */
export async function heirsOf(
  q: Queries,
  { tenantId, notifyId, channelId }: Entry,
  alarmIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<Heir>`
    select l.alarm_id as "alarmId", l.notify_id as "heirId", a.alarm_level_flag as "alarmLevelFlag",
      (l.known_flag <> ${Known.NOTHING} or l.unanswered) as "isBegun"
    from svc_notify_ledger l join svc_entity_alarm a on a.tenant_id = l.tenant_id and a.id = l.alarm_id
    where l.tenant_id = ${tenantId} and l.alarm_id = any(${alarmIds}::bigint[]) and l.channel_id = ${channelId}
      and l.notify_id <> ${notifyId} and l.end_time is null and ${isBound('l')} and ${isAsked('l')}
    order by l.known_flag <> ${Known.FIRING}, l.notify_id`.execute(q);
  const wanting = new Map<string, Terms>();
  for (const heirId of new Set(rows.map((row) => row.heirId))) {
    const last = await lastTermsOf(q, { tenantId, notifyId: heirId, channelId });
    if (last && wantsEnd(last.terms)) wanting.set(heirId, last.terms);
  }
  const wanted = rows.filter((row) => {
    const terms = wanting.get(row.heirId);
    return terms !== undefined && (row.isBegun || calls(terms, levelOf(row)));
  });
  return new Map(wanted.toReversed().map(({ alarmId, heirId }) => [alarmId, heirId]));
}

type Heir = { alarmId: string; heirId: string; isBegun: boolean } & Pick<Alarm, 'alarmLevelFlag'>;

/** Whether a policy ever sends alarms of a level over the channel. */
const calls = (terms: Terms, level: Present['level']): boolean =>
  takesLevel(terms.bind, level) && callOf(terms, level) !== 'never';

/**
 * Lets the entry of another policy go on with what the channel of one knows, unless that policy sent the alarm itself.
 * Where an end was under way (`hands: false`), the channel may still know of it: the other policy sends the alarm when it
 * calls the channel, or its end.
 */
export async function inherit(
  q: Queries,
  { knownFlag, knownTime, firedCount, levelFlag, confirmKnown, unanswered }: Entry,
  heir: Entry,
  { now, hands }: { now: number; hands: boolean },
): Promise<void> {
  if (heir.knownFlag !== Known.NOTHING) return;
  const known = hands
    ? { knownFlag, knownTime, firedCount, levelFlag, confirmKnown, unanswered }
    : { unanswered: heir.unanswered || unanswered || knownFlag === Known.FIRING };
  const { tenantId, alarmId, notifyId, channelId } = heir;
  await q
    .updateTable('svc_notify_ledger')
    .set({ ...known, uncalled: false, reason: '', gatherKey: '', gatherTime: null })
    .set({ causeId: '0', dueTime: new Date(now), operateTime: new Date(now) })
    .where('tenantId', '=', tenantId)
    .where('alarmId', '=', alarmId)
    .where('notifyId', '=', notifyId)
    .where('channelId', '=', channelId)
    .execute();
  // The same look goes on with it.
  Object.assign(heir, known);
}
