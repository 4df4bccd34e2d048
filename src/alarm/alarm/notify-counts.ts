import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { DeliveryStatus } from '../kind/delivery-status.ts';

export type NotifyCounts = Partial<Record<keyof typeof DeliveryStatus, number>>;

/** Number of notifications of an alarm by delivery status; a status without notifications is absent. */
export async function notifyCounts(
  q: Queries,
  tenantId: string,
  alarmId: string,
): Promise<NotifyCounts> {
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
}
