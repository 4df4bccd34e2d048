import type { Clock } from './clock.ts';
import { Unavailable } from './errors.ts';

/** Runs work when its turn has come. */
export type Line = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * A line: so much work is done at a time, the rest waits in order and holds nothing but its place. Work that waits longer
 * than `waitMs` throws Unavailable with the text `refusal`.
 */
export function createLine(
  clock: Pick<Clock, 'after'>,
  { atOnce, waitMs, refusal }: { atOnce: number; waitMs: number; refusal: string },
): Line {
  const waiting = new Set<() => void>();
  let free = atOnce;

  function turn(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const cancel = clock.after(waitMs, () => {
      waiting.delete(go);
      reject(new Unavailable(refusal));
    });
    const go = (): void => {
      cancel();
      resolve();
    };
    waiting.add(go);
    return promise;
  }

  function leave(): void {
    const [next] = waiting;
    if (!next) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  }

  return async (work) => {
    if (free > 0) free -= 1;
    else await turn();
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
