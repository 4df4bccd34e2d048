import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import { systemClock } from '../../../../src/core/clock.ts';
import { createLog } from '../../../../src/core/log/log.ts';
import { connect } from '../../../../src/db/connect.ts';
import { inTenant } from '../../../../src/db/tenant.ts';
import { onboard } from '../../../tools/agent.ts';
import { type Program, programFor, tokenFor } from '../../people/bearer.ts';
import { asking } from '../../people/mcp-2026.ts';
import { login, type Session } from '../../people/session.ts';
import { testEnvironment } from '../../world/environment.ts';
import { type Server, startServer } from '../../world/server.ts';

const SCOPE = 'svc:read svc:propose';
const AWAY_MS = 60_000;

const Waited = z.object({
  nextCursor: z.string(),
  events: z.array(
    z.object({ kind: z.string(), what: z.string(), actionId: z.string().optional() }),
  ),
});
const Proposed = z.object({ actionId: z.string() });

export type Killed = {
  kills: { server: number; client: number };
  events: number;
  /** What the reader had, and what the table has, in this order. */
  missed: number;
  doubled: number;
  outOfOrder: number;
};

/**
 * A reader that goes on from its cursor and a writer, while the server is killed and the reader hangs up at random
 * moments; then what was read beside what is stored.
 */
export async function readThroughKills(
  environment: Record<string, string>,
  kills: number,
  random: () => number,
): Promise<Killed> {
  const port = String(await freePort());
  const whole = { ...testEnvironment, ...environment, SVC_DEMO: 'off', SVC_PORT: port };
  const base = `http://127.0.0.1:${port}`;
  let server: Server = await startServer(whole);
  const admin = await login(base, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
  const site = await onboard(admin, 'killed');
  const program = await programFor(admin, { scope: SCOPE });
  const written = new AbortController();
  const done = new AbortController();
  const counted = { server: 0, client: 0 };
  const read: string[] = [];
  const first = Waited.parse(await callTool(base, program, 'waitForEvents', {}));

  const reading = (async () => {
    let cursor = first.nextCursor;
    for (let isLast = false; !isLast;) {
      isLast = done.signal.aborted;
      const hangUp = new AbortController();
      const hangsUp = !isLast && random() < 0.5;
      if (hangsUp) setTimeout(() => hangUp.abort(), random() * 400).unref();
      const waitS = isLast ? 0 : 2;
      const input = { cursor, kinds: ['action'], waitS };
      const answer = await callTool(base, program, 'waitForEvents', input, hangUp.signal).catch(
        () => null,
      );
      if (hangUp.signal.aborted) counted.client += 1;
      if (answer === null) {
        isLast = false;
        await sleep(50);
        continue;
      }
      const { events, nextCursor } = Waited.parse(answer);
      read.push(...events.map(({ what, actionId = '' }) => `${what} ${actionId}`));
      cursor = nextCursor;
      if (events.length > 0) isLast = false;
    }
  })();

  const writing = (async () => {
    const { deviceId, pointId } = site;
    for (let n = 0; !written.signal.aborted; n += 1) {
      const value = 5 + (n % 250) / 10;
      const made = await callTool(base, program, 'writePointValue', {
        deviceId,
        pointId,
        value,
      }).catch(() => null);
      const proposal = Proposed.safeParse(made);
      if (!proposal.success) await sleep(50);
      else await callTool(base, program, 'withdrawAction', proposal.data).catch(() => null);
    }
  })();

  while (counted.server + counted.client < kills) {
    await sleep(300 + random() * 1_500);
    await server.kill();
    counted.server += 1;
    server = await startServer(whole);
    program.token = await tokenFor(base, program.authorization, { scope: SCOPE });
  }
  written.abort();
  await writing;
  // Only then the last look: what the writer's last call changed comes before it.
  done.abort();
  await reading;
  await server.stop();
  const stored = await storedActions(whole, admin);
  return { kills: counted, events: stored.length, ...judge(read, stored) };
}

function judge(read: readonly string[], stored: readonly string[]) {
  const seen = new Set(read);
  return {
    missed: stored.filter((event) => !seen.has(event)).length,
    doubled: read.length - seen.size,
    outOfOrder: read.filter((event, at) => event !== stored[at]).length,
  };
}

async function callTool(
  base: string,
  { token }: Program,
  name: string,
  input: object,
  signal: AbortSignal = AbortSignal.timeout(AWAY_MS),
): Promise<unknown> {
  const given = { name, arguments: input };
  const { result, error } = await asking(base, token, {}, signal)('tools/call', given);
  if (!result || result['isError'] === true)
    throw new Error(`${name} failed: ${JSON.stringify(result ?? error)}`);
  return result['structuredContent'];
}

/** What happened to actions, read from the table itself. */
async function storedActions(
  environment: Record<string, string>,
  { tenantId }: Session,
): Promise<string[]> {
  const db = await connect({
    databaseUrl: environment['DATABASE_URL'] ?? null,
    dataDir: environment['SVC_DATA_DIR'] ?? '',
    clock: systemClock,
    log: createLog('silent'),
  });
  try {
    const rows = await inTenant(db, tenantId, (q) =>
      q
        .selectFrom('svc_feed')
        .select(['what', 'ref'])
        .where('tenantId', '=', tenantId)
        .where('kind', '=', 'action')
        .orderBy('place')
        .execute(),
    );
    return rows.map(({ what, ref }) => `${what} ${ref}`);
  } finally {
    await db.close();
  }
}

function freePort(): Promise<number> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
