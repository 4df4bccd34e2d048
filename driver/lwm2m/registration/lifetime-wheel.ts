import type { Clock } from '../../../src/kernel/clock.ts';

const TICK_MS = 1_000;

/** Ids that expire, each at its own time, which its owner knows. */
export type LifetimeWheel = {
  /**
   * Looks at `id` at this time at the latest, in milliseconds since the epoch. A look that is due before stays: most
   * lifetimes are extended again and again, and one that is not over then is set anew.
   */
  set(id: string, expiresAt: number): void;
  remove(id: string): void;
  stop(): void;
};

/** One timer for all lifetimes: each id is in the slot of the second after its end, when `look` is called with it. */
export function createLifetimeWheel(clock: Clock, look: (id: string) => void): LifetimeWheel {
  const slots = new Map<number, Set<string>>();
  const slotOfId = new Map<string, number>();
  let done = slotAt(clock.now());

  function remove(id: string): void {
    const slot = slotOfId.get(id);
    if (slot === undefined) return;
    slotOfId.delete(id);
    const ids = slots.get(slot);
    ids?.delete(id);
    if (ids?.size === 0) slots.delete(slot);
  }

  function turn(): void {
    const now = slotAt(clock.now());
    // After a long sleep of the machine there are fewer filled slots than seconds.
    const over =
      now - done > slots.size
        ? [...slots.keys()].filter((slot) => slot <= now)
        : Array.from({ length: now - done }, (_, i) => done + 1 + i);
    done = now;
    for (const slot of over)
      for (const id of slots.get(slot) ?? []) {
        remove(id);
        look(id);
      }
  }

  return {
    set(id, expiresAt) {
      const slot = Math.max(slotAt(expiresAt) + 1, done + 1);
      if ((slotOfId.get(id) ?? Number.POSITIVE_INFINITY) <= slot) return;
      remove(id);
      const ids = slots.get(slot) ?? new Set();
      slots.set(slot, ids.add(id));
      slotOfId.set(id, slot);
    },
    remove,
    stop: clock.every(TICK_MS, turn),
  };
}

function slotAt(ms: number): number {
  return Math.floor(ms / TICK_MS);
}

/** Last moment of a Date. */
const NEVER = 8.64e15;

/** A lifetime of 0 never ends (OMA Core 1.1, E.2: Lifetime). */
export const expiryOf = (lifetimeS: number, now: number): number =>
  lifetimeS === 0 ? NEVER : now + lifetimeS * 1_000;
