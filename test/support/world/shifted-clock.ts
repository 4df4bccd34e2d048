import { type Clock, systemClock } from '../../../src/kernel/clock.ts';

/** Real time moved by hand: timers run as usual, `now()` jumps by what was shifted. */
export class ShiftedClock implements Clock {
  #offsetMs = 0;

  now(): number {
    return systemClock.now() + this.#offsetMs;
  }

  elapsed(): number {
    return systemClock.elapsed() + this.#offsetMs;
  }

  after(ms: number, run: () => void): () => void {
    return systemClock.after(ms, run);
  }

  every(ms: number, run: () => Promise<void> | void): () => void {
    return systemClock.every(ms, run);
  }

  shift(ms: number): void {
    this.#offsetMs += ms;
  }
}

/** A wall clock that somebody sets by hand: how much time has passed stays true. */
export class SkewedClock extends ShiftedClock {
  override elapsed(): number {
    return systemClock.elapsed();
  }
}

/** Real time in which waits of at least `longMs` take only a part of that: one in `times`. */
export class ImpatientClock extends ShiftedClock {
  readonly #longMs: number;
  readonly #times: number;

  constructor(longMs: number, times: number) {
    super();
    this.#longMs = longMs;
    this.#times = times;
  }

  override after(ms: number, run: () => void): () => void {
    return super.after(ms >= this.#longMs ? ms / this.#times : ms, run);
  }
}

/** Real time that runs so many `times` as fast, timers too. */
export class FastClock extends ShiftedClock {
  readonly #times: number;
  readonly #from = systemClock.now();

  constructor(times: number) {
    super();
    this.#times = times;
  }

  override now(): number {
    return Math.round(this.#from + (super.now() - this.#from) * this.#times);
  }

  override elapsed(): number {
    return super.elapsed() * this.#times;
  }

  override after(ms: number, run: () => void): () => void {
    return super.after(ms / this.#times, run);
  }

  override every(ms: number, run: () => Promise<void> | void): () => void {
    return super.every(ms / this.#times, run);
  }
}

/** Real time until it is held: then time moves by `shift` alone, and no timer fires. */
export class HeldClock extends ShiftedClock {
  #heldAt: number | null = null;

  override now(): number {
    return this.#heldAt ?? super.now();
  }

  override elapsed(): number {
    return this.now();
  }

  override after(ms: number, run: () => void): () => void {
    return systemClock.after(ms, () => {
      if (this.#heldAt === null) run();
    });
  }

  override every(ms: number, run: () => Promise<void> | void): () => void {
    return systemClock.every(ms, () => (this.#heldAt === null ? run() : undefined));
  }

  override shift(ms: number): void {
    if (this.#heldAt === null) super.shift(ms);
    else this.#heldAt += ms;
  }

  hold(): void {
    this.#heldAt = super.now();
  }
}
