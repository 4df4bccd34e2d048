import { expect, it } from 'vitest';
import { z } from 'zod';

import { scanOutages } from '../../src/alarm/watch/outage.ts';
import { addTo } from '../support/devices/notify.ts';
import { add } from '../support/devices/plant.ts';
import { watched } from '../support/devices/watched.ts';
import type { Session } from '../support/people/session.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';
import type { Site } from '../tools/agent.ts';

const ALERT = '/api/v3/data/dashboard/alert';
const MANAGER = '/api/v3/manager';
const enableFlag = 'DISABLE';
const Alarms = z.object({
  records: z.array(z.looseObject({ state: z.string().nullable(), endReason: z.string() })),
});

const world = startedWorld();

it('the alarm of a device ends, and says why, when the device is disabled, and fires again with it', async () => {
  const mine = await world.tenant('disabled');
  const [boiler, pump] = [await watched(world, mine, 'boiler'), await watched(world, mine, 'pump')];
  const of = async ({ site }: typeof boiler) =>
    Alarms.parse(await mine.data(`${ALERT}/page`, { deviceId: site.deviceId })).records;
  await boiler.measure(81);
  await pump.measure(81);
  const id = boiler.site.deviceId;
  await mine.data('/api/v3/manager/device/update', { id, enableFlag: 'DISABLE' });
  await scanOutages(world.app);
  expect(await of(boiler)).toMatchObject([{ state: 'CLOSED', endReason: 'PLACE_DISABLED' }]);
  expect(await of(pump)).toMatchObject([{ state: 'FIRING', endReason: '' }]);
  await mine.data('/api/v3/manager/device/update', { id, enableFlag: 'ENABLE' });
  await boiler.measure(82);
  await scanOutages(world.app);
  expect(await of(boiler)).toMatchObject([{ state: 'FIRING' }, { state: 'CLOSED' }]);
});

const change = (mine: Session, noun: string, body: object) =>
  mine.data(`${MANAGER}/${noun}/update`, body);
it.each<[string, string, (mine: Session, site: Site) => Promise<unknown>]>([
  [
    'point is disabled',
    'PLACE_DISABLED',
    (mine, { pointId: id }) => change(mine, 'point', { id, enableFlag }),
  ],
  [
    'profile is disabled',
    'PLACE_DISABLED',
    (mine, { profileId: id }) => change(mine, 'profile', { id, enableFlag }),
  ],
  [
    'driver is disabled',
    'PLACE_DISABLED',
    (mine, { driverId: id }) => change(mine, 'driver', { id, enableFlag }),
  ],
  [
    'point is deleted',
    'PLACE_DELETED',
    (mine, { pointId: id }) => mine.data(`${MANAGER}/point/delete`, { id }),
  ],
  [
    'device gets another profile',
    'PLACE_DELETED',
    async (mine, { deviceId: id }) => {
      const profileId = await add(mine, 'profile', { profileName: fresh('other') });
      return change(mine, 'device', { id, profileId });
    },
  ],
])('the alarm of a point ends, and says why, when its %s', async (_what, endReason, happen) => {
  const mine = await world.tenant(fresh('place'));
  const { site, measure } = await watched(world, mine, 'boiler');
  await measure(81);
  await happen(mine, site);
  await scanOutages(world.app);
  const { records } = Alarms.parse(
    await mine.data(`${ALERT}/page`, { deviceId: site.deviceId, size: 20 }),
  );
  expect(records).toMatchObject([{ state: 'CLOSED', endReason }]);
});

it('the alarms of a driver and its devices end when it is disabled, and none begins while it is', async () => {
  const mine = await world.tenant('disabled-driver');
  const { site } = await watched(world, mine, 'boiler');
  const { driverId: id, driverCode, deviceId } = site;
  const { tenantId } = mine;
  const devices = [{ tenantId, deviceId, status: 'ONLINE' as const, description: '' }];
  await addTo(mine, 'rule', {
    ruleName: 'driver away',
    alarmTargetTypeFlag: 'DRIVER',
    entityId: id,
    ruleExt: {
      content: { condition: { field: 'statusName', operator: 'eq', expected: 'OFFLINE' } },
    },
  });
  const lost = async () => {
    const at = world.clock.now();
    const state = { driverCode, node: 'field', at, leaseMs: 45_000, devices };
    await world.bus.handled('svc.e.state', state, driverCode);
    world.clock.shift(90_000);
    await scanOutages(world.app);
    const page = Alarms.extend({ records: z.array(z.looseObject({ message: z.string() })) });
    const { records } = page.parse(await mine.data(`${ALERT}/page`, { size: 200 }));
    return records
      .filter(({ message }) => /boiler|driver away/.test(message))
      .map(({ state: is, endReason }) => `${String(is)} ${String(endReason)}`);
  };
  const firing = ['FIRING ', 'FIRING ', 'FIRING '];
  expect(await lost()).toEqual(firing);
  await mine.data(`${MANAGER}/driver/update`, { id, enableFlag });
  const ended = firing.map(() => 'CLOSED PLACE_DISABLED');
  await scanOutages(world.app);
  expect(await lost()).toEqual(ended);
});
