import type { Clock } from './clock.ts';

/** A bounded map with entries that expire after `ttlMs`; the oldest entry is dropped for a new one. */
export class TtlCache<V> {
  readonly #entries = new Map<string, { value: V; endsAt: number }>();
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #maxEntries: number;

  constructor(clock: Clock, ttlMs: number, maxEntries: number) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
    this.#maxEntries = maxEntries;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (entry.endsAt > this.#clock.now()) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** `endsAt` (ms since epoch) can shorten the entry's life, never extend it. */
  set(key: string, value: V, endsAt = Number.POSITIVE_INFINITY): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.#maxEntries) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
    this.#entries.set(key, { value, endsAt: Math.min(endsAt, this.#clock.now() + this.#ttlMs) });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  deleteWhere(matches: (key: string, value: V) => boolean): void {
    for (const [key, entry] of this.#entries) {
      if (matches(key, entry.value)) this.#entries.delete(key);
    }
  }

  clear(): void {
    this.#entries.clear();
  }
}
