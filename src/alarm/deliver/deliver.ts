import { randomInt } from 'node:crypto';

import { createPauses, retryWhileUnavailable } from '../../bus/retry.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { storable } from '../../kernel/input/text.ts';
import type { Outcome } from '../channel/channel.ts';
import { allowing, DeliveryStatus } from '../kind/delivery-status.ts';
import { claim, type Claimed, type Task } from './claim.ts';
import { clip } from './render.ts';
import { type Message, sendBy, type StoredChannel } from './send-by.ts';
import { MAX_TRIES, type Verdict, verdictOn } from './verdict.ts';

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
  return outcome.status !== 'unreachable';
}

type Ready = { channel: StoredChannel; message: Message };

/** What is to be sent over which channel, or why it cannot be. */
function readyOf({ deliveryId: id, channel, request, retryCount }: Claimed): Ready | Outcome {
  const refused = (reason: string): Outcome => ({ status: 'refused', reason });
  // The last attempt ended with a dispatcher crash, so no verdict has applied the limit yet.
  if (retryCount >= MAX_TRIES) return refused('no dispatcher lived to send it');
  if (!channel) return refused('the channel is gone or disabled');
  if (!request) return refused('what was to be sent cannot be read');
  const { title: subject, text, notice } = request;
  return { channel, message: { id, subject, text, notice } };
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
async function settle(
  app: App,
  { tenantId, id, lease }: Claimed,
  outcome: Outcome,
  { status, retryCount, nextTry }: Verdict,
): Promise<void> {
  const at = new Date(app.clock.now());
  const said = outcome.status === 'delivered' ? outcome.answer : outcome.reason;
  const answer = clip(storable(said), MAX_ANSWER);
  const errorMessage = outcome.status === 'delivered' ? '' : answer;
  await inTenant(app.db, tenantId, (q) => {
    const query = q
      .updateTable('svc_notify_history')
      .set({
        statusFlag: DeliveryStatus[status],
        ...(status === 'SUCCESS' ? {} : { retryCount }),
        nextTryTime: nextTry === null ? null : new Date(nextTry),
        responseExt: JSON.stringify({ status: outcome.status, answer, time: at.toISOString() }),
        errorMessage,
        operateTime: at,
      })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id);
    return status === 'SUCCESS'
      ? query.where('statusFlag', 'in', allowing('succeed')).execute()
      : query
          .where('statusFlag', 'in', allowing('fail'))
          .where('nextTryTime', '=', lease)
          .execute();
  });
  if (status === 'FAILED')
    app.log.warn(
      { tenantId, notification: id, reason: answer },
      'notification failed, not retried',
    );
}
