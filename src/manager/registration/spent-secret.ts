import { sql } from 'kysely';

import type { Payload } from '../../bus/topics.ts';
import type { Queries } from '../../db/connect.ts';

/**
 * Deletes the secrets that registrations made needless, each only while it is still the one that the driver knew; a
 * driver deletes nothing but what it declared as a secret. Answers the devices that had them. Needs the `registrar`
 * context. Safe to repeat.
 */
export async function deleteSpent(
  q: Queries,
  { driverCode, devices }: Payload<'svc.e.registered'>,
): Promise<{ tenantId: string; deviceId: string }[]> {
  const spent = devices.flatMap(({ spent: secret, ...device }) =>
    secret ? [{ ...device, ...secret }] : [],
  );
  if (spent.length === 0) return [];
  const { rows } = await sql<{ tenantId: string; deviceId: string }>`
    delete from svc_driver_attribute_config c
    using unnest(${spent.map(({ tenantId }) => tenantId)}::bigint[],
      ${spent.map(({ deviceId }) => deviceId)}::bigint[],
      ${spent.map(({ attribute }) => attribute)}::text[],
      ${spent.map(({ digest }) => digest)}::text[]) as s (tenant_id, device_id, attribute, digest),
      svc_driver_attribute a, svc_device d, svc_driver v
    where c.tenant_id = s.tenant_id and c.device_id = s.device_id
      and a.tenant_id = c.tenant_id and a.id = c.attribute_id and a.attribute_code = s.attribute
      and a.creator_id = 0 and a.attribute_ext -> 'security' -> 'secret' = 'true'::jsonb
      and d.tenant_id = c.tenant_id and d.id = c.device_id
      and v.tenant_id = d.tenant_id and v.id = d.driver_id and v.driver_code = ${driverCode}
      and encode(sha256(convert_to(c.config_value, 'UTF8')), 'hex') = s.digest
    returning c.tenant_id as "tenantId", c.device_id as "deviceId"`.execute(q);
  return rows;
}
