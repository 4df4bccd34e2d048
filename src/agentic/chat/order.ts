import type { App, Caller } from '../../kernel/app/app.ts';
import { TooManyRequests } from '../../kernel/errors.ts';
import { slot } from '../../kernel/slot.ts';

const MAX_WAITING = 8;
const LONGEST_WAIT_MS = 30_000;

/** Turns of a conversation in this process that have begun or wait, in their order. */
type TurnQueues = Map<string, (() => void)[]>;
export const TURN_QUEUES = slot((): TurnQueues => new Map());

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
  signal.throwIfAborted();
  const queues = app.of(TURN_QUEUES);
  const key = keyOf(tenantId, principalId, conversationId);
  const queue = queues.get(key) ?? [];
  if (queue.length > MAX_WAITING) throw busy();
  const { promise: isNext, resolve: begin, reject } = Promise.withResolvers<void>();
  queues.set(key, queue);
  queue.push(begin);
  const leave = (): void => reject(signal.reason);
  let cancel = (): void => {};
  try {
    if (queue[0] !== begin) {
      cancel = app.clock.after(LONGEST_WAIT_MS, () => reject(busy()));
      signal.addEventListener('abort', leave, { once: true });
      await isNext;
    }
    cancel();
    signal.removeEventListener('abort', leave);
    await work();
  } finally {
    cancel();
    signal.removeEventListener('abort', leave);
    const wasFirst = queue[0] === begin;
    queue.splice(queue.indexOf(begin), 1);
    if (queue.length === 0 && queues.get(key) === queue) queues.delete(key);
    else if (wasFirst) queue[0]?.();
  }
}

/** The next turn of this id is the first of another conversation, and waits for none. */
export function forgetOrder(
  app: App,
  { tenantId, principalId }: Caller,
  conversationId: string,
): void {
  app.of(TURN_QUEUES).delete(keyOf(tenantId, principalId, conversationId));
}

const keyOf = (...parts: string[]): string => JSON.stringify(parts);

const busy = (): TooManyRequests =>
  new TooManyRequests('This conversation answers an earlier message', 2);
