import type { Socket } from 'node:dgram';

import type { Clock } from '../../src/kernel/clock.ts';

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
