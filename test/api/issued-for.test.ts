import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { type PlayedDriver, playDriver } from '../support/devices/played-driver.ts';
import { eventually } from '../support/world/eventually.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { onboard, type Site } from '../tools/agent.ts';

const COMMAND = '/api/v3/data/point_command';
const POINT = '/api/v3/manager/point';
const Receipt = z.looseObject({ outcome: z.string(), say: z.string() });

let site: Site;
let driver: PlayedDriver;
let count = 0;
const world = startedWorld();

beforeEach(async () => {
  count += 1;
  site = await onboard(world.admin, `i${count}`);
  driver = await playDriver(world, world.admin, site);
});

const write = async (value: string, more: object = {}): Promise<string> => {
  const { deviceId, pointId } = site;
  return z
    .string()
    .parse(await world.admin.data(`${COMMAND}/write`, { deviceId, pointId, value, ...more }));
};
const receipt = async (commandId: string) =>
  Receipt.parse(
    await world.admin.data(`${COMMAND}_history/get_by_command_id`, undefined, { commandId }),
  );
const change = (more: object) => world.admin.data(`${POINT}/update`, { id: site.pointId, ...more });

describe('a write whose point is changed before its answer', () => {
  it.each([
    [{ valueDecimal: 0 }, '24.4', 'MISMATCH'],
    [{ pointTypeFlag: 'INT', valueDecimal: 0 }, '24.004', 'VERIFIED'],
  ])('is verified as the point was: %j, read back as %s', async (changed, readBack, judged) => {
    const commandId = await write('24');
    await driver.command(commandId);
    await change(changed);
    await driver.answer(commandId, { readBack });
    expect(await receipt(commandId)).toMatchObject({
      verification: judged,
      outcome: expect.any(String),
    });
  });

  it('is verified also where the point is gone by then', async () => {
    const commandId = await write('24');
    await driver.command(commandId);
    await world.admin.data(`${POINT}/delete`, { id: site.pointId });
    await driver.answer(commandId, { readBack: '24' });
    expect(await receipt(commandId)).toMatchObject({ verification: 'VERIFIED', done: true });
  });

  it('says its values in the unit they were written in, whatever the unit is later', async () => {
    await driver.says('20');
    const commandId = await write('24');
    await driver.command(commandId);
    await change({ unit: '°F' });
    await driver.answer(commandId, { readBack: '24' });
    const { say } = await eventually(
      () => receipt(commandId),
      ({ outcome }) => outcome === 'EXECUTED',
    );
    expect(say).toContain('became 24 °C');
    expect(say).not.toContain('°F');
  });

  it('is known again by its id and its value as that was spelled then', async () => {
    const commandId = crypto.randomUUID();
    const first = await write('24.50', { commandId });
    await driver.command(first);
    await change({ pointTypeFlag: 'INT', valueDecimal: 0 });
    expect(await write('24.50', { commandId })).toBe(first);
  });
});
