import { sql } from 'kysely';

import type { App } from '../../app.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import { tellDrivers } from '../../manager/driver/driver-updates.ts';

/**
 * Runs a decision over alarms and afterwards tells the drivers of the devices it names: a driver that
 * doubts a device until a person has confirmed its alarm learns of it with the device.
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

/** Keeps with the name of a device whether its newest alarm of this kind is confirmed; true if it is one. */
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
