import { sql } from 'kysely';
import { z } from 'zod';

import { RuleStatus } from '../../../src/alarm/kind/rule-status.ts';
import { sweepLedger } from '../../../src/alarm/ledger/loop.ts';
import { scanOutages } from '../../../src/alarm/watch/outage.ts';
import type { Queries } from '../../../src/db/connect.ts';
import { inTenant } from '../../../src/db/tenant.ts';
import { EntityState } from '../../../src/manager/device/state.ts';
import { EntityType } from '../../../src/manager/entity/entity-type.ts';
import { addTo, watch } from '../devices/notify.ts';
import { add, onboard } from '../devices/plant.ts';
import type { Session } from '../people/session.ts';
import type { World } from '../world/app.ts';
import { eventually } from '../world/eventually.ts';
import { fresh } from '../world/fresh-name.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 1_440 * MINUTE;
const WINDOW = 10 * MINUTE;
/** Devices whose loss is more urgent than that of their driver. */
const CRITICAL = 20;
/** Alarms of a tenant that a sweep of the ledger attends to. */
const SWEPT = 50;

/** What a channel got of a storm; `most`: messages in ten minutes. */
export type Gusts = {
  messages: number;
  most: number;
  first: string;
  p0: { raised: number; known: number };
};
export type Storm = { lost: Gusts; back: Gusts; offline: number };

const Handover = z.object({ outages: z.object({ offline: z.number() }) });

/** A driver with this many devices is lost, and is back half an hour later; one channel with a limit of floods. */
export async function runStorm(world: World, url: string, devices: number): Promise<Storm> {
  const session = await world.tenant(fresh('storm'));
  const { tenantId } = session;
  const asked = <T>(work: (q: Queries) => Promise<T>) => inTenant(world.app.db, tenantId, work);
  const content = { alarmTypes: ['OFFLINE'], flood: { count: 2, perMs: WINDOW } };
  const { notifyId } = await watch(
    world,
    { channels: [{ target: url }], notify: { notifyExt: { content } } },
    session,
  );
  const driverId = await plantOf(world, session, devices);
  for (const entityId of await asked((q) => someDevices(q, tenantId, driverId)))
    await addTo(session, 'rule', {
      ruleName: fresh('critical'),
      alarmTargetTypeFlag: 'DEVICE',
      entityId,
      notifyId,
      ruleExt: {
        content: {
          condition: { field: 'statusName', operator: 'eq', expected: 'OFFLINE' },
          severity: 'P0',
        },
      },
    });
  const settled = async (isOffline: boolean): Promise<void> => {
    for (let scans = 0; scans <= devices / 100 + 10; scans += 1) {
      await scanOutages(world.app);
      if ((await asked((q) => outages(q, tenantId, driverId))) === (isOffline ? devices + 1 : 0))
        break;
    }
    for (let minutes = 0; minutes < 15; minutes += 1) {
      world.clock.shift(MINUTE);
      for (let sweeps = 0; sweeps <= devices / SWEPT + 5; sweeps += 1) {
        await sweepLedger(world.app);
        if ((await asked((q) => dueIn(q, tenantId, world.clock.now()))) === 0) break;
      }
      await eventually(
        () => asked((q) => underWay(q, tenantId)),
        (count) => count === 0,
      );
    }
  };
  const begin = world.clock.now();
  world.clock.shift(SECOND);
  await asked((q) => leaseUntil(q, { tenantId, driverId, at: begin - MINUTE, until: begin }));
  await settled(true);
  const lost = await asked((q) => gustsOf(q, { tenantId, since: begin, event: 0 }));
  const { outages: away } = Handover.parse(await session.data('/api/v3/agentic/handover/get'));
  world.clock.shift(15 * MINUTE);
  const end = world.clock.now();
  await asked((q) => leaseUntil(q, { tenantId, driverId, at: end, until: end + DAY }));
  await settled(false);
  const back = await asked((q) => gustsOf(q, { tenantId, since: end, event: 1 }));
  return { lost, back, offline: away.offline };
}

/** A driver that runs nowhere, with devices that are online. */
async function plantOf(world: World, session: Session, devices: number): Promise<string> {
  const { tenantId } = session;
  const driverId = await add(session, 'driver', {
    driverName: 'Trunk driver',
    driverCode: fresh('trunk'),
    serviceName: fresh('trunk'),
    serviceHost: '',
  });
  const { profileId } = await onboard(session);
  const at = world.clock.now();
  await inTenant(world.app.db, tenantId, async (q) => {
    // The drivers of the platform itself would be late on a clock that is moved.
    await sql`update svc_device set enable_flag = 1 where tenant_id = ${tenantId}`.execute(q);
    await sql`update svc_driver set enable_flag = 1 where tenant_id = ${tenantId} and id <> ${driverId}`.execute(
      q,
    );
    await sql`
      insert into svc_device (tenant_id, device_name, device_code, driver_id, profile_id)
      select ${tenantId}, 'pump ' || n, 'pump-' || n, ${driverId}, ${profileId}
      from generate_series(1, ${devices}::int) n`.execute(q);
    await sql`
      insert into svc_entity_state (tenant_id, entity_type_flag, entity_id, entity_state_flag, last_state_flag,
        expire_time, last_heartbeat_time, last_online_time, online_since)
      select ${tenantId}, kind, id, ${EntityState.ONLINE}::int, ${EntityState.ONLINE}::int, ${new Date(at + DAY)},
        ${new Date(at)}, ${new Date(at)}, ${new Date(at)}
      from (select ${EntityType.DEVICE}::int as kind, id from svc_device
        where tenant_id = ${tenantId} and driver_id = ${driverId}
        union all select ${EntityType.DRIVER}::int, ${driverId}::bigint) them`.execute(q);
  });
  return driverId;
}

async function someDevices(q: Queries, tenantId: string, driverId: string): Promise<string[]> {
  const rows = await q
    .selectFrom('svc_device')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('driverId', '=', driverId)
    .orderBy('id')
    .limit(CRITICAL)
    .execute();
  return rows.map(({ id }) => id);
}

type Lease = { tenantId: string; driverId: string; at: number; until: number };

/** The driver and its devices were heard last at that time, and hold until then. */
async function leaseUntil(q: Queries, { tenantId, driverId, at, until }: Lease): Promise<void> {
  await sql`
    update svc_entity_state s set expire_time = ${new Date(until)}, last_heartbeat_time = ${new Date(at)},
      entity_state_flag = ${EntityState.ONLINE}, last_state_flag = ${EntityState.ONLINE}
    where s.tenant_id = ${tenantId} and (s.entity_id = ${driverId} or s.entity_id in (
      select id from svc_device where tenant_id = ${tenantId} and driver_id = ${driverId}))`.execute(
    q,
  );
}

const counted = async (
  q: Queries,
  of: ReturnType<typeof sql<{ count: number }>>,
): Promise<number> => (await of.execute(q)).rows[0]?.count ?? 0;

/** Firing outages of the driver and its devices. */
const outages = (q: Queries, tenantId: string, driverId: string) =>
  counted(
    q,
    sql`select count(*)::int as count from svc_entity_alarm where tenant_id = ${tenantId} and rule_id = 0
      and driver_id = ${driverId} and state_flag = ${RuleStatus.FIRING}`,
  );

const dueIn = (q: Queries, tenantId: string, now: number) =>
  counted(
    q,
    sql`select count(*)::int as count from svc_notify_ledger
      where tenant_id = ${tenantId} and end_time is null and due_time <= ${new Date(now)}`,
  );

const underWay = (q: Queries, tenantId: string) =>
  counted(
    q,
    sql`select count(*)::int as count from svc_notify_history
      where tenant_id = ${tenantId} and status_flag in (0, 1, 4)`,
  );

type Since = { tenantId: string; since: number; event: 0 | 1 };

async function gustsOf(q: Queries, { tenantId, since, event }: Since): Promise<Gusts> {
  const { rows } = await sql<{ at: Date; message: string }>`
    select create_time as at, request_ext #>> '{notice,message}' as message from svc_notify_history
    where tenant_id = ${tenantId} and create_time >= ${new Date(since)} order by create_time, id`.execute(
    q,
  );
  const times = rows.map(({ at }) => at.getTime());
  const most = times.map(
    (begin) => times.filter((at) => at >= begin && at <= begin + WINDOW).length,
  );
  const { rows: known } = await sql<{ raised: number; known: number }>`
    select count(*)::int as raised, count(*) filter (where l.known_flag = ${event + 1})::int as known
    from svc_entity_alarm a join svc_notify_ledger l on l.tenant_id = a.tenant_id and l.alarm_id = a.id
    where a.tenant_id = ${tenantId} and a.alarm_level_flag = 0`.execute(q);
  return {
    messages: rows.length,
    most: Math.max(0, ...most),
    first: rows[0]?.message ?? '',
    p0: known[0] ?? { raised: 0, known: 0 },
  };
}
