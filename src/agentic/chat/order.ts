import type { App, Caller } from '../../kernel/app/app.ts';
import { TooManyRequests } from '../../kernel/errors.ts';
import { KeyedQueue } from '../../kernel/queue.ts';
import { slot } from '../../kernel/slot.ts';

/** Turns of a conversation in this process. */
export const TURN_QUEUES = slot(
  (clock) =>
    new KeyedQueue(clock, {
      atOnce: 1,
      maxWaiting: 8,
      waitMs: 30_000,
      refusal: () => new TooManyRequests('This conversation answers an earlier message', 2),
    }),
);

/**
 * Runs a turn when the earlier ones of its conversation in this process have ended; at once without a conversation.
 * Throws TooManyRequests when eight wait already or after 30 s, and `signal`'s reason.
 */
export async function inOrder(
  app: App,
  { tenantId, principalId }: Caller,
  conversationId: string | undefined,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  if (conversationId === undefined) return work();
  const key = keyOf(tenantId, principalId, conversationId);
  return app.of(TURN_QUEUES).run(key, work, { signal });
}

/** The next turn of this id is the first of another conversation, and waits for none. */
export function forgetOrder(
  app: App,
  { tenantId, principalId }: Pick<Caller, 'tenantId' | 'principalId'>,
  conversationId: string,
): void {
  app.of(TURN_QUEUES).forget(keyOf(tenantId, principalId, conversationId));
}

const keyOf = (...parts: string[]): string => JSON.stringify(parts);
