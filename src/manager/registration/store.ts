import { sql } from 'kysely';

import type { Payload } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { tellDrivers } from '../driver/driver-updates.ts';
import { deleteSpent } from './spent-secret.ts';
import { storeWaiting } from './waiting-store.ts';

type Registered = Payload<'svc.e.registered'>;

/** Consumes what devices registered at their drivers. */
export async function startRegistered(app: App): Promise<{ stop(): Promise<void> }> {
  const subscription = await app.bus.subscribe(
    'svc.e.registered',
    { queue: 'svc.q.registered', key: '#', prefetch: 1 },
    async (message) => {
      const changed = await acrossTenants(app.db, 'registrar', async (q) => {
        await store(q, message);
        await storeWaiting(q, message, app.clock.now());
        return deleteSpent(q, app, message);
      });
      for (const { tenantId, deviceId } of changed) await tellDrivers(app, tenantId, { deviceId });
    },
  );
  return { stop: () => subscription.cancel() };
}

/** Keeps the newest word of each device that exists, in the given tenant, with this driver. */
async function store(q: Queries, { driverCode, devices }: Registered): Promise<void> {
  // One statement must not touch a row twice.
  const last = [...new Map(devices.map((device) => [device.deviceId, device])).values()];
  if (last.length === 0) return;
  await sql`
    insert into svc_device_registration as s (tenant_id, device_id, endpoint, version, register_time,
      objects, left_out)
    select d.tenant_id, d.id, r.endpoint, r.version, r.register_time, r.objects, r.left_out
    from unnest(${last.map(({ tenantId }) => tenantId)}::bigint[],
      ${last.map(({ deviceId }) => deviceId)}::bigint[],
      ${last.map(({ endpoint }) => endpoint)}::text[],
      ${last.map(({ version }) => version)}::text[],
      ${last.map(({ at }) => new Date(at).toISOString())}::timestamptz[],
      ${last.map(({ objects }) => objects.join(' '))}::text[],
      ${last.map(({ leftOut }) => leftOut)}::integer[])
      as r (tenant_id, device_id, endpoint, version, register_time, objects, left_out)
    join svc_device d on d.tenant_id = r.tenant_id and d.id = r.device_id
    join svc_driver v on v.tenant_id = d.tenant_id and v.id = d.driver_id
      and v.driver_code = ${driverCode}
    order by d.tenant_id, d.id
    on conflict (tenant_id, device_id) do update set endpoint = excluded.endpoint,
      version = excluded.version, register_time = excluded.register_time,
      objects = excluded.objects, left_out = excluded.left_out
    where s.register_time <= excluded.register_time`.execute(q);
}
