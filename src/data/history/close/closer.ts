import { acrossTenants, inTenant } from '../../../db/tenant.ts';
import type { App } from '../../../kernel/app/app.ts';
import { startSweeper } from '../../../kernel/app/sweeper.ts';
import { HOUR_MS } from '../closed.ts';
import { forgetDue, noteFailure, tenantsDue } from './progress.ts';
import { closeTurn, type Taken, type Turn } from './turn.ts';

const EVERY_MS = 10_000;
/** Turns of a sweep; the next one goes on. */
const MAX_TURNS = 400;
const MAX_TENANTS = 100;

/**
 * Closes hours of values once they are old enough, every ten seconds until stopped; `stop` waits for a turn that is
 * under way. Where hours are not closed (`SVC_HISTORY_CLOSE_HOURS=0`), none is due.
 */
export function startCloser(app: App): { stop(): Promise<void> } {
  const ending = new AbortController();
  const sweeper = startSweeper(
    app,
    { everyMs: EVERY_MS, failed: 'hours of values could not be closed, retrying' },
    () => closeDue(app, ending.signal),
  );
  return {
    stop() {
      ending.abort();
      return sweeper.stop();
    },
  };
}

/** One sweep: tenants take turns, those first that have waited longest. It ends after a turn when `ending` is aborted. */
export async function closeDue(app: App, ending?: AbortSignal): Promise<void> {
  const { closeAfterMs } = app.config;
  if (closeAfterMs === null) {
    await acrossTenants(app.db, 'sweeper', forgetDue);
    return;
  }
  const now = app.clock.now();
  const turn: Turn = { until: Math.floor((now - closeAfterMs) / HOUR_MS) * HOUR_MS, closeAfterMs };
  let waiting = await acrossTenants(app.db, 'sweeper', (q) => tenantsDue(q, now, MAX_TENANTS));
  for (let turns = 0; waiting.length > 0 && turns < MAX_TURNS;) {
    const further: string[] = [];
    for (const tenantId of waiting) {
      if (turns === MAX_TURNS || ending?.aborted) return;
      turns += 1;
      if ((await takeTurn(app, tenantId, turn)) === 'more') further.push(tenantId);
    }
    waiting = further;
  }
}

/** What fails for one tenant waits, a minute more with each time, and keeps no other from its turn. */
async function takeTurn(app: App, tenantId: string, turn: Turn): Promise<Taken> {
  try {
    return await closeTurn(app, tenantId, turn);
  } catch (error) {
    app.log.error({ error, tenantId }, 'hours of a tenant could not be closed, retrying');
    await inTenant(app.db, tenantId, (q) => noteFailure(q, tenantId, app.clock.now()));
    return 'busy';
  }
}
