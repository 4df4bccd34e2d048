import type { Clock } from '../../src/kernel/clock.ts';

const MAX_SAMPLES = 20;

/** What a device in queue mode measured while it slept, to be sent when it wakes (OMA Core 1.1, 6.4.6). */
export type Sends = {
  /** The samples since the last call, in SenML-JSON with the device's own times; null without any. */
  next(): string | null;
  close(): void;
};

export function createSends(
  clock: Clock,
  everyMs: number,
  { path, read, time }: { path: string; read: () => number; time: () => number },
): Sends {
  let samples: { t: number; v: number }[] = [];
  const stop = clock.every(everyMs, () => {
    samples = [...samples, { t: time() / 1_000, v: read() }].slice(-MAX_SAMPLES);
  });

  return {
    next() {
      const [first, ...rest] = samples;
      samples = [];
      return first ? JSON.stringify([{ bn: path, ...first }, ...rest]) : null;
    },
    close: stop,
  };
}
