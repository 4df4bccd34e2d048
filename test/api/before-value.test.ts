import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { type PlayedDriver, playDriver } from '../support/devices/played-driver.ts';
import { eventually } from '../support/world/eventually.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { onboard, type Site } from '../tools/agent.ts';

const COMMAND = '/api/v3/data/point_command';
const Receipt = z.looseObject({
  say: z.string(),
  seen: z.object({ value: z.string() }).nullable(),
});

let site: Site;
let driver: PlayedDriver;
let count = 0;
const world = startedWorld();

beforeEach(async () => {
  count += 1;
  site = await onboard(world.admin, `b${count}`);
  driver = await playDriver(world, world.admin, site);
});

async function write(value: string): Promise<string> {
  const { deviceId, pointId } = site;
  const commandId = z
    .string()
    .parse(await world.admin.data(`${COMMAND}/write`, { deviceId, pointId, value }));
  await driver.command(commandId);
  return commandId;
}

/** The receipt of a write of 24 that ended UNKNOWN, once a later reading of 24 was compared with it. */
async function unknownThenRead() {
  world.clock.shift(1_000);
  const commandId = await write('24');
  world.clock.shift(1_000);
  await driver.answer(commandId, { status: 'UNKNOWN', errorCode: 'TIMEOUT' });
  await driver.says('24');
  const receipt = async () =>
    Receipt.parse(
      await world.admin.data(`${COMMAND}_history/get_by_command_id`, undefined, { commandId }),
    );
  return eventually(receipt, ({ seen }) => seen?.value === '24');
}

const unproved = {
  status: 'UNKNOWN',
  done: false,
  beforeValue: null,
  say: expect.stringMatching(/^Not known whether .* became 24 °C: .* which does not prove it/),
};

describe('what a point held before a write that ended UNKNOWN', () => {
  it('is its latest value while that is fresh, and then a later reading proves the write', async () => {
    await driver.says('20');
    world.clock.shift(60_000);
    expect(await unknownThenRead()).toMatchObject({ status: 'SUCCESS', beforeValue: '20' });
  });

  it('is not known where a newer value should have come by then', async () => {
    await driver.says('20');
    world.clock.shift(3 * 30_000);
    expect(await unknownThenRead()).toMatchObject(unproved);
  });

  it('is not known from a value of minutes ago, however seldom its driver reads', async () => {
    await driver.declares({ readIntervalMs: 3_600_000 });
    await driver.says('20');
    world.clock.shift(5 * 60_000);
    expect(await unknownThenRead()).toMatchObject(unproved);
  });

  it('is not known where another write may have set it since it was read', async () => {
    await driver.says('20');
    const earlier = await write('24');
    world.clock.shift(1_000);
    await driver.answer(earlier, {});
    expect(await unknownThenRead()).toMatchObject(unproved);
  });

  it('is known after a write that was refused', async () => {
    await driver.says('20');
    const refused = await write('24');
    await driver.answer(refused, { status: 'FAILED', errorCode: 'DEVICE_REFUSED' });
    expect(await unknownThenRead()).toMatchObject({ status: 'SUCCESS', beforeValue: '20' });
  });

  it('is known where the device was labelled and put into a group since it was read', async () => {
    await driver.says('20');
    world.clock.shift(1_000);
    const add = async (path: string, input: object): Promise<string> =>
      z.string().parse(await world.admin.data(`/api/v3/manager/${path}/add`, input));
    const of = { entityTypeFlag: 'DEVICE', entityId: site.deviceId };
    const labelId = await add('label', { entityTypeFlag: 'DEVICE', labelName: `worn ${count}` });
    await add('label_bind', { ...of, labelId });
    const groupId = await add('group', { groupName: `hall ${count}`, groupTypeFlag: 'DEVICE' });
    await add('group_bind', { ...of, groupId });
    expect(await unknownThenRead()).toMatchObject({ status: 'SUCCESS', beforeValue: '20' });
  });

  it('is not known where the point was configured anew since it was read', async () => {
    await driver.says('20');
    world.clock.shift(1_000);
    await world.admin.data('/api/v3/manager/point/update', { id: site.pointId, multiple: 10 });
    expect(await unknownThenRead()).toMatchObject(unproved);
  });
});
