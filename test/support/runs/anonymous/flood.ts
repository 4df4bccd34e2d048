import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import { z } from 'zod';

import { inParallel } from '../../hostile/pool.ts';
import { type Cell, describedCell, isWrongStatus, sendCell } from './cells.ts';
import type { Counted } from './counted.ts';

/** One of so many goes on sending after its answer. */
const STAYS = 5;
const PROBER = new URL('prober.ts', import.meta.url);

const Times = z.array(z.number());

/** How long `/livez` took before the flood and during it, in ms, and what went wrong. */
export type Flooded = { before: number[]; times: number[]; wrong: string[] };

/** Asks `/livez` in a thread of its own until `work` has ended; answers how long each took, in ms. */
async function asking(base: string, work: () => Promise<unknown>): Promise<number[]> {
  const prober = new Worker(PROBER, { workerData: `${base}/livez` });
  const asked = Promise.withResolvers<number[]>();
  prober.once('message', (times) => asked.resolve(Times.parse(times)));
  prober.once('error', asked.reject);
  await work();
  prober.postMessage('end');
  return asked.promise;
}

/** Sends `count` requests, `width` at once, over and over the same cells, after a time without any. */
export async function flood(
  { server, given, hasEnded }: Counted,
  cells: readonly Cell[],
  { count, width, restMs }: { count: number; width: number; restMs: number },
): Promise<Flooded> {
  const wrong: string[] = [];
  const before = await asking(server.base, () => sleep(restMs));
  const times = await asking(server.base, () =>
    inParallel(count, width, async (index) => {
      const cell = cells[index % cells.length];
      if (!cell || hasEnded()) return;
      const { status } = await sendCell(server.base, cell, given, index % STAYS === 0);
      if (isWrongStatus(cell, status)) wrong.push(`${describedCell(cell)}: ${status}`);
    }),
  );
  if (hasEnded()) wrong.push('the server ended');
  return { before, times, wrong };
}
