import { expect, it } from 'vitest';
import { z } from 'zod';

import { scanOutages } from '../../src/alarm/watch/outage.ts';
import { watched } from '../support/devices/watched.ts';
import { startedWorld } from '../support/world/prepared.ts';

const ALERT = '/api/v3/data/dashboard/alert';
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
