import type { Clock } from '../../kernel/clock.ts';
import { Window } from './window.ts';

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
