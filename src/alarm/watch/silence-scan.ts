import { sql } from 'kysely';

import { acrossTenants, inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { Unavailable } from '../../kernel/errors.ts';
import { announceNotifications, combined } from '../ledger/notify.ts';
import { writingOf } from '../message/alarm-link.ts';
import { catchUp } from './silence-catch-up.ts';

const BATCH = 500;

/** Ends silences that have expired: at most 500 in one run, taken from the tenants in turn. The next run ends the rest. */
export async function endSilences(app: App): Promise<void> {
  const now = app.clock.now();
  const { rows } = await acrossTenants(app.db, 'sweeper', (q) =>
    sql<{ id: string; tenantId: string }>`
      select id, "tenantId" from (select id, tenant_id as "tenantId",
        row_number() over (partition by tenant_id order by silenced_until, id) as turn
        from svc_rule_state where silenced_until <= ${new Date(now)}) ended
      order by turn, "tenantId" limit ${BATCH}`.execute(q),
  );
  for (const { id, tenantId } of rows)
    await end(app, tenantId, id, now).catch((error: unknown) => {
      if (error instanceof Unavailable) throw error;
      app.log.error({ error, tenantId, id }, 'silence not ended, retrying at the next scan');
    });
}

async function end(app: App, tenantId: string, stateId: string, now: number): Promise<void> {
  const written = await inTenant(app.db, tenantId, async (q) => {
    // Another process may have ended it, or a person may have made it longer.
    const due = await q
      .selectFrom('svc_rule_state')
      .select('id')
      .where('tenantId', '=', tenantId)
      .where('id', '=', stateId)
      .where('silencedUntil', '<=', new Date(now))
      .forUpdate()
      .executeTakeFirst();
    return due ? catchUp(q, { tenantId, stateId }, writingOf(app)) : combined([]);
  });
  await announceNotifications(app, tenantId, written);
}
