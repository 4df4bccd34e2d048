import type { Clock } from '../../kernel/clock.ts';

const WINDOW_MS = 60_000;
const MAX_KEYS = 10_000;

/** Counts events per key within the last minute, for the keys with the latest events. */
export class Window {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #times = new Map<string, number[]>();

  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Milliseconds until `key` may have another event beside `underWay` pending ones; 0 when it may now. */
  waitMs(key: string, underWay = 0): number {
    const now = this.#clock.now();
    const times = this.#recent(key, now);
    if (times.length + underWay < this.#limit) return 0;
    const oldest = times.at(-this.#limit);
    return oldest === undefined ? 1_000 : oldest + WINDOW_MS - now;
  }

  add(key: string): void {
    const now = this.#clock.now();
    const times = [...this.#recent(key, now), now].slice(-this.#limit);
    // Re-inserted, so that the map is ordered by time and the oldest key is dropped.
    this.#times.delete(key);
    if (this.#times.size >= MAX_KEYS) {
      const oldest = this.#times.keys().next();
      if (!oldest.done) this.#times.delete(oldest.value);
    }
    this.#times.set(key, times);
  }

  #recent(key: string, now: number): number[] {
    return (this.#times.get(key) ?? []).filter((at) => at > now - WINDOW_MS);
  }
}
