import type { Task } from './deliver.ts';

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
