import { z } from 'zod';

import { calls, callersOf } from '../callers.ts';
import type { freshDatabases } from '../database.ts';
import type { Request, Token } from '../load.ts';
import { percentile } from '../percentile.ts';
import { NODE_OPTIONS } from '../platform/options.ts';
import { freshDirectory } from '../process.ts';
import { rounds } from '../rounds.ts';
import { type Row, row } from '../row.ts';
import { type Server, startServer } from '../server.ts';
import { call, toolCall } from './request.ts';

const SIZED = new URL('../platform/tenants.ts', import.meta.url);
const OURS = new URL('../platform/ours.ts', import.meta.url);
/** Devices of a tenant; callers, each with an account, a client and a connection of its own. */
const [FEW, MANY] = [10, 10_000];
const CONNECTIONS = 1_000;
const CALLS = 600;
const WARM_UP = 1_500;
const FLAT = '<= 1.2';

type Databases = Awaited<ReturnType<typeof freshDatabases>>;
type Contestants = Parameters<typeof rounds>[0];

/** A call in a tenant of ten devices and in one of ten thousand, and by one caller and by a thousand. */
export async function flatness(databases: Databases): Promise<Row[]> {
  const rows = await onEngine('embedded', async () => ({ SVC_DATA_DIR: await freshDirectory() }));
  if (!databases) return rows;
  const onServer = async () => ({
    SVC_DATA_DIR: await freshDirectory(),
    DATABASE_URL: await databases.make(),
  });
  return [...rows, ...(await onEngine('postgres', onServer))];
}

async function onEngine(
  engine: string,
  environment: () => Promise<Record<string, string>>,
): Promise<Row[]> {
  const devices = await byDevices(environment);
  const connections = await byConnections(environment);
  return [...devices, ...connections].map((one) => ({ ...one, metric: `${one.metric}-${engine}` }));
}

async function byDevices(environment: () => Promise<Record<string, string>>): Promise<Row[]> {
  await using ours = await startServer(SIZED, {
    options: NODE_OPTIONS,
    args: ['/mcp', String(FEW), String(MANY)],
    env: await environment(),
  });
  const contestants: Contestants = {};
  for (const [at, size] of [FEW, MANY].entries()) {
    const token = ours.tokens[at] ?? null;
    const named = toolCall('getLatestPointValue', { deviceId: 'device 1', pointId: 'point 1' });
    const ids = Found.parse(JSON.parse(await ours.send(named, token))).result.structuredContent;
    const byId = toolCall('getLatestPointValue', ids);
    contestants[`id ${size}`] = await warm(ours, byId, calls(token, CALLS));
    contestants[`name ${size}`] = await warm(ours, named, calls(token, CALLS));
  }
  const median = await rounds(contestants);
  const rows = (kind: string): Row[] =>
    rowsOf(`by-${kind}-${FEW}-vs-${MANY}-devices`, {
      median,
      own: `${kind} ${MANY}`,
      limit: `${kind} ${FEW}`,
    });
  // By name: every device has a word of it.
  return [...rows('id'), ...rows('name')];
}

/** Two platforms: one never sees more than a single caller. */
async function byConnections(environment: () => Promise<Record<string, string>>): Promise<Row[]> {
  const started = async (accounts: number) =>
    startServer(OURS, {
      options: NODE_OPTIONS,
      args: ['/mcp', String(accounts)],
      env: await environment(),
      startMs: 600_000,
    });
  await using one = await started(1);
  await using many = await started(CONNECTIONS);
  // All connections are open at once and kept; then their callers take turns.
  await many.wait(call, many.tokens, CONNECTIONS);
  const { busy } = callersOf(one);
  const median = await rounds({
    one: await warm(one, call, calls(busy, CONNECTIONS)),
    many: await warm(many, call, many.tokens),
  });
  const name = `1-vs-${CONNECTIONS}-connections`;
  return rowsOf(name, { median, own: 'many', limit: 'one' });
}

/** One call at a time; the calls of a turn once unmeasured first. */
async function warm(server: Server, request: Request, tokens: readonly Token[]) {
  const [token = null] = tokens;
  await server.wait(request, calls(token, WARM_UP), 1);
  return async () => {
    await server.wait(request, tokens.slice(0, CALLS / 3), 1);
    const { cpu } = await server.measure(request, tokens, 1);
    const waits = await server.wait(request, tokens, 1);
    return { cpu, p50: percentile(waits, 0.5) };
  };
}

type Compared = { median: Awaited<ReturnType<typeof rounds>>; own: string; limit: string };

const rowsOf = (name: string, { median, own, limit }: Compared): Row[] => [
  row('mcp', `cpu-${name}`, 'us', median(own, 'cpu'), median(limit, 'cpu'), FLAT),
  row('mcp', `p50-${name}`, 'ms', median(own, 'p50'), median(limit, 'p50'), FLAT),
];

const Found = z.object({
  result: z.object({ structuredContent: z.object({ deviceId: z.string(), pointId: z.string() }) }),
});
