import { describe, expect, it } from 'vitest';

import { createSilenceScan } from '../../src/alarm/watch/no-data.ts';
import { scanOutages } from '../../src/alarm/watch/outage.ts';
import type { Payload } from '../../src/bus/topic/topics.ts';
import { add, onboard, type Plant } from '../support/devices/plant.ts';
import { Records } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data';
const MINUTE = 60_000;

describe('an alarm', () => {
  const world = startedWorld();
  const mine = prepared(() => world.admin);

  const page = async (source: string, sourceId: string) =>
    Records.parse(
      await mine.data(`${DATA}/dashboard/alert/page`, { source, size: 200 }),
    ).records.filter((found) => found['sourceId'] === sourceId || found['pointId'] === sourceId);
  const outage = async (deviceId: string) =>
    Records.parse(
      await mine.data(`${DATA}/rule/state/list`, { fingerprint: `outage:6:${deviceId}` }),
    ).records[0]?.['entityStateFlag'];
  const heartbeat = (
    deviceId: string,
    status: 'ONLINE' | 'OFFLINE' | 'FAULT' = 'ONLINE',
    leaseMs = 45_000,
    driverCode = 'VirtualDriver',
  ) =>
    world.bus.handled(
      'svc.e.state',
      {
        driverCode,
        node: world.app.config.node,
        at: world.clock.now(),
        leaseMs,
        devices: [{ tenantId: mine.tenantId, deviceId, status, description: '' }],
      },
      driverCode,
    );
  const reported = (more: Partial<Payload<'svc.e.alarm'>>) =>
    world.bus.handled(
      'svc.e.alarm',
      {
        tenantId: mine.tenantId,
        target: 'DEVICE',
        entityId: '1',
        type: 'FAULT',
        source: 'DEVICE_REPORT',
        message: 'broken\0',
        occurTime: world.clock.now(),
        ...more,
      },
      mine.tenantId,
    );
  const stopServing = async ({ deviceId }: Plant): Promise<void> => {
    // The driver in this process would go on saying that the device is online.
    await world.bus.handled(
      'svc.e.metadata',
      { kind: 'removed', driverCode: 'VirtualDriver', tenantId: mine.tenantId, deviceId },
      'VirtualDriver',
    );
  };

  it('is raised once for an outage, which its end and its confirmation close', async () => {
    const plant = await onboard(mine);
    const { deviceId } = plant;
    await stopServing(plant);
    await heartbeat(deviceId, 'ONLINE', 1);
    world.clock.shift(1_000);
    await scanOutages(world.app);
    await scanOutages(world.app);
    const [alarm, ...more] = await page('device', deviceId);
    expect(more).toEqual([]);
    expect(alarm).toMatchObject({
      alarmTypeFlag: 1,
      alarmSourceFlag: 1,
      alarmLevelFlag: 1,
      message: expect.stringMatching(/^Device “[^“”]+” is offline: no heartbeat since \S+Z$/),
    });
    expect(await outage(deviceId)).toBe(1);
    await heartbeat(deviceId);
    await scanOutages(world.app);
    expect(await outage(deviceId)).toBe(2);
    await mine.data(`${DATA}/dashboard/alert/confirm`, { source: 'device', id: alarm?.id });
    expect(await outage(deviceId)).toBe(3);
    await heartbeat(deviceId, 'ONLINE', 1);
    world.clock.shift(1_000);
    await scanOutages(world.app);
    expect(await page('device', deviceId)).toHaveLength(2);
    await mine.data('/api/v3/manager/device/delete', { id: deviceId });
    await scanOutages(world.app);
    expect(await outage(deviceId)).toBe(3);
    expect(await page('device', deviceId)).toHaveLength(2);
  });

  it('says that a device flipped, and that it reports a fault, but not that it never was online', async () => {
    const [flipped, broken] = [await onboard(mine), await onboard(mine)];
    for (const plant of [flipped, broken]) await stopServing(plant);
    await heartbeat(flipped.deviceId);
    await heartbeat(flipped.deviceId, 'OFFLINE');
    await heartbeat(broken.deviceId, 'FAULT');
    await scanOutages(world.app);
    expect(await page('device', flipped.deviceId)).toMatchObject([
      { alarmTypeFlag: 3, alarmSourceFlag: 2, alarmLevelFlag: 2 },
    ]);
    expect(await page('device', broken.deviceId)).toMatchObject([
      { alarmTypeFlag: 2, alarmSourceFlag: 2, alarmLevelFlag: 1 },
    ]);
    const driverCode = 'Lwm2mDriver';
    const drivers = Records.parse(await mine.data('/api/v3/manager/driver/list', { driverCode }));
    const never = await add(mine, 'device', {
      deviceName: fresh('never there'),
      driverId: drivers.records[0]?.id,
      profileId: flipped.profileId,
    });
    await heartbeat(never, 'OFFLINE', 45_000, driverCode);
    await scanOutages(world.app);
    expect(await page('device', never)).toEqual([]);
  });

  it('comes over the bus from a device, a driver or the platform, for what exists only', async () => {
    const { deviceId, driverId, temperature } = await onboard(mine);
    await reported({ entityId: deviceId });
    await reported({
      target: 'DRIVER',
      entityId: driverId,
      type: 'REPORT',
      source: 'DRIVER_REPORT',
    });
    await reported({ target: 'POINT', entityId: temperature, type: 'REPORT', source: 'SYSTEM' });
    await reported({ entityId: '999999' });
    expect(await page('device', deviceId)).toMatchObject([
      { alarmTypeFlag: 2, alarmSourceFlag: 2, message: '“broken\uFFFD”' },
    ]);
    // The heartbeats of other tests let the driver's own lease end as well.
    const ofDriver = await page('driver', driverId);
    expect(ofDriver.filter((found) => found['alarmSourceFlag'] === 3)).toMatchObject([
      { alarmTypeFlag: 4, alarmLevelFlag: 2 },
    ]);
    expect(await page('point', temperature)).toMatchObject([{ alarmSourceFlag: 4 }]);
    expect(await page('device', '999999')).toEqual([]);
  });

  it('of a device makes its rules look at it', async () => {
    const { deviceId } = await onboard(mine);
    const condition = { field: 'statusName', operator: 'eq', expected: 'FAULT' };
    const ruleId = await mine.data(`${DATA}/rule/add`, {
      ruleName: fresh('broken'),
      alarmTargetTypeFlag: 'DEVICE',
      entityId: deviceId,
      ruleExt: { content: { condition, severity: 'P0' } },
    });
    await reported({ entityId: deviceId });
    const { records } = Records.parse(await mine.data(`${DATA}/rule/state/list`, { ruleId }));
    expect(records).toMatchObject([{ entityStateFlag: 1 }]);
    expect(await page('device', deviceId)).toMatchObject([
      { alarmTypeFlag: 0, alarmLevelFlag: 0 },
      { alarmTypeFlag: 2 },
    ]);
  });

  it('is raised when nothing comes for the time of a rule, and is over with the next value', async () => {
    const plant = await onboard(mine);
    const { deviceId, driverId, temperature } = plant;
    await stopServing(plant);
    const ruleId = await mine.data(`${DATA}/rule/add`, {
      ruleName: fresh('silent'),
      alarmTargetTypeFlag: 'POINT',
      entityId: temperature,
      ruleExt: { content: { condition: { operator: 'nodata' }, window: { duration: 'PT10M' } } },
    });
    const status = async () =>
      Records.parse(await mine.data(`${DATA}/rule/state/list`, { ruleId })).records[0];
    const scan = () => createSilenceScan(world.app)([]);
    await scan();
    expect(await page('point', temperature)).toEqual([]);
    world.clock.shift(11 * MINUTE);
    await scan();
    await scan();
    expect(await page('point', temperature)).toMatchObject([
      { alarmTypeFlag: 0, message: expect.stringContaining('no value for 10 min') },
    ]);
    expect(await status()).toMatchObject({ entityStateFlag: 1, triggerCount: '1' });
    await world.bus.handled(
      'svc.e.value',
      {
        tenantId: mine.tenantId,
        driverId,
        driverCode: 'VirtualDriver',
        node: 'test',
        values: [
          {
            deviceId,
            pointId: temperature,
            rawValue: '20',
            calValue: '20',
            numValue: 20,
            originTime: world.clock.now(),
            seq: 1,
            quality: 0,
          },
        ],
      },
      'VirtualDriver',
    );
    expect(await status()).toMatchObject({ entityStateFlag: 2 });
  });
});
