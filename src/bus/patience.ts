import type { Clock } from '../core/clock.ts';
import { Unavailable } from '../core/errors.ts';
import { MAX_ATTEMPTS } from './bus.ts';

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5_000;
/** Waits before a message is handed out again that its handler failed at. */
const RETRY_DELAYS_MS = [200, 1_000, 5_000] as const;
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
  /** From now on the message is not handed out any more. */
  isOver: () => boolean;
  /** When the message loses its meaning (ms). */
  expiresAt: number;
  /** It could not work; it is asked again after `ms`. */
  waits: (error: unknown, ms: number) => void;
  /** It failed; it is asked again after `ms`. Without this a failure is the end. */
  retries?: (error: unknown, ms: number) => void;
};

/**
 * Runs a handler until it took the message, at most `MAX_ATTEMPTS` times (once without `retries`). A rejection with `Unavailable`
 * (its database restarts, say) says nothing about the message and counts from 20 minutes on. Only
 * what was handled here counts: a process that dies meanwhile is no fault of the message either.
 * Rejects as the handler did last, also when the message expires or `isOver` says so.
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
