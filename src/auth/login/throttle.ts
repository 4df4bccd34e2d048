import type { Clock } from '../../core/clock.ts';
import { TooManyRequests } from '../../core/errors.ts';

const WINDOW_MS = 60_000;
const MAX_PER_NAME = 5;
const MAX_OVERALL = 200;
const MAX_DELAY_MS = 300_000;
/** After this long without a failure a name starts anew. */
const FORGET_MS = 900_000;
const MAX_NAMES = 10_000;
const MAX_WAITING = 100;

type Name = { failures: number[]; level: number; blockedUntil: number; lastFailure: number };

/**
 * Slows down guessing: after five failures within a minute a name waits a minute, then two, up to
 * five; never for good. Names that do not exist are counted alike, successes are not counted at all.
 */
export class Throttle {
  readonly #clock: Clock;
  readonly #names = new Map<string, Name>();
  readonly #turns = new Map<string, { last: Promise<unknown>; waiting: number }>();
  #overall: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs one attempt for `key`; `attempt` resolves to undefined for a failure. Attempts of the same
   * key run one after the other, so that a burst cannot outrun its own failures. Throws
   * TooManyRequests (429) with the seconds to wait.
   */
  async attempt<T>(key: string, attempt: () => Promise<T | undefined>): Promise<T | undefined> {
    return this.#inTurn(key, async () => {
      this.demandAllowed(key);
      const result = await attempt();
      if (result === undefined) this.failed(key);
      else this.#names.delete(key);
      return result;
    });
  }

  async #inTurn<T>(key: string, run: () => Promise<T>): Promise<T> {
    const queue = this.#turns.get(key) ?? { last: Promise.resolve(), waiting: 0 };
    if (queue.waiting >= MAX_WAITING) throw tooMany(1_000);
    this.#turns.set(key, queue);
    queue.waiting += 1;
    const mine = queue.last.then(run, run);
    queue.last = mine.catch(() => {});
    try {
      return await mine;
    } finally {
      queue.waiting -= 1;
      if (queue.waiting === 0) this.#turns.delete(key);
    }
  }

  /** Throws TooManyRequests (429) while `key` has to wait. */
  demandAllowed(key: string): void {
    const now = this.#clock.now();
    const blockedUntil = this.#names.get(key)?.blockedUntil ?? 0;
    if (blockedUntil > now) throw tooMany(blockedUntil - now);
    this.#overall = this.#overall.filter((at) => at > now - WINDOW_MS);
    const [oldest] = this.#overall;
    if (oldest !== undefined && this.#overall.length >= MAX_OVERALL) {
      throw tooMany(oldest + WINDOW_MS - now);
    }
  }

  /** Counts a failure of `key`. */
  failed(key: string): void {
    const now = this.#clock.now();
    this.#overall.push(now);
    const known = this.#names.get(key);
    const name =
      known && known.lastFailure > now - FORGET_MS
        ? known
        : { failures: [], level: 0, blockedUntil: 0, lastFailure: now };
    name.lastFailure = now;
    name.failures = [...name.failures.filter((at) => at > now - WINDOW_MS), now];
    if (name.failures.length >= MAX_PER_NAME || name.level > 0) {
      name.blockedUntil = now + Math.min(WINDOW_MS * 2 ** name.level, MAX_DELAY_MS);
      name.level += 1;
      name.failures = [];
    }
    // Re-inserted, so that the map is ordered by last failure and the oldest makes room.
    this.#names.delete(key);
    if (this.#names.size >= MAX_NAMES) {
      const oldest = this.#names.keys().next();
      if (!oldest.done) this.#names.delete(oldest.value);
    }
    this.#names.set(key, name);
  }
}

function tooMany(waitMs: number): TooManyRequests {
  return new TooManyRequests('Too many failed attempts', Math.ceil(waitMs / 1_000));
}
