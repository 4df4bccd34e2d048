import { sql } from 'kysely';

import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { allowing } from '../kind/delivery-status.ts';
import { deliver, type Task } from './deliver.ts';

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

/** Maximum of concurrent tasks, and of waiting tasks per channel. */
export type Limits = { overall: number; perTenant: number; perChannel: number; waiting: number };

type ChannelQueue = { running: number; waiting: Task[] };
type Tenant = { running: number; slow: number; channels: Map<string, ChannelQueue> };

const MAX_SLOW_CHANNELS = 10_000;

/**
 * Runs tasks round robin over tenants, and over the channels within a tenant, so that a receiver that hangs
 * delays only itself. A channel that was unreachable last time runs one task at a time, and all such channels
 * get at most half of the slots. A task over the limits is not taken.
 */
export class FairQueue {
  readonly #limits: Limits;
  readonly #run: (task: Task) => Promise<boolean | null>;
  /** In round-robin order. */
  readonly #tenants = new Map<string, Tenant>();
  readonly #known = new Set<string>();
  /** Channels that were unreachable last time. */
  readonly #slow = new Set<string>();
  #slowRunning = 0;
  #running = new Set<Promise<void>>();
  #closed = false;

  /** `run` answers false for an unreachable receiver, null if unknown, and never rejects. */
  constructor(limits: Limits, run: (task: Task) => Promise<boolean | null>) {
    this.#limits = limits;
    this.#run = run;
  }

  /** False if the task is already queued or running, its channel has no room, or the queue is closed. */
  offer(task: Task): boolean {
    if (this.#closed || this.#known.has(task.id)) return false;
    const tenant = this.#tenants.get(task.tenantId) ?? { running: 0, slow: 0, channels: new Map() };
    const channel = tenant.channels.get(task.channelId) ?? { running: 0, waiting: [] };
    if (channel.waiting.length >= this.#limits.waiting) return false;
    this.#tenants.set(task.tenantId, tenant);
    tenant.channels.set(task.channelId, channel);
    channel.waiting.push(task);
    this.#known.add(task.id);
    this.#start();
    return true;
  }

  /** Drops waiting tasks; resolves when running ones have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  #start(): void {
    while (!this.#closed && this.#running.size < this.#limits.overall) {
      const task = this.#next();
      if (!task) return;
      const running = this.#carry(task).finally(() => {
        this.#running.delete(running);
        this.#start();
      });
      this.#running.add(running);
    }
  }

  async #carry(task: Task): Promise<void> {
    const slow = this.#slow.has(task.channelId);
    this.#count(task, slow, 1);
    this.#remember(task, await this.#run(task));
    this.#count(task, slow, -1);
    this.#end(task);
  }

  #next(): Task | null {
    const { overall, perTenant, perChannel } = this.#limits;
    for (const [tenantId, tenant] of this.#tenants) {
      if (tenant.running >= perTenant) continue;
      for (const [channelId, channel] of tenant.channels) {
        const slow = this.#slow.has(channelId);
        if (channel.running >= (slow ? 1 : perChannel)) continue;
        if (slow && (tenant.slow >= perTenant / 2 || this.#slowRunning >= overall / 2)) continue;
        const task = channel.waiting.shift();
        if (!task) continue;
        // Round robin: move the served channel and tenant to the end.
        tenant.channels.delete(channelId);
        tenant.channels.set(channelId, channel);
        this.#tenants.delete(tenantId);
        this.#tenants.set(tenantId, tenant);
        return task;
      }
    }
    return null;
  }

  #count({ tenantId, channelId }: Task, slow: boolean, one: 1 | -1): void {
    const tenant = this.#tenants.get(tenantId);
    const channel = tenant?.channels.get(channelId);
    if (!tenant || !channel) return;
    channel.running += one;
    tenant.running += one;
    if (!slow) return;
    tenant.slow += one;
    this.#slowRunning += one;
  }

  #remember({ channelId }: Task, reached: boolean | null): void {
    if (reached === null) return;
    this.#slow.delete(channelId);
    if (reached) return;
    this.#slow.add(channelId);
    const [oldest] = this.#slow;
    if (this.#slow.size > MAX_SLOW_CHANNELS && oldest) this.#slow.delete(oldest);
  }

  #end({ tenantId, channelId, id }: Task): void {
    this.#known.delete(id);
    const tenant = this.#tenants.get(tenantId);
    const channel = tenant?.channels.get(channelId);
    if (!tenant || !channel) return;
    if (channel.running === 0 && channel.waiting.length === 0) tenant.channels.delete(channelId);
    if (tenant.channels.size === 0) this.#tenants.delete(tenantId);
  }
}
