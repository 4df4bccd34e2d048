import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { type DeliveryStatus, HistoryEvent, Known, NoticeEvent } from '../kind/delivery-status.ts';
import type { Attended } from '../ledger/attend.ts';
import { combined } from '../ledger/notify.ts';
import { reportUnnotified } from '../ledger/unnotified.ts';

/** Waits before a message whose five tries failed is sent again, and the longest. */
const FIRST_WAIT_MS = 60_000;
const MAX_WAIT_MS = 300_000;
const MAX_REASON = 256;

/** The wait (ms) after so many deliveries of five tries each failed. */
export const repeatAfter = (failureCount: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** (failureCount - 1), MAX_WAIT_MS);

type Row = { tenantId: string; id: string };
type End = {
  status: DeliveryStatus;
  /** The receiver does not take it, however often it is sent. */
  isRefused: boolean;
  /** Whether some of its receivers took it, and others did not: at a try before, and now. */
  isPart: { before: boolean; now: boolean };
  /** Its receiver may have it, and did not answer. */
  isUnanswered: boolean;
  reason: string;
  now: number;
};

/** Locks the ledger of a message, before the message itself. */
export const lockLedgerOf = async (q: Queries, { tenantId, id }: Row): Promise<void> => {
  await q
    .selectFrom('svc_notify_ledger')
    .select('alarmId')
    .where('tenantId', '=', tenantId)
    .where('historyId', '=', id)
    .orderBy('alarmId')
    .orderBy('notifyId')
    .forUpdate()
    .execute();
};

/**
 * Writes down how a try to deliver a message ended: what the channel knows now, or why not and when it is tried again.
 * A receiver that took one message is sent those of other alarms that failed before; that one took none is reported over
 * other channels. The caller publishes the answer after the commit.
 */
export async function noteDelivery(
  q: Queries,
  { tenantId, id, channelId, eventFlag }: Row & { channelId: string; eventFlag: number },
  { status, isRefused, isPart, isUnanswered, reason, now }: End,
): Promise<Attended> {
  const at = new Date(now);
  const query = q
    .updateTable('svc_notify_ledger')
    .where('tenantId', '=', tenantId)
    .where('historyId', '=', id);
  const isEnded = status === 'SUCCESS' || (status === 'FAILED' && isRefused);
  if (isEnded && eventFlag === HistoryEvent.CONFIRMED) {
    const ended = { historyId: '0', failureCount: 0, reason: '', dueTime: at, operateTime: at };
    await query.set({ ...ended, confirmKnown: true }).execute();
    return combined([]);
  }
  const isFiring = eventFlag === NoticeEvent.FIRED;
  if (isPart.now && !isPart.before)
    await query
      .set((row) => ({
        knownFlag: isFiring ? Known.FIRING : Known.OVER,
        knownTime: at,
        firedCount: isFiring ? row('firedCount', '+', 1) : row.ref('firedCount'),
      }))
      .execute();
  if (status === 'SUCCESS') {
    const isCounted = isFiring && !isPart.before;
    await query
      .set((row) => ({
        knownFlag: isFiring ? Known.FIRING : Known.OVER,
        knownTime: isPart.before ? row.ref('knownTime') : at,
        firedCount: isCounted ? row('firedCount', '+', 1) : row.ref('firedCount'),
        historyId: '0',
        failureCount: 0,
        reason: '',
        dueTime: at,
        operateTime: at,
      }))
      .execute();
    await wakeFailed(q, tenantId, channelId, at);
    return combined([]);
  }
  if (isUnanswered && isFiring) await query.set({ unanswered: true }).execute();
  const clipped = reason.slice(0, MAX_REASON);
  if (status !== 'FAILED') {
    // What happened while its dispatcher had the message waits for its end: the alarm may be over.
    await query.set({ reason: clipped, dueTime: at, operateTime: at }).execute();
    return combined([]);
  }
  const entries = await query
    .set((row) => ({
      reason: clipped,
      failureCount: row('failureCount', '+', 1),
      operateTime: at,
    }))
    .returning(['alarmId', 'notifyId', 'knownFlag', 'failureCount'])
    .execute();
  const [first] = entries;
  if (!first) return combined([]);
  if (!isRefused) {
    const wait = repeatAfter(first.failureCount);
    await query.set({ dueTime: new Date(now + wait) }).execute();
  }
  const failed = entries.filter(({ failureCount }) => failureCount === 1);
  if (failed.length === 0) return combined([]);
  const alarmIds = failed.map(({ alarmId }) => alarmId);
  await wakeUncalled(q, { tenantId, notifyId: first.notifyId, alarmIds }, at);
  const missed = failed.find(({ knownFlag }) => knownFlag === Known.NOTHING);
  if (!missed) return combined([]);
  const { alarmId, notifyId } = missed;
  return reportUnnotified(q, { tenantId, channelId, alarmId, notifyId, historyId: id }, now);
}

/** A step of escalation may wait for the failure of the channels before it. A row that is locked is looked at by its holder. */
async function wakeUncalled(
  q: Queries,
  {
    tenantId,
    notifyId,
    alarmIds,
  }: { tenantId: string; notifyId: string; alarmIds: readonly string[] },
  at: Date,
): Promise<void> {
  await sql`
    update svc_notify_ledger set due_time = ${at}
    where (tenant_id, alarm_id, notify_id, channel_id) in (
      select tenant_id, alarm_id, notify_id, channel_id from svc_notify_ledger
      where tenant_id = ${tenantId} and alarm_id = any(${alarmIds}::bigint[])
        and notify_id = ${notifyId} and end_time is null and uncalled
      for update skip locked)`.execute(q);
}

/** Two deliveries that end at once pass each other's rows over: each is woken by its own end. */
async function wakeFailed(
  q: Queries,
  tenantId: string,
  channelId: string,
  at: Date,
): Promise<void> {
  await sql`
    update svc_notify_ledger set due_time = ${at}
    where (tenant_id, alarm_id, notify_id, channel_id) in (
      select tenant_id, alarm_id, notify_id, channel_id from svc_notify_ledger
      where tenant_id = ${tenantId} and channel_id = ${channelId} and end_time is null
        and failure_count > 0 and due_time > ${at}
      for update skip locked)`.execute(q);
}
