import { sql } from 'kysely';

import type { App } from '../app.ts';
import type { Payload } from '../bus/topics.ts';
import { acrossTenants } from '../db/tenant.ts';
import { EntityState } from './device-status.ts';
import { applyDeclaration, type Declaration, declarations } from './driver-declaration.ts';
import { EntityType } from './group/entity-type.ts';
import { sendDevices } from './metadata.ts';

type State = Payload<'svc.e.state'>;

const STOP_WAIT_MS = 5_000;

/**
 * Takes registrations and heartbeats of drivers. A driver serves every enabled tenant: rows, attributes
 * and leases are kept in each of them, also in one that was created after the driver registered.
 */
export async function startDriverRegistry(app: App): Promise<{ stop(): Promise<void> }> {
  const running = new Set<Promise<void>>();
  const kept = (work: Promise<void>): Promise<void> => {
    running.add(work);
    return work.finally(() => running.delete(work));
  };
  const registrations = await app.bus.subscribe(
    'svc.e.driver_register',
    { queue: 'svc.q.driver_register', key: '#' },
    (declaration) => kept(register(app, declaration)),
  );
  const states = await app.bus.subscribe(
    'svc.e.state',
    { queue: 'svc.q.state', key: '#' },
    (state) => kept(heartbeat(app, state)),
  );
  return {
    async stop() {
      await registrations.cancel();
      await states.cancel();
      // A registration under way still publishes: the bus must not close under it.
      const enough = Promise.withResolvers<void>();
      const cancel = app.clock.after(STOP_WAIT_MS, enough.resolve);
      await Promise.race([Promise.allSettled(running), enough.promise]);
      cancel();
    },
  };
}

/** Gives a new tenant the drivers that have registered so far; call it when a tenant was created. */
export async function registerDriversForTenant(app: App, tenantId: string): Promise<void> {
  await acrossTenants(app.db, 'registrar', async (q) => {
    for (const declaration of await declarations(q))
      await applyDeclaration(q, declaration, [tenantId], app.clock.now());
  });
}

async function register(app: App, declaration: Declaration): Promise<void> {
  const { driverCode, node } = declaration;
  const drivers = await acrossTenants(app.db, 'registrar', async (q) => {
    const tenants = await q
      .selectFrom('svc_tenant')
      .select('id')
      .where('enableFlag', '=', 0)
      .execute();
    const tenantIds = tenants.map(({ id }) => id);
    await applyDeclaration(q, declaration, tenantIds, app.clock.now());
    return q
      .selectFrom('svc_driver')
      .select(['id', 'tenantId'])
      .where('tenantId', 'in', tenantIds.length > 0 ? tenantIds : ['0'])
      .where('driverCode', '=', driverCode)
      .execute();
  });
  // Before the first tenant there is no row to keep what it declares: unanswered, it asks again.
  if (drivers.length === 0) return app.log.info({ driverCode, node }, 'a driver came too early');
  let devices = 0;
  for (const { id, tenantId } of drivers)
    devices += await sendDevices(app, tenantId, { driverId: id });
  const at = app.clock.now();
  const registered = { kind: 'registered', driverCode, node, devices, at } as const;
  await app.bus.publish('svc.e.metadata', registered, { key: driverCode });
  app.log.info({ driverCode, node, tenants: drivers.length, devices }, 'a driver registered');
}

async function heartbeat(app: App, { driverCode, leaseMs, devices }: State): Promise<void> {
  const now = app.clock.now();
  // The last word on a device counts; one statement must not touch a row twice.
  const last = [...new Map(devices.map((device) => [device.deviceId, device])).values()];
  await acrossTenants(app.db, 'registrar', async (q) => {
    const { rows: without } = await sql<{ id: string }>`
      select t.id from svc_tenant t where t.enable_flag = 0 and not exists
        (select from svc_driver d where d.tenant_id = t.id and d.driver_code = ${driverCode})`.execute(
      q,
    );
    if (without.length > 0)
      for (const declaration of await declarations(q, driverCode))
        await applyDeclaration(
          q,
          declaration,
          without.map(({ id }) => id),
          now,
        );
    const lease = sql`${new Date(now)}, ${new Date(now + leaseMs)}`;
    const extend = sql`
      on conflict (tenant_id, entity_type_flag, entity_id) do update set
        last_state_flag = case when s.entity_state_flag = excluded.entity_state_flag
          then s.last_state_flag else s.entity_state_flag end,
        entity_state_flag = excluded.entity_state_flag, parent_entity_id = excluded.parent_entity_id,
        lease_version = s.lease_version + 1, description = excluded.description,
        last_heartbeat_time = excluded.last_heartbeat_time, expire_time = excluded.expire_time,
        operate_time = excluded.last_heartbeat_time`;
    await sql`
      insert into svc_entity_state as s (tenant_id, entity_type_flag, entity_id, entity_state_flag,
        last_heartbeat_time, expire_time)
      select d.tenant_id, ${EntityType.DRIVER}, d.id, ${EntityState.ONLINE}, ${lease}
      from svc_driver d join svc_tenant t on t.id = d.tenant_id and t.enable_flag = 0
      where d.driver_code = ${driverCode} order by d.tenant_id, d.id ${extend}`.execute(q);
    if (last.length === 0) return;
    // Only devices that exist, in the tenant that is named, with this driver.
    await sql`
      insert into svc_entity_state as s (tenant_id, entity_type_flag, entity_id, parent_entity_id,
        entity_state_flag, description, last_heartbeat_time, expire_time)
      select d.tenant_id, ${EntityType.DEVICE}, d.id, d.driver_id, r.state, r.description, ${lease}
      from unnest(${last.map(({ tenantId }) => tenantId)}::bigint[],
        ${last.map(({ deviceId }) => deviceId)}::bigint[],
        ${last.map(({ status }) => EntityState[status])}::smallint[],
        ${last.map(({ description }) => storable(description))}::text[])
        as r (tenant_id, device_id, state, description)
      join svc_device d on d.tenant_id = r.tenant_id and d.id = r.device_id
      join svc_driver v on v.tenant_id = d.tenant_id and v.id = d.driver_id
        and v.driver_code = ${driverCode}
      order by d.tenant_id, d.id ${extend}`.execute(q);
  });
}

/** A device writes part of its description; the database keeps no NUL. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');
