import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { evaluate } from '../../src/alarm/rule/evaluate.ts';
import { createSilenceScan } from '../../src/alarm/watch/no-data.ts';
import { scanOutages } from '../../src/alarm/watch/outage.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { reportFault } from '../support/devices/fault.ts';
import { onboard, type Plant } from '../support/devices/plant.ts';
import { AnyRecords } from '../support/people/shapes.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data';
const MINUTE = 60_000;
const driverCode = 'VirtualDriver';

let plant: Plant;
let harmless: (point: string) => void;
const world = startedWorld();
beforeAll(() => {
  harmless = world.app.crashAt;
});

afterEach(() => {
  world.app.crashAt = harmless;
});

const stopServing = async (deviceId: string): Promise<void> => {
  // The driver in this process would go on saying that the device is online.
  const removed = {
    kind: 'removed',
    driverCode,
    tenantId: world.admin.tenantId,
    deviceId,
  } as const;
  await world.bus.handled('svc.e.metadata', removed, driverCode);
};
beforeEach(async () => {
  plant = await onboard(world.admin);
  await stopServing(plant.deviceId);
});

const rule = async (given: object): Promise<string> =>
  z
    .string()
    .parse(await world.admin.data(`${DATA}/rule/add`, { ruleName: fresh('rule'), ...given }));
const whenSaid = (statusName: string, deviceId: string) => {
  const condition = { field: 'statusName', operator: 'eq', expected: statusName };
  const ruleExt = { content: { condition } };
  return rule({ alarmTargetTypeFlag: 'DEVICE', entityId: deviceId, ruleExt });
};
const states = async (query: object) =>
  AnyRecords.parse(await world.admin.data(`${DATA}/rule/state/list`, query)).records;
const heartbeat = (deviceId: string, leaseMs: number) => {
  const { tenantId } = world.admin;
  const devices = [{ tenantId, deviceId, status: 'ONLINE' as const, description: '' }];
  const state = {
    driverCode,
    node: world.app.config.node,
    at: world.clock.now(),
    leaseMs,
    devices,
  };
  return world.bus.handled('svc.e.state', state, driverCode);
};
/** The next time something was committed, the process is gone, as far as it can be in a test. */
const dieOnce = (): void => {
  world.app.crashAt = (point) => {
    if (point !== 'alarm-committed') return harmless(point);
    world.app.crashAt = harmless;
    throw new Error('died');
  };
};
const goSilent = async (...deviceIds: string[]): Promise<void> => {
  for (const deviceId of deviceIds) await heartbeat(deviceId, 1);
  world.clock.shift(1_000);
};

describe('a rule on devices', () => {
  it('has looked at an outage as soon as that is known, whatever dies then, and the next one waits for nobody', async () => {
    const other = await onboard(world.admin);
    await stopServing(other.deviceId);
    const devices = [plant.deviceId, other.deviceId];
    const ruleIds = [];
    for (const deviceId of devices) ruleIds.push(await whenSaid('OFFLINE', deviceId));
    await goSilent(...devices);
    dieOnce();
    await scanOutages(world.app);
    for (const ruleId of ruleIds)
      expect(await states({ ruleId })).toMatchObject([{ entityStateFlag: 1 }]);
  });

  it('has looked at a reported alarm as soon as that is known, once', async () => {
    const { deviceId } = plant;
    const ruleId = await whenSaid('FAULT', deviceId);
    dieOnce();
    await reportFault(world, world.admin, deviceId, 'broken').catch(() => {});
    expect(
      await eventually(
        () => states({ ruleId }),
        (found) => found.length > 0,
      ),
    ).toMatchObject([{ entityStateFlag: 1, triggerCount: '1' }]);
    await reportFault(world, world.admin, plant.deviceId, 'still broken');
    expect(await states({ ruleId })).toMatchObject([{ triggerCount: '2' }]);
  });

  it('hears of outages after a report whose clock is a century ahead', async () => {
    const { deviceId } = plant;
    const ruleId = await whenSaid('OFFLINE', deviceId);
    const { tenantId } = world.admin;
    const report = {
      tenantId,
      target: 'DEVICE',
      entityId: deviceId,
      type: 'FAULT',
      source: 'DEVICE_REPORT',
      message: 'in 2126',
      occurTime: world.clock.now() + 100 * 365 * 24 * 60 * MINUTE,
    } as const;
    await world.bus.handled('svc.e.alarm', report, tenantId);
    await goSilent(deviceId);
    await scanOutages(world.app);
    expect(await states({ ruleId })).toMatchObject([{ entityStateFlag: 1 }]);
  });
});

describe('a policy that asks for outages', () => {
  it('leaves in the state when it told of one, and confirms what is over where it says so', async () => {
    const { tenantId } = world.admin;
    await inTenant(world.app.db, tenantId, async (q) => {
      const notify = await q
        .insertInto('svc_notify')
        .values({
          tenantId,
          notifyName: fresh('policy'),
          autoConfirmFlag: 0,
          notifyExt: JSON.stringify({ content: { alarmTypes: ['OFFLINE'] } }),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      const channel = await q
        .insertInto('svc_notify_channel')
        .values({ tenantId, channelName: fresh('hook'), channelTypeFlag: 2 })
        .returning('id')
        .executeTakeFirstOrThrow();
      await q
        .insertInto('svc_notify_channel_bind')
        .values({ tenantId, notifyId: notify.id, channelId: channel.id })
        .execute();
    });
    const { deviceId } = plant;
    const outage = () => states({ fingerprint: `outage:6:${deviceId}` });
    await goSilent(deviceId);
    await scanOutages(world.app);
    expect(await outage()).toMatchObject([
      { entityStateFlag: 1, lastNotifyTime: expect.any(String) },
    ]);
    await heartbeat(deviceId, 45_000);
    await scanOutages(world.app);
    expect(await outage()).toMatchObject([{ entityStateFlag: 3 }]);
    const page = await world.admin.data(`${DATA}/dashboard/alert/page`, { source: 'device' });
    expect(
      AnyRecords.parse(page).records.filter(({ sourceId }) => sourceId === deviceId),
    ).toMatchObject([{ alarmTypeFlag: 1, confirmFlag: 1 }]);
  });
});

describe('a rule on silence', () => {
  it('is not broken by a value that rules have heard and history has not yet', async () => {
    const { deviceId, driverId, temperature: pointId } = plant;
    const condition = { operator: 'nodata' };
    const ruleId = await rule({
      alarmTargetTypeFlag: 'POINT',
      entityId: pointId,
      ruleExt: { content: { condition, window: { duration: 'PT10M' } } },
    });
    const scan = () => createSilenceScan(world.app)([]);
    const hear = () =>
      evaluate(world.app, world.admin.tenantId, 'POINT', [
        { entityId: pointId, deviceId, driverId, pointId, values: {}, at: world.clock.now() },
      ]);
    world.clock.shift(11 * MINUTE);
    await hear();
    await scan();
    expect(await states({ ruleId })).toEqual([]);
    world.clock.shift(11 * MINUTE);
    await scan();
    expect(await states({ ruleId })).toMatchObject([{ entityStateFlag: 1 }]);
    await hear();
    await scan();
    expect(await states({ ruleId })).toMatchObject([{ entityStateFlag: 2, triggerCount: '1' }]);
  });
});
