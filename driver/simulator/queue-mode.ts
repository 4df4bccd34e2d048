import type { Socket } from 'node:dgram';

import type { Clock } from '../../src/kernel/clock.ts';

const MAX_SAMPLES = 20;

/** A device in queue mode: it hears nothing but for a while after it spoke. */
export type Sleep = {
  /** Begins the while anew. */
  spoke(): void;
  isAsleep(): boolean;
  /** Puts the sleep in front of a socket: what arrives meanwhile is lost. */
  front(socket: Socket): void;
};

export function createSleep(clock: Clock, awakeMs: number): Sleep {
  let until = 0;
  const isAsleep = (): boolean => clock.now() >= until;
  const spoke = (): void => void (until = clock.now() + awakeMs);

  return {
    spoke,
    isAsleep,
    front(socket) {
      const { emit } = socket;
      const emitted = (event: string, ...given: unknown[]): boolean => {
        if (event === 'message') {
          if (isAsleep()) return true;
          // It goes on listening after what it got.
          spoke();
        }
        return Reflect.apply(emit, socket, [event, ...given]);
      };
      Object.assign(socket, { emit: emitted });
    },
  };
}

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
