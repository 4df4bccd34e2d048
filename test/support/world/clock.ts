import type { Clock } from '../../../src/kernel/clock.ts';

type Timer = { at: number; order: number; fire: () => void };

const START = Date.parse('2026-01-05T08:00:00.000Z');

/** A clock that stands still until a test moves it. */
export class TestClock implements Clock {
  #now: number;
  #order = 0;
  #timers = new Set<Timer>();
  #running = new Set<Promise<unknown>>();

  /** Starts at `start` (milliseconds since the epoch, default Monday 2026-01-05 08:00 UTC). */
  constructor(start = START) {
    this.#now = start;
  }

  /** How many timers wait: zero after a clean stop. */
  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = this.#add(ms, run);
    return () => void this.#timers.delete(timer);
  }

  every(ms: number, run: () => Promise<void> | void): () => void {
    let going = false;
    const fire = () => {
      timer = this.#add(ms, fire);
      if (going) return;
      going = true;
      const done = Promise.try(run).finally(() => {
        going = false;
        this.#running.delete(done);
      });
      this.#running.add(done);
    };
    let timer = this.#add(ms, fire);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /**
   * Moves time forward by `ms`, stopping at each due timer in order; between two timers microtasks
   * and one round of real input and output run. Rejects with what an `after` callback threw.
   */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    await nextRound();
    for (let timer = this.#next(target); timer; timer = this.#next(target)) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.fire();
      await nextRound();
    }
    this.#now = Math.max(this.#now, target);
  }

  /** Waits until no `every` run is under way, for runs that do real input or output. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  // At least 1 ms, as Node's own timers: a timer that re-arms itself with 0 would never let `advance` end.
  #add(ms: number, fire: () => void): Timer {
    const timer = { at: this.#now + Math.max(1, ms), order: this.#order++, fire };
    this.#timers.add(timer);
    return timer;
  }

  #next(target: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at > target) continue;
      if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
        first = timer;
    }
    return first;
  }
}

function nextRound(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
