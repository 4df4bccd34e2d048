import type { Clock } from '../../../core/clock.ts';

/**
 * Text that comes faster than this is sent together, after the first: a write costs more than all else that is done to
 * a chunk, and 25 of them a second are as smooth as a film.
 */
const TOGETHER_MS = 40;

/** Hands text to `send` at once, or with what follows within 40 ms of the text before. */
export function textFlow(clock: Clock, send: (text: string) => void) {
  let held = '';
  let sentAt = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | null = null;

  function release(): void {
    cancel?.();
    cancel = null;
    if (held === '') return;
    const text = held;
    held = '';
    sentAt = clock.now();
    send(text);
  }

  return {
    add(text: string): void {
      held += text;
      const since = clock.now() - sentAt;
      if (since >= TOGETHER_MS) release();
      else cancel ??= clock.after(TOGETHER_MS - since, release);
    },
    /** Sends what is held: before anything else that has its place after it. */
    release,
    /** Drops what is held. */
    stop(): void {
      cancel?.();
      held = '';
    },
  };
}
