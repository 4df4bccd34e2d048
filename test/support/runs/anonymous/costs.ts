import { setTimeout as sleep } from 'node:timers/promises';

import { type Cell, describedCell, sendCell } from './cells.ts';
import type { Counted } from './counted.ts';

const LOOK_MS = 20;
const LOOKS = 100;

/** Of one cell: the middle of so many answers, and the most bytes that were read for one. */
export type Cost = { cell: Cell; cpuUs: number; mostRead: number };

/** One after another, `times` each, so that what the process spends is spent for that one. */
export async function costsOf(
  { server, given, take }: Counted,
  cells: readonly Cell[],
  times: number,
): Promise<Cost[]> {
  const sentBy = new Map<number, Cost>();
  const costs: Cost[] = [];
  /** Of a client that left without an answer, the end is noticed later. */
  const collect = async (of: Cost): Promise<number[]> => {
    const spent: number[] = [];
    for (let looks = 0; spent.length < times && looks < LOOKS; looks += 1) {
      if (looks > 0) await sleep(LOOK_MS);
      const { answered, closed } = await take();
      for (const { port, bytesRead } of closed) {
        const cost = sentBy.get(port);
        if (cost) cost.mostRead = Math.max(cost.mostRead, bytesRead);
      }
      for (const { port, cpuUs } of answered) if (sentBy.get(port) === of) spent.push(cpuUs);
    }
    return spent;
  };
  await take();
  for (const cell of cells) {
    const cost: Cost = { cell, cpuUs: 0, mostRead: 0 };
    for (let sent = 0; sent < times; sent += 1)
      sentBy.set((await sendCell(server.base, cell, given)).port, cost);
    const spent = (await collect(cost)).toSorted((a, b) => a - b);
    cost.cpuUs = spent[Math.floor(spent.length / 2)] ?? Number.POSITIVE_INFINITY;
    costs.push(cost);
  }
  return costs;
}

export const describedCost = ({ cell, cpuUs, mostRead }: Cost): string =>
  `${describedCell(cell)}: ${(cpuUs / 1_000).toFixed(2)} ms, ${mostRead} bytes`;
