import { beforeAll, describe, expect, it } from 'vitest';

import { add, onboard } from '../support/devices/plant.ts';
import { Records } from '../support/people/shapes.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data';

/** docs/specification/drivers.md, Device health check: every 15 s, a lease of 45 s. */
describe('the status of devices and drivers', () => {
  let silent: { driverId: string; deviceId: string };
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const plant = prepared(() => onboard(mine));
  beforeAll(async () => {
    const driverId = await add(mine, 'driver', {
      driverName: fresh('driver'),
      driverCode: 'StatusDriver',
      serviceName: 'svc-driver-status',
    });
    const { profileId } = plant;
    const deviceId = await add(mine, 'device', { deviceName: fresh('d'), driverId, profileId });
    silent = { driverId, deviceId };
  });

  const devices = () => mine.data(`${DATA}/device/status/list`, {});
  const drivers = () => mine.data(`${DATA}/driver/status/list`, {});
  const counts = async (driverId: string) => [
    await mine.data(`${DATA}/driver/status/get_device_online_by_driver_id`, undefined, {
      driver_id: driverId,
    }),
    await mine.data(`${DATA}/driver/status/get_device_offline_by_driver_id`, undefined, {
      driver_id: driverId,
    }),
  ];
  const is = (id: string, status: string) => (answer: unknown) =>
    JSON.stringify(answer).includes(`"${id}":"${status}"`);
  const beat = (status: 'ONLINE' | 'OFFLINE' | 'FAULT', driverCode = 'StatusDriver') =>
    world.bus.handled(
      'svc.e.state',
      {
        driverCode,
        node: 'node-1',
        at: world.clock.now(),
        leaseMs: 45_000,
        devices: [
          { tenantId: mine.tenantId, deviceId: silent.deviceId, status, description: 'test' },
        ],
      },
      driverCode,
    );

  it('is unknown while nothing was ever heard', async () => {
    expect(await devices()).toMatchObject({ [silent.deviceId]: 'unknown' });
    expect(await drivers()).toMatchObject({ [silent.driverId]: 'unknown' });
    expect(await counts(silent.driverId)).toEqual([0, 1]);
  });

  it('is online at once when a device comes, without waiting for the next heartbeat', async () => {
    await eventually(devices, is(plant.deviceId, 'online'));
    await eventually(drivers, is(plant.driverId, 'online'));
    expect(await counts(plant.driverId)).toEqual([1, 0]);
  });

  const listed = async (situation: string): Promise<string[]> => {
    const asked = { situation, page: { size: 100 } };
    const { records } = Records.parse(await mine.data('/api/v3/manager/device/list', asked));
    const ids = records.map(({ id }) => id);
    const detail = await mine.data(`${DATA}/device/status/list_detail`, asked);
    expect(Object.keys(detail ?? {}).toSorted()).toEqual(ids.toSorted());
    return ids;
  };

  it('is what lists of devices are narrowed by', async () => {
    expect(await listed('online')).toContain(plant.deviceId);
    expect(await listed('online')).not.toContain(silent.deviceId);
    for (const situation of ['unknown', 'never connected'])
      expect(await listed(situation)).toEqual([silent.deviceId]);
    expect(await listed('offline')).toEqual([]);
    const { status } = await mine.post('/api/v3/manager/device/list', { situation: 'asleep' });
    expect(status).toBe(400);
  });

  it('is online for 45 s after a heartbeat and offline from then on, the driver too', async () => {
    await beat('ONLINE');
    await eventually(devices, is(silent.deviceId, 'online'));
    world.clock.shift(43_000);
    expect(await devices()).toMatchObject({ [silent.deviceId]: 'online' });
    expect(await drivers()).toMatchObject({ [silent.driverId]: 'online' });
    world.clock.shift(2_000);
    expect(await devices()).toMatchObject({ [silent.deviceId]: 'offline' });
    expect(await drivers()).toMatchObject({ [silent.driverId]: 'offline' });
    expect(await counts(silent.driverId)).toEqual([0, 1]);
  });

  it('is online again with the next heartbeat', async () => {
    await beat('ONLINE');
    await eventually(devices, is(silent.deviceId, 'online'));
    expect(await drivers()).toMatchObject({ [silent.driverId]: 'online' });
  });

  it('is offline when the driver says so, while the driver itself stays online', async () => {
    await beat('OFFLINE');
    await eventually(devices, is(silent.deviceId, 'offline'));
    expect(await listed('offline')).toContain(silent.deviceId);
    expect(await listed('unknown')).toEqual([]);
    expect(await drivers()).toMatchObject({ [silent.driverId]: 'online' });
  });

  it('is not changed by the word of another driver', async () => {
    await beat('ONLINE', 'VirtualDriver');
    await beat('ONLINE', 'NobodysDriver');
    expect(await devices()).toMatchObject({ [silent.deviceId]: 'offline' });
  });

  it('is answered by driver and by profile; 404 for those of others', async () => {
    const ofDriver = await mine.data(`${DATA}/device/status/list_by_driver_id`, undefined, {
      driver_id: silent.driverId,
    });
    expect(ofDriver).toEqual({ [silent.deviceId]: 'offline' });
    const ofProfile = await mine.data(`${DATA}/device/status/list_by_profile_id`, undefined, {
      profile_id: plant.profileId,
    });
    expect(Object.keys(ofProfile ?? {}).toSorted()).toEqual(
      [plant.deviceId, silent.deviceId].toSorted(),
    );
    const missing = await mine.get(`${DATA}/device/status/list_by_driver_id`, { driver_id: '99' });
    expect(missing.status).toBe(404);
  });

  it('is forgotten with the device', async () => {
    await mine.data('/api/v3/manager/device/delete', { id: silent.deviceId });
    expect(await devices()).not.toHaveProperty(silent.deviceId);
  });
});
