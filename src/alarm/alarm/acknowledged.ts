import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { tellDrivers } from '../../manager/driver/driver-updates.ts';

/**
 * Runs a decision over alarms, then sends the devices it collected in `deviceIds` to their drivers: a driver
 * that doubts a device until a person has confirmed its alarm gets the confirmation with the device.
 */
export async function tellingDrivers<T>(
  app: App,
  tenantId: string,
  decide: (q: Queries, deviceIds: Set<string>) => Promise<T>,
): Promise<T> {
  const deviceIds = new Set<string>();
  const decided = await inTenant(app.db, tenantId, (q) => decide(q, deviceIds));
  for (const deviceId of deviceIds) await tellDrivers(app, tenantId, { deviceId });
  return decided;
}

/**
 * Stores in the endpoint claim of a device whether its newest alarm with a reference is confirmed. Answers
 * true for an alarm with a reference, also when a newer one keeps the claim unchanged.
 */
export async function acknowledge(
  q: Queries,
  tenantId: string,
  { alarmId, deviceId, reference }: { alarmId: string; deviceId: string; reference: unknown },
  confirmed: boolean,
): Promise<boolean> {
  if (typeof reference !== 'string') return false;
  await sql`
    update svc_endpoint_claim set acknowledged_change = ${confirmed ? reference : ''}
    where tenant_id = ${tenantId} and device_id = ${deviceId} and not exists (
      select from svc_entity_alarm a where a.tenant_id = ${tenantId} and a.device_id = ${deviceId}
        and a.id > ${alarmId} and a.alarm_ext ? 'reference')`.execute(q);
  return true;
}
