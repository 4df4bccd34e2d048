import { sql } from 'kysely';

import type { Payload } from '../../bus/topic/topics.ts';
import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { limited } from '../../kernel/clock.ts';
import { compareKnown } from '../device/known-devices.ts';
import { EntityState } from '../device/state.ts';
import {
  keepAllUnsent,
  nextVersion,
  resend,
  sendDevices,
  tellDrivers,
  tellRemoved,
} from '../driver/driver-updates.ts';
import { type AfterBreak, startListening } from '../driver/listening.ts';
import { EntityType } from '../entity/entity-type.ts';
import { applyDeclaration, type Declaration, declarations } from './declaration.ts';
import { extendLease, releaseLapsed, takeStates, tellServing } from './lease.ts';

type State = Payload<'svc.e.state'>;

const STOP_WAIT_MS = 5_000;
const RELEASE_MS = 5_000;

/**
 * Handles registrations and heartbeats of drivers. A driver serves every enabled tenant: each has the
 * driver's rows, attributes and leases, also a tenant created after the registration.
 */
export async function startDriverRegistry(
  app: App,
  afterBreak: AfterBreak,
): Promise<{ stop(): Promise<void> }> {
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
  const cancelRelease = app.clock.every(RELEASE_MS, async () => {
    await kept(release(app));
    await kept(tellUnsent(app));
  });
  await kept(askAll(app));
  const listening = await startListening(app, 'state', 'svc.q.state', afterBreak);
  return {
    async stop() {
      cancelRelease();
      await listening.stop();
      await registrations.cancel();
      await states.cancel();
      // A running registration still publishes: the bus must stay open until it ends.
      await limited(app.clock, STOP_WAIT_MS, Promise.allSettled(running));
    },
  };
}

/** Adds all registered drivers to a tenant; call it after a tenant was created. */
export async function registerDriversForTenant(app: App, tenantId: string): Promise<void> {
  await acrossTenants(app.db, 'registrar', async (q) => {
    for (const declaration of await declarations(q))
      await applyDeclaration(q, app, declaration, [tenantId]);
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
    await applyDeclaration(q, app, declaration, tenantIds);
    return q
      .selectFrom('svc_driver')
      .select(['id', 'tenantId'])
      .where('tenantId', 'in', tenantIds.length > 0 ? tenantIds : ['0'])
      .where('driverCode', '=', driverCode)
      .execute();
  });
  // No tenant, no row to store the declaration: the unanswered driver registers again.
  if (drivers.length === 0)
    return app.log.info({ driverCode, node }, 'driver registration ignored, no tenant');
  const since = await acrossTenants(app.db, 'registrar', nextVersion);
  let devices = 0;
  for (const { id, tenantId } of drivers)
    devices += await sendDevices(app, tenantId, { driverId: id });
  const at = app.clock.now();
  const registered = { kind: 'registered', driverCode, node, devices, at, since } as const;
  await app.bus.publish('svc.e.metadata', registered, { key: driverCode });
  app.log.info({ driverCode, node, tenants: drivers.length, devices }, 'a driver registered');
}

/** Updates of a manager center that ended before sending them are lost: all drivers register again. */
async function askAll(app: App): Promise<void> {
  try {
    const declared = await acrossTenants(app.db, 'registrar', (q) => declarations(q));
    for (const { driverCode } of declared)
      await app.bus.publish('svc.e.metadata', { kind: 'resync', driverCode }, { key: driverCode });
  } catch (error) {
    app.log.warn({ error }, 'request to register again not sent to drivers, retrying');
    keepAllUnsent(app);
  }
}

const tellUnsent = (app: App): Promise<void> =>
  resend(app, {
    news: ({ tenantId, about }) =>
      'removed' in about
        ? tellRemoved(app, { tenantId, deviceId: about.removed, driverCode: about.driverCode })
        : tellDrivers(app, tenantId, about),
    all: () => askAll(app),
  });

/** Never throws: the next round repeats what failed. */
async function release(app: App): Promise<void> {
  try {
    const now = app.clock.now();
    const freed = await acrossTenants(app.db, 'registrar', (q) => releaseLapsed(q, now));
    await tellServing(app, freed);
  } catch (error) {
    app.log.warn({ error }, 'devices of a missing driver node not released, retrying');
  }
}

async function heartbeat(app: App, state: State): Promise<void> {
  const { driverCode, leaseMs } = state;
  const now = app.clock.now();
  const news = await acrossTenants(app.db, 'registrar', async (q) => {
    const { rows: without } = await sql<{ id: string }>`
      select t.id from svc_tenant t where t.enable_flag = 0 and not exists
        (select from svc_driver d where d.tenant_id = t.id and d.driver_code = ${driverCode})`.execute(
      q,
    );
    if (without.length > 0)
      for (const declaration of await declarations(q, driverCode))
        await applyDeclaration(
          q,
          app,
          declaration,
          without.map(({ id }) => id),
        );
    const at = sql`${new Date(now)}::timestamptz`;
    const lease = sql`${at}, ${new Date(now + leaseMs)}::timestamptz`;
    await sql`
      insert into svc_entity_state as s (tenant_id, entity_type_flag, entity_id, entity_state_flag,
        last_heartbeat_time, expire_time, last_online_time, online_since)
      select d.tenant_id, ${EntityType.DRIVER}, d.id, ${EntityState.ONLINE}, ${lease}, ${at}, ${at}
      from svc_driver d join svc_tenant t on t.id = d.tenant_id and t.enable_flag = 0
      where d.driver_code = ${driverCode} order by d.tenant_id, d.id ${extendLease}`.execute(q);
    return takeStates(q, state, now);
  });
  await tellServing(app, news);
  await compareKnown(app, state);
}
