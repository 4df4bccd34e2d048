import type { Clock } from './clock.ts';

type Owner = { clock: Clock; engine: 'embedded' | 'postgres' };

/** State in memory of a folder, which bounds it: a cache, a counter or a queue, by the App that owns it. */
export type Slot<T extends object> = (owner: Owner) => T;

/** Finds the state of one App. */
export type Slots = <T extends object>(slot: Slot<T>) => T;

/** Declares state in memory: each App makes its own at the first `app.of(slot)`. */
export function slot<T extends object>(
  open: (clock: Clock, engine: Owner['engine']) => T,
): Slot<T> {
  const states = new WeakMap<Owner, T>();
  return (owner) => {
    const state = states.get(owner) ?? open(owner.clock, owner.engine);
    states.set(owner, state);
    return state;
  };
}

/** Nothing is shared between Apps, and nothing survives the process. */
export function openSlots(clock: Clock, engine: Owner['engine']): Slots {
  const owner = { clock, engine };
  return (wanted) => wanted(owner);
}
