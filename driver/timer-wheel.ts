import type { Clock } from '../src/kernel/clock.ts';

type Link = { before: Link | null; after: Link | null };

export type WheelTimer = Link & { tick: number; run: () => void };

const TICK_MS = 200;
const SLOTS = 512; // one turn is 102 s, beyond the longest retransmission (93 s)

/**
 * Many short timers on one clock tick; counts ticks, so a change of the system time does no harm. The timers of a slot
 * are a ring and not a `Set`: each table that a growing set leaves behind keeps all later ones, and what they held,
 * until the old generation is collected.
 */
export class TimerWheel {
  #slots: Link[] = Array.from({ length: SLOTS }, newRing);
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
    const tick = this.#tick + Math.max(0, Math.ceil(ms / TICK_MS)) + 1;
    const timer: WheelTimer = { before: null, after: null, tick, run };
    const ring = this.#slots[tick % SLOTS];
    if (ring) insert(timer, ring);
    this.#size++;
    return timer;
  }

  cancel(timer: WheelTimer): void {
    if (remove(timer)) this.#size--;
  }

  close(): void {
    this.#stop?.();
    this.#stop = null;
    this.#slots = this.#slots.map(newRing);
    this.#size = 0;
  }

  #turn(): void {
    this.#tick++;
    for (const timer of this.#dueIn(this.#slots[this.#tick % SLOTS])) {
      // One that ran before may have cancelled it.
      if (!remove(timer)) continue;
      this.#size--;
      timer.run();
    }
    // Stopped here and not in cancel: an endpoint under load would restart the tick per message.
    if (this.#size === 0) {
      this.#stop?.();
      this.#stop = null;
    }
  }

  #dueIn(ring: Link | undefined): WheelTimer[] {
    const due: WheelTimer[] = [];
    for (let link = ring?.after; link && link !== ring; link = link.after)
      if (isTimer(link) && link.tick <= this.#tick) due.push(link);
    return due;
  }
}

const isTimer = (link: Link): link is WheelTimer => 'run' in link;

/** A ring of nothing but its head. */
function newRing(): Link {
  const head: Link = { before: null, after: null };
  head.before = head;
  head.after = head;
  return head;
}

function insert(link: Link, head: Link): void {
  link.before = head.before;
  link.after = head;
  if (head.before) head.before.after = link;
  head.before = link;
}

/** False for one that is in no ring any more. */
function remove(link: Link): boolean {
  const { before, after } = link;
  if (!before || !after) return false;
  before.after = after;
  after.before = before;
  link.before = null;
  link.after = null;
  return true;
}
