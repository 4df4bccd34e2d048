import type { Clock } from '../../src/kernel/clock.ts';

/** Thrown by `within` after its time limit. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
}

/** The outcome of `work`, or a rejection with `OutOfTime` after `ms`; the work itself is not stopped. */
export async function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(ms, () => reject(new OutOfTime(`no answer within ${ms} ms`)));
  try {
    return await Promise.race([work, promise]);
  } finally {
    cancel();
  }
}

const LOOK_MS = 25;

/** Polls `isSo`; resolves once it holds, or at `end` (ms, by `clock.now()`). */
export async function until(clock: Clock, end: number, isSo: () => boolean): Promise<void> {
  while (!isSo() && clock.now() < end)
    await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve));
}

/** Tries `work` up to `delaysMs.length + 1` times, waiting between tries; rejects with the last failure. */
export async function retry<T>(
  clock: Clock,
  delaysMs: readonly number[],
  work: () => Promise<T>,
): Promise<T> {
  for (const delay of delaysMs) {
    try {
      return await work();
    } catch {
      const { promise, resolve } = Promise.withResolvers<void>();
      clock.after(delay, resolve);
      await promise;
    }
  }
  return work();
}
