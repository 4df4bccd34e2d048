import { Worker } from 'node:worker_threads';

import { z } from 'zod';

import { inParallel } from '../../hostile/pool.ts';
import { type Cell, describedCell, isWrongStatus, sendCell } from './cells.ts';
import type { Counted } from './counted.ts';

/** One of so many goes on sending after its answer. */
const STAYS = 5;
const PROBER = new URL('prober.ts', import.meta.url);

const Times = z.array(z.number());

/** How long `/livez` took during the flood, in ms, and what went wrong. */
export type Flooded = { times: number[]; wrong: string[] };

/** Sends `count` requests, `width` at once, over and over the same cells; a thread of its own asks `/livez` meanwhile. */
export async function flood(
  { server, given, hasEnded }: Counted,
  cells: readonly Cell[],
  { count, width }: { count: number; width: number },
): Promise<Flooded> {
  const wrong: string[] = [];
  const prober = new Worker(PROBER, { workerData: `${server.base}/livez` });
  const asked = Promise.withResolvers<number[]>();
  prober.once('message', (times) => asked.resolve(Times.parse(times)));
  prober.once('error', asked.reject);
  await inParallel(count, width, async (index) => {
    const cell = cells[index % cells.length];
    if (!cell || hasEnded()) return;
    const { status } = await sendCell(server.base, cell, given, index % STAYS === 0);
    if (isWrongStatus(cell, status)) wrong.push(`${describedCell(cell)}: ${status}`);
  });
  prober.postMessage('end');
  const times = await asked.promise;
  if (hasEnded()) wrong.push('the server ended');
  return { times, wrong };
}
