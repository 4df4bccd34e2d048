import type { Clock } from '../../../src/kernel/clock.ts';

const WINDOW_MS = 1_000;
/** Requests of all tenants in a second, and the least that each may send. */
const MAX_REQUESTS = 1_000;
const LEAST_SHARE = 50;

/** Bounds requests: the tenants that send in a second share the whole. */
export class Rate {
  readonly #clock: Clock;
  #since = Number.NEGATIVE_INFINITY;
  #counts = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a request; false where the tenant has had its share of this second. */
  allows(tenantId: string): boolean {
    const now = this.#clock.elapsed();
    if (now - this.#since >= WINDOW_MS) {
      this.#since = now;
      this.#counts = new Map();
    }
    const count = (this.#counts.get(tenantId) ?? 0) + 1;
    this.#counts.set(tenantId, count);
    return count <= Math.max(LEAST_SHARE, MAX_REQUESTS / this.#counts.size);
  }
}
