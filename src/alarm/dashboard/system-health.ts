import { sql } from 'kysely';
import { z } from 'zod';

import { allows } from '../../auth/permission/permission.ts';
import { SystemHealth as Health, systemHealthBeside } from '../../data/dashboard/system-health.ts';
import type { Queries } from '../../db/connect.ts';
import type { Caller, Operation } from '../../kernel/app/app.ts';
import { DeliveryStatus } from '../kind/delivery-status.ts';
import { Unnotified, unnotifiedIn } from '../ledger/unnotified.ts';

const DAY_MS = 86_400_000;
const MAX_COUNT = 1_000;
const ALARMS = 'svc-center-data:dashboard:list';

const Notifications = z.object({
  failed: z
    .number()
    .int()
    .describe(`Notifications of the last 24 hours whose tries failed; counted up to ${MAX_COUNT}`),
  unnotified: z
    .array(Unnotified)
    .nullable()
    .describe(
      'Channels that do not know of alarms that fire; null without the right to list alarms',
    ),
});
type Notifications = z.output<typeof Notifications>;

export const SystemHealth = Health.extend({
  notifications: Notifications.nullable().describe('null while the database is down'),
}).meta({ id: 'SystemHealth' });
type SystemHealth = z.output<typeof SystemHealth>;

/** The health of the platform with that of notifications. */
export const systemHealth: Operation<object, SystemHealth> = async (app, caller) => {
  const { health, beside } = await systemHealthBeside(app, caller, (q) =>
    notificationsIn(q, caller, app.clock.now()),
  );
  return { ...health, notifications: beside };
};

async function notificationsIn(q: Queries, caller: Caller, now: number): Promise<Notifications> {
  const { tenantId } = caller;
  const [failed, unnotified] = await Promise.all([
    failedIn(q, tenantId, now),
    allows(caller, ALARMS) ? unnotifiedIn(q, tenantId, now) : null,
  ]);
  return { failed, unnotified };
}

/** Without those that were dropped because they were no longer true: no receiver answered these last. */
async function failedIn(q: Queries, tenantId: string, now: number): Promise<number> {
  const { rows } = await sql<{ failed: number }>`
    select count(*)::int as failed from (select from svc_notify_history
      where tenant_id = ${tenantId} and create_time > ${new Date(now - DAY_MS)}
        and status_flag = ${DeliveryStatus.FAILED} and error_message = response_ext ->> 'answer'
      limit ${MAX_COUNT}) failed`.execute(q);
  return rows[0]?.failed ?? 0;
}
