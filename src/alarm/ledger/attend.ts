import { sql } from 'kysely';

import { CommandStatus, CommandType } from '../../data/command/state.ts';
import type { Queries } from '../../db/connect.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { FREE, heldOf } from '../alarm/in-maintenance.ts';
import { explainingOf } from '../duty/cause.ts';
import { dutyOf, EXPLAINED_MS, type Standing, type Terms, whileOff } from '../duty/duty.ts';
import { amongOthers, type Reached } from '../duty/escalation.ts';
import { muteAfter, muteEnd } from '../duty/held.ts';
import type { Alarm } from '../duty/of-alarm.ts';
import { allowedAt, isFull } from '../duty/recent.ts';
import { type Entry, presentOf, standingOf } from '../duty/standing.ts';
import { ConfirmFlag } from '../kind/alarm.ts';
import { DeliveryStatus, HistoryEvent, Known, PATIENCE_MS } from '../kind/delivery-status.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import type { AlarmEvent } from '../message/alarm-event.ts';
import type { Writing } from '../message/alarm-link.ts';
import { carryOut } from './carry-out.ts';
import { type Use, useOf, routeOf } from './used.ts';
import { noteNotified, type Row } from './write.ts';

/** A channel that was not notified, and why. */
export type Suppressed = { channelId: string; reason: string };

/** The notifications to publish after the commit, and the channels that were not notified. */
export type Attended = { written: Row[]; suppressed: Suppressed[] };

/**
 * Brings what the channels of an alarm know nearer to what is true: writes the messages that are due, drops those that
 * no longer hold, and notes when to look again, and why a channel does not know it yet. The caller has locked the rule
 * state of the alarm. `message` replaces what the stored alarm says.
 */
export async function attend(
  q: Queries,
  alarm: Alarm,
  writing: Writing,
  message?: AlarmEvent,
): Promise<Attended> {
  const { now } = writing;
  const { tenantId, id: alarmId } = alarm;
  const attended: Attended = { written: [], suppressed: [] };
  const all = await entriesOf(q, alarm);
  const entries = all.filter(({ endTime }) => endTime === null);
  if (entries.length === 0) return attended;
  const { level } = presentOf(alarm, null);
  const sending = await messagesOf(q, alarm, entries, now);
  const holding = await heldOf(q, { tenantId, alarmIds: [alarmId] }, now);
  const { marked, ...held } = holding.get(alarmId) ?? FREE;
  const { causeId, explains } = await explainingOf(q, alarm);
  const uses = new Map<string, Use>();
  const muted = new Map<string, number | null>();
  for (const entry of entries) {
    const { notifyId, channelId } = entry;
    const use = uses.get(notifyId) ?? (await useOf(q, alarm, notifyId));
    uses.set(notifyId, use);
    const { channels } = use;
    const found = channels.get(channelId);
    const route = await routeOf(q, entry, use);
    const underWay = sending.get(entry.historyId) ?? null;
    const isShared = underWay?.isShared === true && found !== undefined;
    const standing = standingOf(entry, underWay && { ...underWay, isShared });
    if (found && !muted.has(notifyId))
      muted.set(
        notifyId,
        await noteMute(q, all, {
          notifyId,
          terms: found.terms,
          now,
          ...held,
          isExplained: [...channels.keys()].some((id) => explains(notifyId, id)),
        }),
      );
    const present = { now, ...presentOf(alarm, muted.get(notifyId) ?? null) };
    const duty = route
      ? dutyOf(route.terms, standing, {
          ...present,
          isActing: route.terms.policy.pauseWhileActing === true && (await isActing(q, alarm, now)),
          isAcknowledged: all.some(({ acknowledgedTime }) => acknowledgedTime !== null),
          ...amongOthers(route.terms, { level, now }, reachedOf(all, notifyId, channels)),
          ...held,
          ...(route.unused && { unused: route.unused }),
          explainedBy: explains(notifyId, channelId) ? causeId : '0',
          ...(await roomOf(q, alarm, { entry, terms: route.terms, now })),
        })
      : whileOff(standing, present);
    const sentTo = knowing(entries, entry, channels);
    const about = { alarm, entry, entries, duty, route, writing, sentTo, marked, message };
    const bound = [...channels.values()].map((one) => one.channel);
    const row = await carryOut(q, { ...about, isShared, isBound: found !== undefined, bound });
    if (row) attended.written.push(row);
    else if ('reason' in duty && duty.reason !== '')
      attended.suppressed.push({ channelId, reason: duty.reason });
  }
  if (attended.written.some(({ id }) => !entries.some(({ historyId }) => historyId === id)))
    await noteNotified(q, { tenantId, alarmIds: [alarmId] }, now);
  return attended;
}

const ACTING_MS = 600_000;

/** Whether a write to the device of the alarm, at most ten minutes old, waits or was sent: its end is verified. */
async function isActing(q: Queries, { tenantId, deviceId }: Alarm, now: number): Promise<boolean> {
  if (deviceId === '0') return false;
  const running = await q
    .selectFrom('svc_point_command_history')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('deviceId', '=', deviceId)
    .where('type', 'in', [CommandType.WRITE, CommandType.WRITE_BATCH])
    .where('status', 'in', [CommandStatus.PENDING, CommandStatus.SENT])
    .where('occurTime', '>', new Date(now - ACTING_MS))
    .limit(1)
    .executeTakeFirst();
  return running !== undefined;
}

type Muted = {
  notifyId: string;
  terms: Terms;
  now: number;
  silencedUntil: number | null;
  mutedUntil: number | null;
  /** A firing alarm explains it. */
  isExplained: boolean;
};

/** Notes until when a policy is kept from sending the alarm, or was last; the steps of the policy count from then (ms). */
async function noteMute(
  q: Queries,
  entries: readonly Entry[],
  { notifyId, terms, isExplained, ...present }: Muted,
): Promise<number | null> {
  const ofPolicy = entries.filter((entry) => entry.notifyId === notifyId);
  const times = ofPolicy.flatMap(({ mutedUntil }) => mutedUntil?.getTime() ?? []);
  const before = times.length === 0 ? null : Math.max(...times);
  const end = muteEnd(terms, present) ?? (isExplained ? present.now + EXPLAINED_MS : null);
  const until = muteAfter(before, end, present.now);
  const [first] = ofPolicy;
  if (first && until !== null && until !== before)
    await q
      .updateTable('svc_notify_ledger')
      .set({ mutedUntil: new Date(until) })
      .where('tenantId', '=', first.tenantId)
      .where('alarmId', '=', first.alarmId)
      .where('notifyId', '=', notifyId)
      .execute();
  return until;
}

/** Names of the other channels of the policy that know of the alarm (`known_flag` is not NOTHING). */
const knowing = (
  entries: readonly Entry[],
  { notifyId, channelId }: Entry,
  of: Use['channels'],
): string[] =>
  entries.flatMap((other) => {
    const name = of.get(other.channelId)?.channel.channelName;
    const isOther = other.notifyId === notifyId && other.channelId !== channelId;
    return isOther && other.knownFlag !== Known.NOTHING && name !== undefined ? [name] : [];
  });

/** The channels that a policy uses for an alarm. */
const reachedOf = (entries: readonly Entry[], notifyId: string, of: Use['channels']): Reached[] =>
  entries
    .filter((entry) => entry.notifyId === notifyId)
    .flatMap(({ channelId, knownFlag, failureCount }) => {
      const found = of.get(channelId);
      const knows = knownFlag !== Known.NOTHING;
      return found ? [{ ...found.channel, knows, isUnreached: !knows && failureCount > 0 }] : [];
    });

/** The rows of an alarm, locked, in one order for all. */
const entriesOf = (q: Queries, { tenantId, id }: Alarm): Promise<Entry[]> =>
  q
    .selectFrom('svc_notify_ledger')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('alarmId', '=', id)
    .orderBy('notifyId')
    .orderBy('channelId')
    .forUpdate()
    .execute();

/** The messages under way, locked: a dispatcher that claims one before is seen, one after waits for this transaction. */
async function messagesOf(
  q: Queries,
  { tenantId, id: alarmId }: Alarm,
  entries: readonly Entry[],
  now: number,
): Promise<Map<string, Standing['sending']>> {
  const ids = entries.flatMap(({ historyId }) => (historyId === '0' ? [] : [historyId]));
  if (ids.length === 0) return new Map();
  const others = sql`svc_notify_ledger l
    join svc_entity_alarm a on a.tenant_id = l.tenant_id and a.id = l.alarm_id
    where l.tenant_id = ${tenantId} and l.history_id = svc_notify_history.id and l.alarm_id <> ${alarmId}
      and l.end_time is null and (a.state_flag = ${RuleStatus.FIRING}
        or a.state_flag is null and svc_notify_history.create_time > ${new Date(now - PATIENCE_MS)})`;
  const isUntaken = sql`a.confirm_flag = ${ConfirmFlag.UNCONFIRMED} and not exists (select from svc_notify_ledger t
    where t.tenant_id = a.tenant_id and t.alarm_id = a.id and t.acknowledged_time is not null)`;
  const rows = await q
    .selectFrom('svc_notify_history')
    .select(['id', 'eventFlag', 'statusFlag', 'createTime'])
    .select(sql<boolean>`exists (select from ${others})`.as('isShared'))
    .select(sql<boolean>`exists (select from ${others} and ${isUntaken})`.as('isWanted'))
    .select(sql<boolean>`response_ext ? 'left'`.as('isPart'))
    .select(sql<boolean>`request_ext ? 'isReminder'`.as('isReminder'))
    .where('tenantId', '=', tenantId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute();
  return new Map(
    rows.map(({ id, eventFlag, statusFlag, createTime, ...of }) => [
      id,
      {
        event: nameOf(HistoryEvent, eventFlag),
        status: nameOf(DeliveryStatus, statusFlag),
        writtenAt: createTime.getTime(),
        ...of,
      },
    ]),
  );
}

type Asked = { entry: Entry; terms: Terms; now: number };

/** Whether another message about the firing has room; read only where one may be due. */
async function roomOf(
  q: Queries,
  { tenantId, id, ruleStateId, stateFlag }: Alarm,
  { entry, terms, now }: Asked,
): Promise<{ allowedAt: number; isFull: boolean }> {
  const isOpen = stateFlag === null || stateFlag === RuleStatus.FIRING;
  const mayRemind = terms.policy.repeat?.enabled === true;
  if (!isOpen || entry.historyId !== '0' || (entry.knownFlag !== Known.NOTHING && !mayRemind))
    return { allowedAt: now, isFull: false };
  const { notifyId, channelId } = entry;
  const asked = { tenantId, alarmId: id, ruleStateId, notifyId, channelId, terms, now };
  return { allowedAt: await allowedAt(q, asked), isFull: await isFull(q, tenantId, channelId) };
}
