import { sql } from 'kysely';

import type { Operation } from '../../app.ts';
import { nameOf } from '../../core/input/flag.ts';
import { inTenant } from '../../db/tenant.ts';
import { DeliveryStatus } from '../deliver/delivery-status.ts';

export type NotifyCounts = Partial<Record<keyof typeof DeliveryStatus, number>>;

/** Number of notifications of an alarm by delivery status; a status without notifications is absent. */
export const notificationsOf: Operation<{ alarmId: string }, NotifyCounts> = (
  app,
  { tenantId },
  { alarmId },
) =>
  inTenant(app.db, tenantId, async (q) => {
    const rows = await q
      .selectFrom('svc_notify_history')
      .select(['statusFlag', sql<string>`count(*)`.as('count')])
      .where('tenantId', '=', tenantId)
      .where('alarmId', '=', alarmId)
      .groupBy('statusFlag')
      .execute();
    return Object.fromEntries(
      rows.map(({ statusFlag, count }) => [nameOf(DeliveryStatus, statusFlag), Number(count)]),
    );
  });
