import { sql } from 'kysely';

import { acrossTenants, inOneTripAcrossTenants } from '../../db/tenant.ts';
import type { App } from '../app/app.ts';
import { startSweeper } from '../app/sweeper.ts';

const EVERY_MS = 60_000;
/** How long a reader can be away, if not more than MAX_KEPT rows of its tenant came meanwhile. */
export const STORED_MS = 7 * 24 * 3_600_000;
const MAX_KEPT = 100_000;
const TENANTS = 1_000;
/** Of one transaction: all others wait for it on the embedded engine, which has one session. */
const BATCH = 2_000;

/** Gives places to what was not read and drops what is too old, every minute until stopped. */
export function startFeedSweeper(app: App): { stop(): Promise<void> } {
  return startSweeper(
    app,
    { everyMs: EVERY_MS, failed: 'sweep of the feed failed, retrying' },
    () => sweepFeed(app),
  );
}

/** Each tenant in a transaction of its own: none waits for the readers of two. */
export async function sweepFeed(app: App): Promise<void> {
  const oldest = new Date(app.clock.now() - STORED_MS);
  const { rows } = await inOneTripAcrossTenants(app.db, 'sweeper', (q) =>
    sql<{ tenantId: string }>`
      select tenant_id from svc_feed where place is null or create_time < ${oldest}
      union select tenant_id from svc_feed_head where place - dropped > ${MAX_KEPT}
      limit ${TENANTS}`.execute(q),
  );
  for (const { tenantId } of rows) {
    let dropped = BATCH;
    while (dropped === BATCH)
      dropped = await acrossTenants(app.db, 'sweeper', async (q) => {
        await sql`select svc_order_feed(${tenantId})`.execute(q);
        const { rows: ended } = await sql<{ rows: string }>`
          select svc_drop_feed(${tenantId}, ${oldest}, ${MAX_KEPT}, ${BATCH}) as rows`.execute(q);
        return Number(ended[0]?.rows ?? 0);
      });
  }
}
