import { randomInt } from 'node:crypto';

import { sql } from 'kysely';
import { z } from 'zod';

import { createPauses, retryWhileUnavailable } from '../../bus/retry.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { storable } from '../../kernel/input/text.ts';
import type { Notice, Outcome } from '../channel/delivery/channel.ts';
import { after, allowing, DeliveryStatus, MAX_TRIES } from '../kind/delivery-status.ts';
import { announceNotifications, combined } from '../ledger/notify.ts';
import { clip } from '../message/render.ts';
import { type Message, sendBy, type StoredChannel } from '../notify/channel/channels.ts';
import { countDelivery } from './count-delivery.ts';
import { lockLedgerOf, noteDelivery } from './delivered.ts';

const MAX_ANSWER = 2_048;

/**
 * Sends one notification if this dispatcher can claim it; no transaction is open while it is sent. Answers
 * false for an unreachable receiver, null for a row that was not claimed.
 */
export async function deliver(app: App, task: Task, signal: AbortSignal): Promise<boolean | null> {
  const { tenantId } = task;
  const claimed = await inTenant(app.db, tenantId, (q) => claim(q, task, app.clock.now()));
  if (!claimed) return null;
  app.crashAt('notify-claimed');
  const ready = readyOf(claimed);
  const outcome =
    'status' in ready ? ready : await sendBy(app, tenantId, ready.channel, ready.message, signal);
  app.crashAt('notify-sent');
  // Shutdown is not a failed attempt: back to RETRY, due now, not counted.
  const verdict: Verdict =
    signal.aborted && outcome.status === 'unreachable'
      ? { status: 'RETRY', retryCount: claimed.retryCount, nextTry: app.clock.now() }
      : verdictOn(outcome, {
          retryCount: claimed.retryCount,
          now: app.clock.now(),
          jitter: randomInt(1_000) / 1_000,
        });
  await settled(app, claimed, signal, () => settle(app, claimed, outcome, verdict));
  return outcome.status !== 'unreachable' || outcome.left !== undefined;
}

type Ready = { channel: StoredChannel; message: Message };

/** What is to be sent over which channel, or why it cannot be. */
function readyOf({ deliveryId: id, channel, request, retryCount, left }: Claimed): Ready | Outcome {
  const refused = (reason: string): Outcome => ({ status: 'refused', reason });
  // The last attempt ended with a dispatcher crash, so no verdict has applied the limit yet.
  if (retryCount >= MAX_TRIES)
    return { status: 'unreachable', reason: 'no dispatcher lived to send it' };
  if (!channel) return refused('the channel is gone or disabled');
  if (!request) return refused('what was to be sent cannot be read');
  const { title: subject, text, notice } = request;
  return { channel, message: { id, subject, text, notice, ...(left.length > 0 && { left }) } };
}

/**
 * Retries while the database is unavailable, until the lease ends: without a stored result the notification
 * would be sent again.
 */
async function settled(
  app: App,
  { tenantId, id: notification, lease }: Claimed,
  signal: AbortSignal,
  write: () => Promise<void>,
): Promise<void> {
  const { clock, log } = app;
  const pauses = createPauses(clock);
  signal.addEventListener('abort', pauses.end, { once: true });
  try {
    await retryWhileUnavailable(write, {
      attempt: 1,
      clock,
      pauses,
      isOver: () => signal.aborted,
      expiresAt: lease.getTime(),
      waits: (error, ms) =>
        log.warn({ tenantId, notification, error, ms }, 'notification result not saved, retrying'),
    });
  } finally {
    signal.removeEventListener('abort', pauses.end);
  }
}

/**
 * Stores the result. A failure counts only under this dispatcher's lease: afterwards another may be sending
 * the row. A success is final whatever happened to the row since, and keeps its retry count.
 */
export async function settle(
  app: App,
  claimed: Claimed,
  outcome: Outcome,
  { status, retryCount, nextTry }: Verdict,
): Promise<void> {
  const { tenantId, id, lease } = claimed;
  const now = app.clock.now();
  const at = new Date(now);
  const said = outcome.status === 'delivered' ? outcome.answer : outcome.reason;
  const answer = clip(storable(said), MAX_ANSWER);
  const errorMessage = outcome.status === 'delivered' ? '' : answer;
  const left = (outcome.status === 'unreachable' && outcome.left) || claimed.left;
  const isUnanswered =
    claimed.isUnanswered || (outcome.status === 'unreachable' && outcome.unanswered === true);
  const isMissing = outcome.status !== 'delivered' && left.length > 0;
  const reported = await inTenant(app.db, tenantId, async (q) => {
    await lockLedgerOf(q, claimed);
    const query = q
      .updateTable('svc_notify_history')
      .set({
        statusFlag: DeliveryStatus[status],
        ...(status === 'SUCCESS' ? {} : { retryCount }),
        nextTryTime: nextTry === null ? null : new Date(nextTry),
        responseExt: JSON.stringify({
          status: outcome.status,
          answer,
          time: at.toISOString(),
          ...(isMissing && { left }),
        }),
        errorMessage,
        operateTime: at,
      })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id);
    const [updated] = await (
      status === 'SUCCESS'
        ? query.where('statusFlag', 'in', allowing('succeed'))
        : query.where('statusFlag', 'in', allowing('fail')).where('nextTryTime', '=', lease)
    ).execute();
    if (!updated || updated.numUpdatedRows === 0n) return combined([]);
    const isRefused = outcome.status === 'refused';
    const isPart = { before: claimed.left.length > 0, now: isMissing };
    return noteDelivery(q, claimed, {
      status,
      isRefused,
      isPart,
      isUnanswered,
      reason: errorMessage,
      now,
    });
  });
  countDelivery(app, claimed.channel, status);
  await announceNotifications(app, tenantId, reported);
  if (status === 'FAILED')
    app.log.warn(
      { tenantId, notification: id, reason: answer },
      'notification failed, not retried',
    );
}

/** A delivery ends within 15 s; a row that is SENT for longer than this belongs to a crashed dispatcher. */
const LEASE_MS = 30_000;

export type Task = { tenantId: string; channelId: string; id: string };

/** A row that only this dispatcher may send until `lease`. */
export type Claimed = Task & {
  eventFlag: number;
  deliveryId: string;
  retryCount: number;
  lease: Date;
  /** Null if the channel is deleted or disabled. */
  channel: StoredChannel | null;
  /** Null if the stored request cannot be parsed. */
  request: Request | null;
  /** The receivers that did not take it yet, while others did. */
  left: string[];
  /** A dispatcher died while it had the row: the receiver may have the message. */
  isUnanswered: boolean;
};

const Before = z.object({
  left: z.array(z.string()).default([]),
  unanswered: z.boolean().default(false),
});
const text = z.string();
const Stored = z.object({
  title: text,
  text,
  notice: z.object({
    event: z.enum(['fired', 'recovered', 'confirmed']),
    about: z.literal('channel').exactOptional(),
    tenantId: text,
    alarmId: text,
    ruleId: text,
    ruleName: text,
    level: z.enum(['P0', 'P1', 'P2', 'P3']),
    target: z.enum(['POINT', 'DEVICE', 'DRIVER', 'EVENT']),
    entityId: text,
    deviceId: text,
    deviceName: text,
    pointId: text,
    pointName: text,
    message: text,
    occurTime: text,
    link: text.exactOptional(),
    group: z.object({ count: z.number(), alarmIds: z.array(text) }).exactOptional(),
  }) satisfies z.ZodType<Notice>,
});
type Request = z.infer<typeof Stored>;

/**
 * Claims a due row with one conditional update, so that exactly one dispatcher gets it; null for the others.
 * A row left by a crashed dispatcher counts as one attempt.
 */
export async function claim(
  q: Queries,
  { tenantId, id }: Task,
  now: number,
): Promise<Claimed | null> {
  const lease = new Date(now + LEASE_MS);
  const row = await q
    .updateTable('svc_notify_history')
    .set({
      statusFlag: DeliveryStatus.SENT,
      retryCount: sql<number>`retry_count + case status_flag when ${DeliveryStatus.SENT} then 1 else 0 end`,
      nextTryTime: lease,
      responseExt: sql<string>`case status_flag when ${DeliveryStatus.SENT}
        then response_ext || '{"unanswered": true}' else response_ext end`,
      operateTime: new Date(now),
    })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('statusFlag', 'in', allowing('send'))
    .where('nextTryTime', '<=', new Date(now))
    .returning(['channelId', 'deliveryId', 'retryCount', 'target', 'requestExt', 'eventFlag'])
    .returning('responseExt')
    .executeTakeFirst();
  if (!row) return null;
  const { channelId, deliveryId, retryCount, requestExt, responseExt, eventFlag } = row;
  const channel = await channelOf(q, tenantId, channelId);
  // Record the actual receiver: the channel may have a new target, and its credential belongs to that one.
  if (channel && channel.target !== row.target)
    await q
      .updateTable('svc_notify_history')
      .set({ target: channel.target })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  const request = Stored.safeParse(requestExt).data ?? null;
  const claimed = { id, tenantId, channelId, deliveryId, retryCount, eventFlag };
  const { left = [], unanswered: isUnanswered = false } = Before.safeParse(responseExt).data ?? {};
  return { ...claimed, lease, channel, request, left, isUnanswered };
}

async function channelOf(q: Queries, tenantId: string, id: string): Promise<StoredChannel | null> {
  const row = await q
    .selectFrom('svc_notify_channel')
    .select(['id', 'channelTypeFlag as type', 'target', 'credential', 'channelExt as ext'])
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('enableFlag', '=', EnableFlag.ENABLE)
    .executeTakeFirst();
  return row ?? null;
}

const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 3_600_000;

export type Verdict = {
  status: DeliveryStatus;
  retryCount: number;
  /** Time of the next attempt (ms); null when delivery has ended. */
  nextTry: number | null;
};

/**
 * The status of a row after an attempt (docs/specification/notifications.md, Delivery states). An unreachable
 * receiver is retried after 5, 10, 20 and 40 s, of which `jitter` (0 to 1) takes off up to half, and not
 * before its Retry-After; a refusal is final.
 */
export function verdictOn(
  outcome: Outcome,
  { retryCount, now, jitter }: { retryCount: number; now: number; jitter: number },
): Verdict {
  if (outcome.status === 'delivered')
    return { status: after('SENT', 'succeed'), retryCount, nextTry: null };
  const tries = retryCount + 1;
  if (outcome.status === 'refused' || tries >= MAX_TRIES)
    return { status: after('SENT', 'fail'), retryCount, nextTry: null };
  const wait = FIRST_WAIT_MS * 2 ** retryCount * (1 - jitter / 2);
  const asked = Math.min(outcome.retryAfterMs ?? 0, MAX_WAIT_MS);
  return {
    status: after('SENT', 'fail', 'retry'),
    retryCount: tries,
    nextTry: now + Math.max(Math.round(wait), asked),
  };
}
