import { z } from 'zod';

import { createScan } from '../../../src/alarm/watch/scan.ts';
import { acrossTenants } from '../../../src/db/tenant.ts';
import { type Listening, listeningTo } from '../../../src/manager/driver/listening.ts';
import type { Session } from '../people/session.ts';
import { AnyRecords } from '../people/shapes.ts';
import type { World } from '../world/app.ts';
import { eventually } from '../world/eventually.ts';
import { fresh } from '../world/fresh-name.ts';
import { add, onboard } from './plant.ts';

const DATA = '/api/v3/data';
const CODE = 'SilentDriver';
const Presence = z.looseObject({ status: z.string() });
const Statuses = z.record(z.string(), z.string());

/** A device whose driver runs nowhere and says only what the test says; a rule on its silence. */
export type SilentPlant = {
  beat(world: World, isAway?: boolean): Promise<void>;
  /** What every door says of the device, where they agree. */
  status(session: Session): Promise<string | undefined>;
  /** Alarms of the device and states of the rule. */
  alarms(session: Session): Promise<unknown[]>;
};

export async function silentPlant(world: World): Promise<SilentPlant> {
  const { admin } = world;
  const { profileId, temperature } = await onboard(admin);
  const driverId = await add(admin, 'driver', {
    driverName: fresh('silent'),
    driverCode: CODE,
    serviceName: 'svc-driver-silent',
  });
  const deviceId = await add(admin, 'device', { deviceName: fresh('silent'), driverId, profileId });
  const ruleId = await admin.data(`${DATA}/rule/add`, {
    ruleName: fresh('silence'),
    alarmTargetTypeFlag: 'POINT',
    entityId: temperature,
    ruleExt: { content: { condition: { operator: 'nodata' }, window: { duration: 'PT10M' } } },
  });
  return {
    beat: ({ bus, clock }, isAway = false) =>
      bus.handled(
        'svc.e.state',
        {
          driverCode: CODE,
          node: 'test',
          at: clock.now(),
          leaseMs: 45_000,
          devices: isAway
            ? []
            : [{ tenantId: admin.tenantId, deviceId, status: 'ONLINE', description: '' }],
        },
        CODE,
      ),
    async status(session) {
      const listed = Statuses.parse(await session.data(`${DATA}/device/status/list`, {}))[deviceId];
      const detail = await session.data(`${DATA}/device/status/get_by_device_id`, undefined, {
        device_id: deviceId,
      });
      const { status } = Presence.parse(detail);
      return status === listed ? status : `${listed}, in detail ${status}`;
    },
    async alarms(session) {
      const page = await session.data(`${DATA}/dashboard/alert/page`, { source: 'device' });
      const states = await session.data(`${DATA}/rule/state/list`, { ruleId });
      return [
        ...AnyRecords.parse(page).records.filter(({ sourceId }) => sourceId === deviceId),
        ...AnyRecords.parse(states).records.filter((state) => state['deviceId'] === deviceId),
      ];
    },
  };
}

export const heard = (
  { app }: World,
  kind: 'state' | 'value' = 'state',
): Promise<Listening | null> => acrossTenants(app.db, 'sweeper', (q) => listeningTo(q, kind));

/** Looks are stored every five seconds. */
const RECENT_MS = 10_000;

/** Two scans as they run every 15 s, with the platform listening in between. */
export async function scanTwice(world: World): Promise<void> {
  const scan = createScan(world.app);
  await scan();
  const before = await heard(world);
  await eventually(
    () => heard(world),
    (now) => now?.isPaused === true || now?.aliveAt !== before?.aliveAt,
  );
  await eventually(
    () => heard(world, 'value'),
    (now) => now?.isPaused !== false || world.clock.now() - now.aliveAt <= RECENT_MS,
  );
  await scan();
}
