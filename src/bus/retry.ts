import type { Clock } from '../kernel/clock.ts';
import { Unavailable } from '../kernel/errors.ts';
import { MAX_ATTEMPTS } from './bus.ts';

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5_000;
/** Waits between the attempts of a failing handler. */
const RETRY_DELAYS_MS = [200, 1_000, 5_000] as const;
/** Well below RabbitMQ's half hour for an acknowledgement. */
const PATIENCE_MS = 20 * 60_000;

/** Waits that `end` cuts short. */
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
  /** Attempt number of the first call; each further call gets one more. */
  attempt: number;
  clock: Clock;
  pauses: Pauses;
  /** True once the message must not be handed out any more. */
  isOver: () => boolean;
  /** Expiry of the message (ms since the epoch). */
  expiresAt: number;
  /** Called when the handler was unavailable; the next call follows after `ms`. */
  waits: (error: unknown, ms: number) => void;
  /** Called when the handler failed, likewise. Without it the first failure is final. */
  retries?: (error: unknown, ms: number) => void;
};

/**
 * Calls a handler until it resolves, for at most `MAX_ATTEMPTS` failures (one without `retries`). A
 * rejection with `Unavailable` (a restarting database, say) counts as a failure only after 20 minutes.
 * Failures of earlier processes do not count. Rejects with the last failure, also when the message expires
 * or `isOver` turns true.
 */
export async function retryWhileUnavailable(
  handle: (attempt: number) => Promise<void>,
  given: Given,
): Promise<void> {
  const { clock, pauses, isOver, expiresAt, waits, retries } = given;
  const until = Math.min(clock.now() + PATIENCE_MS, expiresAt);
  let { attempt } = given;
  let wait = FIRST_WAIT_MS;
  for (let failures = 0; ; attempt += 1) {
    try {
      return await handle(attempt);
    } catch (error) {
      const isPassing = error instanceof Unavailable && clock.now() + wait <= until;
      if (!isPassing) failures += 1;
      if (isOver() || failures >= (retries ? MAX_ATTEMPTS : 1)) throw error;
      const ms = isPassing ? wait : (RETRY_DELAYS_MS[failures - 1] ?? LONGEST_WAIT_MS);
      if (clock.now() + ms > expiresAt) throw error;
      if (isPassing) wait = Math.min(wait * 2, LONGEST_WAIT_MS);
      (isPassing ? waits : retries)?.(error, ms);
      await pauses.pause(ms);
      if (isOver()) throw error;
    }
  }
}
