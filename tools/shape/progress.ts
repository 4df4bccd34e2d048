import { z } from 'zod';

import type { App } from '../../src/kernel/app/app.ts';
import type { Waiting } from '../../src/kernel/app/exchange.ts';

const EVERY_MS = 1_000;
/** Below the 60 s after which clients give a call up, and proxies cut it. */
const MAX_WAIT_S = 50;

/** Seconds that a call waits; more are as many as it waits at most, since its answer leads on. */
export const waitSeconds = (usual?: string) =>
  z
    .number()
    .min(0)
    .overwrite((seconds) => Math.min(seconds, MAX_WAIT_S))
    .describe(`Seconds to wait, ${MAX_WAIT_S} at most${usual === undefined ? '' : `; ${usual}`}`);

type Say = (about: string) => void;

/**
 * Runs `work`, and says every second to the program that waits, if one does, how many of its seconds are over; `work` may
 * change what is said.
 */
export async function reporting<T>(
  app: App,
  waiting: Waiting | undefined,
  { atMostMs, about }: { atMostMs: number; about: string },
  work: (say: Say) => Promise<T>,
): Promise<T> {
  if (!waiting || atMostMs < EVERY_MS) return work(() => {});
  const total = Math.ceil(atMostMs / EVERY_MS);
  let said = about;
  let seconds = 0;
  waiting.log('info', said);
  waiting.progress(seconds, total, said);
  const cancel = app.clock.every(EVERY_MS, () => {
    seconds += 1;
    waiting.progress(seconds, total, said);
  });
  try {
    return await work((next) => {
      said = next;
    });
  } finally {
    cancel();
  }
}
