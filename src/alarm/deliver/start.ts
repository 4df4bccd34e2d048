import { sql } from 'kysely';

import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { allowing } from '../kind/delivery-status.ts';
import { deliver, type Task } from './deliver.ts';
import { FairQueue } from './fair-queue.ts';

const SWEEP_MS = 2_000;
const LIMITS = { overall: 64, perTenant: 16, perChannel: 2, waiting: 100 };
/** Rows per sweep: in all, per tenant and per channel. */
const BATCH = { overall: 500, perTenant: 50, perChannel: 8 };
/** Time for running deliveries to finish at shutdown before they are aborted. */
const GRACE_MS = 2_000;

/**
 * Sends notifications: those published on the bus, and due rows in the table (lost by the bus, receiver
 * unreachable, or left by a crashed dispatcher).
 */
export async function startDispatch(app: App): Promise<{ stop(): Promise<void> }> {
  const stopping = new AbortController();
  const queue = new FairQueue(LIMITS, (task) =>
    deliver(app, task, stopping.signal).catch((error: unknown) => {
      app.log.error({ error, notification: task.id }, 'a notification could not be dispatched');
      return null;
    }),
  );
  const subscription = await app.bus.subscribe(
    'svc.e.notify',
    { queue: 'svc.q.notify', key: '#', prefetch: 16 },
    // Acknowledged at once: the row is durable, and a receiver that hangs must not block the queue.
    async ({ tenantId, channelId, notifyHistoryId: id }) =>
      void queue.offer({ tenantId, channelId, id }),
  );
  let sweeping = Promise.resolve();
  const cancel = app.clock.every(SWEEP_MS, () => {
    sweeping = due(app).then(
      (tasks) => tasks.forEach((task) => queue.offer(task)),
      (error: unknown) => app.log.error({ error }, 'the sweep for notifications failed'),
    );
    return sweeping;
  });
  return {
    async stop() {
      cancel();
      await subscription.cancel();
      await sweeping;
      const abort = app.clock.after(GRACE_MS, () => stopping.abort());
      await queue.close();
      abort();
    },
  };
}

/** Due rows, interleaved by tenant and channel. */
function due({ db, clock }: App): Promise<Task[]> {
  const at = new Date(clock.now());
  return acrossTenants(db, 'sweeper', async (q) => {
    const { rows } = await sql<Task>`
      select id, "tenantId", "channelId" from (
        select id, "tenantId", "channelId", next_try_time,
          row_number() over (partition by "tenantId" order by turn, next_try_time, id) as "tenantTurn"
        from (
          select id, tenant_id as "tenantId", channel_id as "channelId", next_try_time,
            row_number() over (partition by tenant_id, channel_id order by next_try_time, id) as turn
          from svc_notify_history
          where status_flag in (${sql.join(allowing('send'))}) and next_try_time <= ${at}) waiting
        where turn <= ${BATCH.perChannel}) due
      where "tenantTurn" <= ${BATCH.perTenant}
      order by "tenantTurn", next_try_time limit ${BATCH.overall}`.execute(q);
    return rows;
  });
}
