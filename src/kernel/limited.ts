import type { Clock } from './clock.ts';

/** The outcome of `work`, or undefined when it takes longer than `ms`. */
export async function limited<T>(
  clock: Clock,
  ms: number,
  work: Promise<T>,
): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const cancel = clock.after(ms, () => late.resolve(undefined));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
}
