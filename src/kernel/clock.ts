/** Injected time source: code below `platform.ts` takes the time from it. */
export type Clock = {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds of a monotonic clock: not affected when the system time is set. */
  elapsed(): number;
  /** Calls `run` once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Calls `run` every `ms` until cancelled; a tick is skipped while the previous run is pending. */
  every(ms: number, run: () => Promise<void> | void): () => void;
};

/** Node's timers hold 24.8 days; a longer delay would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, run) {
    // What is due already may be so by a fraction of a millisecond, for which Node would warn.
    const timer = setTimeout(run, Math.max(0, Math.min(ms, MAX_TIMER_MS)));
    timer.unref();
    return () => clearTimeout(timer);
  },
  every(ms, run) {
    let running = false;
    const timer = setInterval(
      () => {
        if (running) return;
        running = true;
        void Promise.try(run).finally(() => {
          running = false;
        });
      },
      Math.min(ms, MAX_TIMER_MS),
    );
    timer.unref();
    return () => clearInterval(timer);
  },
};

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
