import { sql } from 'kysely';

import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { startSweeper } from '../../kernel/app/sweeper.ts';
import { HOUR_MS } from './closed.ts';
import { closeTurn, type Turn } from './turn.ts';

const EVERY_MS = 10_000;
/** Turns of a sweep; the next one goes on. */
const MAX_TURNS = 100;
const MAX_TENANTS = 100;

/**
 * Closes hours of values once they are old enough, every ten seconds until stopped; `stop` waits for a turn that is
 * under way. Where hours are not closed (`SVC_HISTORY_CLOSE_HOURS=0`), none is due.
 */
export function startCloser(app: App): { stop(): Promise<void> } {
  return startSweeper(
    app,
    { everyMs: EVERY_MS, failed: 'hours of values could not be closed, retrying' },
    () => closeDue(app),
  );
}

/** One sweep: tenants take turns, those first that have waited longest. */
export async function closeDue(app: App): Promise<void> {
  const { closeAfterMs } = app.config;
  if (closeAfterMs === null) return forgetDue(app);
  const now = app.clock.now();
  const until = Math.floor((now - closeAfterMs) / HOUR_MS) * HOUR_MS;
  const turn: Turn = { until, due: until + HOUR_MS + closeAfterMs };
  let waiting = await tenantsDue(app, now);
  for (let turns = 0; waiting.length > 0 && turns < MAX_TURNS;) {
    const further: string[] = [];
    for (const tenantId of waiting) {
      turns += 1;
      if (await tookTurn(app, tenantId, turn)) further.push(tenantId);
      if (turns === MAX_TURNS) break;
    }
    waiting = further;
  }
}

/** What fails for one tenant waits for the next sweep, and keeps no other from its turn. */
async function tookTurn(app: App, tenantId: string, turn: Turn): Promise<boolean> {
  try {
    return await closeTurn(app, tenantId, turn);
  } catch (error) {
    app.log.error({ error, tenantId }, 'hours of a tenant could not be closed, retrying');
    return false;
  }
}

const tenantsDue = (app: App, now: number): Promise<string[]> =>
  acrossTenants(app.db, 'sweeper', async (q) => {
    const { rows } = await sql<{ id: string }>`
      select t.id from svc_tenant t left join svc_value_closing c on c.tenant_id = t.id
      where c.due_time is null or c.due_time <= ${new Date(now)}
      order by c.turn_time nulls first, t.id limit ${MAX_TENANTS}`.execute(q);
    return rows.map(({ id }) => id);
  });

const forgetDue = (app: App): Promise<void> =>
  acrossTenants(app.db, 'sweeper', async (q) => {
    await sql`update svc_value_closing set due_time = null where due_time is not null`.execute(q);
  });
