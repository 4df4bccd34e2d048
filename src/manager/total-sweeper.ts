import { foldTotals } from '../db/tenant-total.ts';
import { acrossTenants } from '../db/tenant.ts';
import type { App } from '../kernel/app/app.ts';
import { startSweeper } from '../kernel/app/sweeper.ts';

const EVERY_MS = 10_000;
/** Rows per run. */
const BATCH = 20_000;

/**
 * Keeps the totals of tenants short to read: folds their changes every 10 s until stopped; `stop` waits for a run
 * that is under way.
 */
export function startTotalSweeper(app: App): { stop(): Promise<void> } {
  return startSweeper(app, { everyMs: EVERY_MS, failed: 'sweep of totals failed, retrying' }, () =>
    sweep(app),
  );
}

async function sweep(app: App): Promise<void> {
  const folded = await acrossTenants(app.db, 'sweeper', (q) => foldTotals(q, BATCH));
  if (folded > 0) app.log.debug({ folded }, 'totals folded');
}
