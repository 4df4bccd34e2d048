import type { Clock } from '../core/clock.ts';
import { Unavailable } from '../core/errors.ts';

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5_000;
/** Well below the half hour after which RabbitMQ takes an unanswered message from its consumer. */
const PATIENCE_MS = 20 * 60_000;

/** Waits that can all be ended at once. */
export type Pauses = { pause(ms: number): Promise<void>; end(): void };

export function createPauses(clock: Clock): Pauses {
  const waiting = new Set<() => void>();
  let ended = false;
  return {
    async pause(ms) {
      if (ended) return;
      const over = Promise.withResolvers<void>();
      const cancel = clock.after(ms, over.resolve);
      waiting.add(over.resolve);
      await over.promise;
      waiting.delete(over.resolve);
      cancel();
    },
    end() {
      ended = true;
      for (const wake of waiting) wake();
    },
  };
}

type Given = {
  /** What the handler is told when it gets the message first; it is told one more each time. */
  attempt: number;
  clock: Clock;
  pauses: Pauses;
  /** From now on nobody waits any more. */
  isOver: () => boolean;
  /** When the message loses its meaning (ms). */
  expiresAt: number;
  waits: (error: unknown, ms: number) => void;
};

/**
 * Runs a handler until it could work: one that rejects with `Unavailable` (its database restarts, say)
 * says nothing about the message, so this does not count against it. Rejects as the handler does, also with
 * `Unavailable` after 20 minutes, when the message expires, or when the bus ends.
 */
export async function patiently(
  handle: (attempt: number) => Promise<void>,
  given: Given,
): Promise<void> {
  const { clock, pauses, isOver, expiresAt, waits } = given;
  let { attempt } = given;
  const until = Math.min(clock.now() + PATIENCE_MS, expiresAt);
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      return await handle(attempt);
    } catch (error) {
      if (!(error instanceof Unavailable) || isOver() || clock.now() + wait > until) throw error;
      waits(error, wait);
      await pauses.pause(wait);
      if (isOver()) throw error;
      attempt += 1;
    }
  }
}
