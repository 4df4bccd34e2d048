import type { Clock } from '../../../kernel/clock.ts';

/** PDFs that are read at the same time, each by a process of its own. */
const MAX_AT_ONCE = 2;
const MAX_WAITING = 16;

let inside = 0;
const waiting = new Set<() => void>();

/** Waits for a place, at most `withinMs`; false when there is none. Each place that is taken is left again. */
export async function enter(clock: Clock, withinMs: number): Promise<boolean> {
  if (inside < MAX_AT_ONCE) {
    inside += 1;
    return true;
  }
  if (waiting.size >= MAX_WAITING || withinMs <= 0) return false;
  return new Promise((resolve) => {
    const cancel = clock.after(withinMs, () => {
      waiting.delete(take);
      resolve(false);
    });
    const take = () => {
      cancel();
      resolve(true);
    };
    waiting.add(take);
  });
}

/** Hands the place to the one that has waited longest. */
export function leave(): void {
  const [next] = waiting;
  if (!next) {
    inside -= 1;
    return;
  }
  waiting.delete(next);
  next();
}
