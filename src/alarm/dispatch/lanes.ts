import type { Task } from './claim.ts';

/** How many run at once, and how many wait for each channel. */
export type Limits = { overall: number; perTenant: number; perChannel: number; waiting: number };

type Lane = { running: number; waiting: Task[] };
type Tenant = { running: number; lanes: Map<string, Lane> };

/**
 * Runs tasks in turn: tenants one after the other, within a tenant its channels, so that a receiver
 * that hangs holds up nobody but itself. What does not fit is not taken.
 */
export class Lanes {
  readonly #limits: Limits;
  readonly #run: (task: Task) => Promise<void>;
  /** In the order of their turns. */
  readonly #tenants = new Map<string, Tenant>();
  readonly #known = new Set<string>();
  #running = new Set<Promise<void>>();
  #closed = false;

  /** `run` never rejects. */
  constructor(limits: Limits, run: (task: Task) => Promise<void>) {
    this.#limits = limits;
    this.#run = run;
  }

  /** False where it is known already or finds no room. */
  offer(task: Task): boolean {
    if (this.#closed || this.#known.has(task.id)) return false;
    const tenant = this.#tenants.get(task.tenantId) ?? { running: 0, lanes: new Map() };
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
      const running = this.#run(task).finally(() => {
        this.#running.delete(running);
        this.#end(task);
        this.#start();
      });
      this.#running.add(running);
    }
  }

  #next(): Task | null {
    for (const [tenantId, tenant] of this.#tenants) {
      if (tenant.running >= this.#limits.perTenant) continue;
      for (const [channelId, lane] of tenant.lanes) {
        if (lane.running >= this.#limits.perChannel) continue;
        const task = lane.waiting.shift();
        if (!task) continue;
        lane.running += 1;
        tenant.running += 1;
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

  #end({ tenantId, channelId, id }: Task): void {
    this.#known.delete(id);
    const tenant = this.#tenants.get(tenantId);
    const lane = tenant?.lanes.get(channelId);
    if (!tenant || !lane) return;
    tenant.running -= 1;
    lane.running -= 1;
    if (lane.running === 0 && lane.waiting.length === 0) tenant.lanes.delete(channelId);
    if (tenant.lanes.size === 0) this.#tenants.delete(tenantId);
  }
}
