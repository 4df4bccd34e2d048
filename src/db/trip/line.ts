import type { Clock } from '../../core/clock.ts';
import { Unavailable } from '../../core/errors.ts';

/** More than the connections of a pool: none of them waits while a trip is made up. */
const AHEAD = 16;

/** Runs work when its turn has come. */
export type Line = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * A line before the pool: at most 16 trips are made up at a time, the others wait in order and hold nothing but their
 * place. The statements of a thousand trips that wait for ten connections would be eighty megabytes. Throws Unavailable
 * after `waitMs`.
 */
export function createLine(clock: Pick<Clock, 'after'>, waitMs: number): Line {
  const waiting = new Set<() => void>();
  let free = AHEAD;

  function turn(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const cancel = clock.after(waitMs, () => {
      waiting.delete(go);
      reject(new Unavailable('The database does not answer now'));
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
