import type { App } from '../../src/kernel/app/app.ts';
import type { Waiting } from '../../src/kernel/app/exchange.ts';

const EVERY_MS = 1_000;

/** Runs `work`, and says every second to the program that waits, if one does, how many of its seconds are over. */
export async function reporting<T>(
  app: App,
  waiting: Waiting | undefined,
  { atMostMs, about }: { atMostMs: number; about: string },
  work: () => Promise<T>,
): Promise<T> {
  if (!waiting || atMostMs < EVERY_MS) return work();
  const total = Math.ceil(atMostMs / EVERY_MS);
  let seconds = 0;
  waiting.log('info', about);
  waiting.progress(seconds, total, about);
  const cancel = app.clock.every(EVERY_MS, () => {
    seconds += 1;
    waiting.progress(seconds, total, about);
  });
  try {
    return await work();
  } finally {
    cancel();
  }
}
