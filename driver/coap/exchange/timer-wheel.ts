import type { Clock } from '../../../src/core/clock.ts';

export type WheelTimer = { tick: number; run: () => void };

const TICK_MS = 200;
const SLOTS = 512; // one turn is 102 s, beyond the longest retransmission (93 s)

/** Many short timers on one clock tick; counts ticks, so a change of the system time does no harm. */
export class TimerWheel {
  #slots: Set<WheelTimer>[] = Array.from({ length: SLOTS }, () => new Set());
  #clock: Clock;
  #size = 0;
  #tick = 0;
  #stop: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `run` once after `ms`, at most one tick late, unless cancelled. */
  add(ms: number, run: () => void): WheelTimer {
    this.#stop ??= this.#clock.every(TICK_MS, () => this.#turn());
    // One more than the whole ticks: part of the current tick is over.
    const timer = { tick: this.#tick + Math.max(0, Math.ceil(ms / TICK_MS)) + 1, run };
    this.#slots[timer.tick % SLOTS]?.add(timer);
    this.#size++;
    return timer;
  }

  cancel(timer: WheelTimer): void {
    if (this.#slots[timer.tick % SLOTS]?.delete(timer)) this.#size--;
  }

  close(): void {
    this.#stop?.();
    this.#stop = null;
    for (const slot of this.#slots) slot.clear();
    this.#size = 0;
  }

  #turn(): void {
    this.#tick++;
    const slot = this.#slots[this.#tick % SLOTS];
    if (slot && slot.size > 0) {
      for (const timer of slot) {
        if (timer.tick > this.#tick || !slot.delete(timer)) continue;
        this.#size--;
        timer.run();
      }
    }
    // Stopped here and not in cancel: an endpoint under load would restart the tick per message.
    if (this.#size === 0) {
      this.#stop?.();
      this.#stop = null;
    }
  }
}
