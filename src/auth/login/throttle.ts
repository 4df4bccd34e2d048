import type { Clock } from '../../kernel/clock.ts';
import { CountByKey } from '../../kernel/count.ts';
import { TooManyRequests } from '../../kernel/errors.ts';
import { KeyedQueue } from '../../kernel/queue.ts';
import { slot } from '../../kernel/slot.ts';
import type { HashClient } from '../credential/hash-gate.ts';
import { Backoff } from './backoff.ts';
import { Window } from './window.ts';

const MAX_NAMES = 10_000;
const MAX_SOURCES = 16;

/** Failures of one source within a minute, over all names: enough for the typing errors of a whole site. */
const MAX_PER_SOURCE = 60;
/** Behind the attempt that is under way. */
const MAX_WAITING = 99;

/** The name that is tried, and the source of the attempt (`sourceOf`). */
export type Attempter = { name: string; source: string };

/**
 * Slows down guessing at its source: a name by its failures from the same source, and a source by its
 * failures over all names. Other sources are not affected, so that no client can lock a name for others; a
 * name that succeeded from a source before is exempt from the source's limit. Unknown names count like
 * known ones, successes do not count. hash-gate.ts bounds the concurrent hashes.
 */
export class Throttle {
  readonly #names: Backoff;
  readonly #sources: Window;
  readonly #familiar = new KnownSources();
  readonly #underWay = new CountByKey();
  readonly #turns: KeyedQueue;

  constructor(clock: Clock) {
    this.#names = new Backoff(clock);
    this.#sources = new Window(clock, MAX_PER_SOURCE);
    this.#turns = new KeyedQueue(clock, {
      atOnce: 1,
      maxWaiting: MAX_WAITING,
      refusal: () => tooMany(1_000),
    });
  }

  /**
   * Runs one attempt, which gets the client for its hash; `attempt` resolves to undefined for a failure.
   * Attempts for one name from one source run one after the other, so that a burst cannot outrun its own
   * failures. Throws TooManyRequests (429) with the seconds to wait.
   */
  async attempt<T>(
    who: Attempter,
    attempt: (client: HashClient) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const key = keyOf(who);
    const { name, source } = who;
    return this.#turns.run(key, async () => {
      const underWay = this.#underWay.of(source);
      const isKnown = this.isFamiliar(who);
      const waitMs = Math.max(
        this.#names.waitMs(key),
        isKnown ? 0 : this.#sources.waitMs(source, underWay),
      );
      if (waitMs > 0) throw tooMany(waitMs);
      this.#underWay.add(source, 1);
      try {
        const result = await attempt({ source, isKnown });
        if (result === undefined) {
          this.#names.failed(key);
          this.#sources.add(source);
        } else {
          this.#names.succeeded(key);
          this.#familiar.add(name, source);
        }
        return result;
      } finally {
        this.#underWay.add(source, -1);
      }
    });
  }

  /** Whether the name succeeded from this source before. */
  isFamiliar({ name, source }: Attempter): boolean {
    return this.#familiar.has(name, source);
  }
}

const keyOf = ({ name, source }: Attempter): string => JSON.stringify([source, name]);

function tooMany(waitMs: number): TooManyRequests {
  return new TooManyRequests('Too many failed attempts', Math.ceil(waitMs / 1_000));
}

export const LOGIN_THROTTLE = slot((clock) => new Throttle(clock));

/** Sources of successful attempts per name: the last 16 sources of the last 10,000 names. */
export class KnownSources {
  readonly #sources = new Map<string, Set<string>>();

  has(name: string, source: string): boolean {
    return this.#sources.get(name)?.has(source) ?? false;
  }

  add(name: string, source: string): void {
    const sources = this.#sources.get(name) ?? new Set();
    // Both are re-inserted, so that the least recently used entry is dropped first.
    sources.delete(source);
    sources.add(source);
    dropOldest(sources, MAX_SOURCES);
    this.#sources.delete(name);
    this.#sources.set(name, sources);
    dropOldest(this.#sources, MAX_NAMES);
  }
}

function dropOldest(kept: Set<string> | Map<string, unknown>, max: number): void {
  if (kept.size <= max) return;
  const oldest = kept.keys().next();
  if (!oldest.done) kept.delete(oldest.value);
}
