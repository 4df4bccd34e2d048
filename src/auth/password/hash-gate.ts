import { availableParallelism } from 'node:os';

import { TooManyRequests } from '../../core/errors.ts';

const MAX_RUNNING = Math.max(2, availableParallelism());
const MAX_WAITING = 64;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Runs one password hash, at most one per core at a time in this process, because each costs 19 MiB
 * and tens of milliseconds. A bounded number waits; the rest get TooManyRequests (429).
 */
export async function gated<T>(hash: () => Promise<T>): Promise<T> {
  if (running >= MAX_RUNNING) {
    if (waiting.length >= MAX_WAITING) throw new TooManyRequests('Too many logins at once', 1);
    // Whoever leaves hands its place on, so `running` stays as it is.
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    running += 1;
  }
  try {
    return await hash();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
