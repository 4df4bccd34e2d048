import { readFile } from 'node:fs/promises';

import { tools } from '../../../tools/index.ts';
import { HostileClient } from '../hostile/http.ts';
import { inParallel } from '../hostile/pool.ts';
import type { Random } from '../hostile/random.ts';
import { message, outcomeOf } from '../hostile/surface/mcp.ts';
import { described } from '../hostile/surface/rest.ts';
import { bearerFor } from '../people/bearer.ts';
import { login } from '../people/session.ts';
import { testEnvironment } from '../world/environment.ts';
import { startServer } from '../world/server.ts';
import { INSPECTED, liveMemoryOf } from './live-memory.ts';

const WIDTH = 6;
const PER_TOKEN = 1_000;
const SCOPE = 'svc:read svc:read-device svc:propose';
/** Until caches and compiled code are there. */
const WARM_UP = 2_000;

export type Bodies = {
  revision: string;
  sent: number;
  statuses: Map<string, number>;
  /** Of the server before and after, in MB, when collections free nothing more: resident, and live. */
  resident: [number, number];
  live: [number, number];
  /** Resident with the last body, before any collection was asked for. */
  uncollected: number;
  wrong: string[];
};

/** Sends hostile bodies to `/mcp` of a server of its own, `count` of each era; wrong is a 5xx and an exit. */
export async function sendBodies(
  environment: Record<string, string>,
  random: Random,
  count: number,
): Promise<Bodies[]> {
  const server = await startServer({ ...testEnvironment, ...environment, ...INSPECTED });
  const client = new HostileClient(server.base);
  const exits: string[] = [];
  void server.exited.then(({ code, signal }) => exits.push(`the server ended: ${code ?? signal}`));
  const admin = await login(server.base, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
  const attack = async (isNew: boolean, inputs: number): Promise<Bodies> => {
    const statuses = new Map<string, number>();
    const wrong: string[] = [];
    const before = await memory();
    for (let sent = 0; sent < inputs; sent += PER_TOKEN) {
      const token = await bearerFor(admin, { scope: SCOPE });
      await inParallel(Math.min(PER_TOKEN, inputs - sent), WIDTH, async () => {
        const call = { token, tool: random.pick(tools).name, args: {}, isNew };
        const one = message(random, call);
        const got = await client.send(one);
        const outcome = outcomeOf(got);
        statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
        if (got.status >= 500) wrong.push(`${got.status} to ${described(one)}`);
      });
    }
    wrong.push(...exits);
    const uncollected = await rssOf(server.pid);
    const after = await memory();
    return {
      revision: isNew ? '2026-07-28' : '2025-11-25',
      sent: inputs,
      statuses,
      resident: [before.resident, after.resident],
      live: [before.live, after.live],
      uncollected,
      wrong,
    };
  };
  const memory = async () => {
    const live = await liveMemoryOf(server.output);
    return { live, resident: await rssOf(server.pid) };
  };
  try {
    await attack(true, Math.min(WARM_UP, count));
    await attack(false, Math.min(WARM_UP, count));
    return [await attack(true, count), await attack(false, count)];
  } finally {
    client.close();
    await server.stop();
  }
}

/** Resident memory of a process in MB. */
async function rssOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024);
}
