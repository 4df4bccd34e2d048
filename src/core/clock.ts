/** Time is an argument: nothing below `main.ts` asks the machine for it. */
export type Clock = {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds since some moment in the past: never jumps when the time of the machine is set. */
  elapsed(): number;
  /** Calls `run` once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Calls `run` every `ms` until cancelled; a run that is still going is not started again. */
  every(ms: number, run: () => Promise<void> | void): () => void;
};

/** Node's timers hold 24.8 days; asked for more they fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, MAX_TIMER_MS));
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
