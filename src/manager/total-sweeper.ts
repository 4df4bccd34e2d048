import { foldTotals } from '../db/tenant-total.ts';
import { acrossTenants } from '../db/tenant.ts';
import type { App } from '../kernel/app/app.ts';

const EVERY_MS = 10_000;
/** Rows per run. */
const BATCH = 20_000;

/**
 * Keeps the totals of tenants short to read: folds their changes every 10 s until stopped; `stop` waits for a run
 * that is under way.
 */
export function startTotalSweeper(app: App): { stop(): Promise<void> } {
  let running = Promise.resolve();
  const cancel = app.clock.every(EVERY_MS, () => {
    running = sweep(app).catch((error: unknown) => {
      app.log.error({ error }, 'sweep of totals failed, retrying');
    });
    return running;
  });
  return {
    async stop() {
      cancel();
      await running;
    },
  };
}

async function sweep(app: App): Promise<void> {
  const folded = await acrossTenants(app.db, 'sweeper', (q) => foldTotals(q, BATCH));
  if (folded > 0) app.log.debug({ folded }, 'totals folded');
}
