import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import { connect } from '../../../../src/db/connect.ts';
import { inTenant } from '../../../../src/db/tenant.ts';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { createLog } from '../../../../src/kernel/process/log.ts';
import { onboard } from '../../../tools/agent.ts';
import { freePort } from '../../neighbours/free-port.ts';
import { programFor, tokenFor } from '../../people/bearer.ts';
import { login, type Session } from '../../people/session.ts';
import { testEnvironment } from '../../world/environment.ts';
import { type Server, startServer } from '../../world/server.ts';
import { byWaiting, callTool, type Way } from './ways.ts';

const SCOPE = 'svc:read svc:propose';
/** No other proposal writes it. */
const LAST_VALUE = 30;

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
  way: Way = byWaiting,
): Promise<Killed> {
  const port = String(await freePort());
  const whole = { ...testEnvironment, ...environment, SVC_DEMO: 'off', SVC_PORT: port };
  const base = `http://127.0.0.1:${port}`;
  let server: Server = await startServer(whole);
  const admin = await login(base, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
  const site = await onboard(admin, 'killed');
  const program = await programFor(admin, { scope: SCOPE });
  const written = new AbortController();
  const counted = { server: 0, client: 0 };
  const read: string[] = [];
  let last = '';
  const follow = await way({
    base,
    program,
    headers: admin.headers,
    random,
    hungUp: () => (counted.client += 1),
    read: (event) => read.push(event),
    last: () => last,
  });
  const reading = follow();

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
  const { deviceId, pointId } = site;
  const ending = { deviceId, pointId, value: LAST_VALUE };
  const { actionId } = Proposed.parse(await callTool(base, program, 'writePointValue', ending));
  last = `PROPOSED ${actionId}`;
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
