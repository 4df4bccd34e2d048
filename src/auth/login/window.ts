import type { Clock } from '../../kernel/clock.ts';

const ALL = 'all';

/** How many within a minute. */
type Most = {
  /** One source can use a part of the whole only. */
  source: number;
  all: number;
  /** Of a source, whatever others did: a flood from many sources locks no new one out. */
  free: number;
};

/** Bounds what callers without a credential may have stored. */
export class SourceLimit {
  readonly #sources: Window;
  readonly #free: Window;
  readonly #all: Window;

  constructor(clock: Clock, { source, all, free }: Most) {
    this.#sources = new Window(clock, source);
    this.#free = new Window(clock, free);
    this.#all = new Window(clock, all);
  }

  /** Counts one; returns the seconds to wait, 0 when it is allowed. */
  take(source: string): number {
    const isFree = this.#free.waitMs(source) === 0;
    const waitMs = isFree ? 0 : Math.max(this.#sources.waitMs(source), this.#all.waitMs(ALL));
    if (waitMs > 0) return Math.ceil(waitMs / 1_000);
    if (isFree) this.#free.add(source);
    this.#sources.add(source);
    this.#all.add(ALL);
    return 0;
  }
}

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
