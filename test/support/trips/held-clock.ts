import { systemClock } from '../../../src/core/clock.ts';
import { ShiftedClock } from '../world/shifted-clock.ts';

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
