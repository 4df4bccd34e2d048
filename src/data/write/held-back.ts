import type { App } from '../../kernel/app/app.ts';
import { slot } from '../../kernel/slot.ts';

/** A command that is not published yet. */
type Held = {
  id: string;
  expireAt: number;
  send(): Promise<void>;
  /** Ends the expired, unsent command. */
  giveUp(): Promise<void>;
};

const LOOK_MS = 200;
const MAX_HELD = 10_000;

/** By queue, in order of arrival. */
const HELD_BACK = slot(() => new Map<string, Held[]>());

/**
 * Holds a command back while its queue has no consumer, or other commands for the queue are held back.
 * Answers whether it is held back, or 'full' at the limit.
 */
export async function holdBack(app: App, queue: string, held: Held): Promise<boolean | 'full'> {
  const lines = app.of(HELD_BACK);
  if (!lines.has(queue) && (await app.bus.readers(queue)) !== 0) return false;
  // Another command may have been held back during the await.
  const line = lines.get(queue) ?? [];
  if (line.length >= MAX_HELD) return 'full';
  line.push(held);
  if (lines.has(queue)) return true;
  lines.set(queue, line);
  void release(app, queue, line);
  return true;
}

async function release(app: App, queue: string, line: Held[]): Promise<void> {
  while (line.length > 0) {
    await new Promise<void>((resolve) => void app.clock.after(LOOK_MS, resolve));
    const isUnread = (await app.bus.readers(queue)) === 0;
    const now = app.clock.now();
    for (const held of isUnread ? line.filter(({ expireAt }) => expireAt <= now) : line.slice()) {
      try {
        await (isUnread ? held.giveUp() : held.send());
      } catch (error) {
        app.log.error({ commandId: held.id, error }, 'held-back command neither sent nor ended');
      }
      line.splice(line.indexOf(held), 1);
    }
  }
  app.of(HELD_BACK).delete(queue);
}
