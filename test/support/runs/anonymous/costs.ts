import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Cell, describedCell, sendCell } from './cells.ts';
import type { Counted } from './counted.ts';
import { SHORT_MS } from './send.ts';

const LOOK_MS = 20;
const LOOKS = 100;
/** What is above the limit is measured again: others on the machine only add to the CPU of an answer. */
const MORE = 9;

/**
 * Of one cell: the middle of so many answers, and the most bytes that were read for one. Not answered: the body of an
 * open route did not come, and its client left.
 */
export type Cost = { cell: Cell; cpuUs: number; mostRead: number; isAnswered: boolean };

/**
 * What each cell costs: `times` requests, one after another, so that what the process spends is spent for that one.
 * Where a body does not come and the client leaves without an answer, less what the process spends in that time anyway.
 */
export async function costsOf(
  counted: Counted,
  cells: readonly Cell[],
  { times, limitUs }: { times: number; limitUs: number },
): Promise<Cost[]> {
  const { server, given, take } = counted;
  const costs: Cost[] = [];
  const sentBy = new Map<number, Cost | null>();
  /** The middle of the CPU of these, and what was read for any. */
  const collect = async (of: Cost | null, ports: readonly number[]): Promise<number> => {
    for (const port of ports) sentBy.set(port, of);
    const spent: number[] = [];
    // Of a client that left without an answer, the end is noticed later.
    for (let looks = 0; spent.length < ports.length && looks < LOOKS; looks += 1) {
      if (looks > 0) await sleep(LOOK_MS);
      const { answered, closed } = await take();
      for (const { port, bytesRead } of closed) {
        const cost = sentBy.get(port);
        if (cost) cost.mostRead = Math.max(cost.mostRead, bytesRead);
      }
      for (const { port, cpuUs } of answered) if (ports.includes(port)) spent.push(cpuUs);
    }
    return middle(spent);
  };
  const measured = async (cost: Cost): Promise<number> => {
    const ports: number[] = [];
    for (let sent = 0; sent < times; sent += 1) {
      const { port, status } = await sendCell(server.base, cost.cell, given);
      cost.isAnswered &&= status !== 0;
      ports.push(port);
    }
    const cpuUs = await collect(cost, ports);
    if (cost.isAnswered) return cpuUs;
    return Math.max(0, cpuUs - silentUs);
  };
  await take();
  const silent: number[] = [];
  for (let sent = 0; sent < times; sent += 1) silent.push(await silence(server.base));
  const silentUs = await collect(null, silent);
  for (const cell of cells) {
    const cost = { cell, cpuUs: Number.POSITIVE_INFINITY, mostRead: 0, isAnswered: true };
    for (let tries = 0; tries <= MORE && cost.cpuUs > limitUs; tries += 1)
      cost.cpuUs = Math.min(cost.cpuUs, await measured(cost));
    costs.push(cost);
  }
  return costs;
}

const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.POSITIVE_INFINITY;

/** A connection that sends nothing for as long as the sender of a short body waits; its port. */
async function silence(base: string): Promise<number> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  const { localPort = 0 } = socket;
  await sleep(SHORT_MS);
  socket.destroy();
  return localPort;
}

export const describedCost = ({ cell, cpuUs, mostRead }: Cost): string =>
  `${describedCell(cell)}: ${(cpuUs / 1_000).toFixed(2)} ms, ${mostRead} bytes`;
