import { createHash } from 'node:crypto';

import { sql } from 'kysely';

import type { Payload } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import type { App } from '../../kernel/app/app.ts';
import { openValue } from '../entity/secret-value.ts';

type Ext = Record<string, unknown>;
type Secret = { id: string; tenantId: string; deviceId: string; attributeId: string };
type Candidate = Secret & { configValue: string; attributeExt: Ext; digest: string };

/**
 * Deletes the secrets that registrations made needless, each only while it is still the one that the driver knew; a
 * driver deletes nothing but what it declared as a secret. Answers the devices that had them. Needs the `registrar`
 * context. Safe to repeat.
 */
export async function deleteSpent(
  q: Queries,
  app: Pick<App, 'keys'>,
  message: Payload<'svc.e.registered'>,
): Promise<{ tenantId: string; deviceId: string }[]> {
  const candidates = await candidatesOf(q, message);
  const spent = candidates.filter(({ configValue, attributeExt, digest, ...at }) => {
    const value = openValue(app, { kind: 'driver', ...at }, attributeExt, configValue);
    return value !== null && digestOf(value) === digest;
  });
  if (spent.length > 0)
    await sql`
      delete from svc_driver_attribute_config
      where id = any(${spent.map(({ id }) => id)}::bigint[])`.execute(q);
  return spent.map(({ tenantId, deviceId }) => ({ tenantId, deviceId }));
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The secrets that may be meant, locked. */
async function candidatesOf(
  q: Queries,
  { driverCode, devices }: Payload<'svc.e.registered'>,
): Promise<Candidate[]> {
  const said = devices.flatMap(({ spent, ...device }) => (spent ? [{ ...device, ...spent }] : []));
  if (said.length === 0) return [];
  const { rows } = await sql<Candidate>`
    select c.id, c.tenant_id, c.device_id, c.attribute_id, c.config_value, a.attribute_ext, s.digest
    from svc_driver_attribute_config c
    join unnest(${said.map(({ tenantId }) => tenantId)}::bigint[],
      ${said.map(({ deviceId }) => deviceId)}::bigint[],
      ${said.map(({ attribute }) => attribute)}::text[],
      ${said.map(({ digest }) => digest)}::text[]) as s (tenant_id, device_id, attribute, digest)
      on c.tenant_id = s.tenant_id and c.device_id = s.device_id
    join svc_driver_attribute a on a.tenant_id = c.tenant_id and a.id = c.attribute_id
      and a.attribute_code = s.attribute and a.creator_id = 0
      and a.attribute_ext -> 'security' -> 'secret' = 'true'::jsonb
    join svc_device d on d.tenant_id = c.tenant_id and d.id = c.device_id
    join svc_driver v on v.tenant_id = d.tenant_id and v.id = d.driver_id
      and v.driver_code = ${driverCode}
    order by c.id for update of c`.execute(q);
  return rows;
}
