import type { Task } from './claim.ts';

/** How many run at once, and how many wait for each channel. */
export type Limits = { overall: number; perTenant: number; perChannel: number; waiting: number };

type Lane = { running: number; waiting: Task[] };
type Tenant = { running: number; slow: number; lanes: Map<string, Lane> };

const MAX_SLOW_CHANNELS = 10_000;

/**
 * Runs tasks in turn: tenants one after the other, within a tenant its channels, so that a receiver
 * that hangs holds up nobody but itself. Channels that were not reached last time have one task at a
 * time, and never more than half of what there is. What does not fit is not taken.
 */
export class FairQueue {
  readonly #limits: Limits;
  readonly #run: (task: Task) => Promise<boolean | null>;
  /** In the order of their turns. */
  readonly #tenants = new Map<string, Tenant>();
  readonly #known = new Set<string>();
  /** Channels that were not reached last time. */
  readonly #slow = new Set<string>();
  #slowRunning = 0;
  #running = new Set<Promise<void>>();
  #closed = false;

  /** `run` says whether the receiver was reached, null where that is not known, and never rejects. */
  constructor(limits: Limits, run: (task: Task) => Promise<boolean | null>) {
    this.#limits = limits;
    this.#run = run;
  }

  /** False where it is known already or finds no room. */
  offer(task: Task): boolean {
    if (this.#closed || this.#known.has(task.id)) return false;
    const tenant = this.#tenants.get(task.tenantId) ?? { running: 0, slow: 0, lanes: new Map() };
    const lane = tenant.lanes.get(task.channelId) ?? { running: 0, waiting: [] };
    if (lane.waiting.length >= this.#limits.waiting) return false;
    this.#tenants.set(task.tenantId, tenant);
    tenant.lanes.set(task.channelId, lane);
    lane.waiting.push(task);
    this.#known.add(task.id);
    this.#start();
    return true;
  }

  /** Forgets what waits; resolves when what runs has ended. */
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
      for (const [channelId, lane] of tenant.lanes) {
        const slow = this.#slow.has(channelId);
        if (lane.running >= (slow ? 1 : perChannel)) continue;
        if (slow && (tenant.slow >= perTenant / 2 || this.#slowRunning >= overall / 2)) continue;
        const task = lane.waiting.shift();
        if (!task) continue;
        // Whose turn it was goes to the end.
        tenant.lanes.delete(channelId);
        tenant.lanes.set(channelId, lane);
        this.#tenants.delete(tenantId);
        this.#tenants.set(tenantId, tenant);
        return task;
      }
    }
    return null;
  }

  #count({ tenantId, channelId }: Task, slow: boolean, one: 1 | -1): void {
    const tenant = this.#tenants.get(tenantId);
    const lane = tenant?.lanes.get(channelId);
    if (!tenant || !lane) return;
    lane.running += one;
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
    const lane = tenant?.lanes.get(channelId);
    if (!tenant || !lane) return;
    if (lane.running === 0 && lane.waiting.length === 0) tenant.lanes.delete(channelId);
    if (tenant.lanes.size === 0) this.#tenants.delete(tenantId);
  }
}
