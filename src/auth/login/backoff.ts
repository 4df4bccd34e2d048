import type { Clock } from '../../kernel/clock.ts';

const WINDOW_MS = 60_000;
const MAX_FAILURES = 5;
const MAX_DELAY_MS = 300_000;
/** After this long without a failure a key starts over. */
const FORGET_MS = 900_000;
const MAX_KEYS = 10_000;

type Record = { failures: number[]; level: number; blockedUntil: number; lastFailure: number };

/**
 * Five failures within a minute block a key for a minute, each further one for two, four and at most five
 * minutes; never for good. Keeps the keys that failed last.
 */
export class Backoff {
  readonly #clock: Clock;
  readonly #records = new Map<string, Record>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds that `key` stays blocked; 0 if it is not. */
  waitMs(key: string): number {
    return Math.max(0, (this.#records.get(key)?.blockedUntil ?? 0) - this.#clock.now());
  }

  failed(key: string): void {
    const now = this.#clock.now();
    const known = this.#records.get(key);
    const record =
      known && known.lastFailure > now - FORGET_MS
        ? known
        : { failures: [], level: 0, blockedUntil: 0, lastFailure: now };
    record.lastFailure = now;
    record.failures = [...record.failures.filter((at) => at > now - WINDOW_MS), now];
    if (record.failures.length >= MAX_FAILURES || record.level > 0) {
      record.blockedUntil = now + Math.min(WINDOW_MS * 2 ** record.level, MAX_DELAY_MS);
      record.level += 1;
      record.failures = [];
    }
    // Re-inserted, so that the map is ordered by last failure and the oldest key is dropped.
    this.#records.delete(key);
    if (this.#records.size >= MAX_KEYS) {
      const oldest = this.#records.keys().next();
      if (!oldest.done) this.#records.delete(oldest.value);
    }
    this.#records.set(key, record);
  }

  succeeded(key: string): void {
    this.#records.delete(key);
  }
}
