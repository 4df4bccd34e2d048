import { beforeEach, describe, expect, it } from 'vitest';

import { add, onboard, type Plant } from '../support/devices/plant.ts';
import { worker } from '../support/people/accounts.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data';
const DAY = 86_400_000;
const above = { field: 'value', operator: '>', threshold: 90 };
const HOT = { condition: above };

const world = startedWorld();

describe('a preview of a rule, 4xx,', () => {
  let plant: Plant;
  beforeEach(async () => {
    plant = await onboard(world.admin);
  });

  const status = async (body: object, session = world.admin) =>
    (
      await session.post(`${DATA}/rule/preview`, {
        pointId: plant.temperature,
        ruleExt: { content: HOT },
        ...body,
      })
    ).status;
  const ago = (days: number) => new Date(world.clock.now() - days * DAY).toISOString();

  it('is the answer for a span that is too long, empty or ahead', async () => {
    expect(await status({ from: ago(32) })).toBe(400);
    expect(await status({ from: ago(31.5), to: ago(1) })).toBe(200);
    expect(await status({ from: ago(1), to: ago(2) })).toBe(400);
    expect(await status({ from: ago(-1) })).toBe(400);
    expect(await status({ from: 'yesterday' })).toBe(400);
  });

  it('is the answer for a rule that makes no sense', async () => {
    expect(await status({ ruleExt: { content: { condition: { operator: 'nodata' } } } })).toBe(400);
    expect(
      await status({ ruleExt: { content: { condition: { ...above, threshold: 'hot' } } } }),
    ).toBe(400);
    expect(await status({ ruleExt: {} })).toBe(400);
    expect(await status({ pointId: 'x' })).toBe(400);
    expect(await status({ pointId: plant.target, deviceId: '999999' })).toBe(404);
  });

  it('is the answer for a device without the point', async () => {
    const { driverId } = plant;
    const profileId = await add(world.admin, 'profile', { profileName: fresh('empty') });
    const device = { deviceName: fresh('empty'), driverId, profileId };
    const deviceId = await add(world.admin, 'device', device);
    expect(await status({ deviceId })).toBe(422);
  });

  it('is 404 for a point, device or rule of another tenant', async () => {
    const theirs = await world.tenant(fresh('preview'));
    const their = await onboard(theirs);
    expect(await status({}, theirs)).toBe(404);
    expect(await status({ pointId: their.temperature })).toBe(404);
    expect(await status({ deviceId: their.deviceId })).toBe(404);
    const ruleId = await theirs.data(`${DATA}/rule/add`, {
      ruleName: fresh('theirs'),
      alarmTargetTypeFlag: 'POINT',
      entityId: their.temperature,
      ruleExt: { content: HOT },
    });
    expect(await status({ ruleId })).toBe(404);
  });

  it('is 403 without the right to see rules, or to read values', async () => {
    const rules = 'svc-center-data:rule:list';
    const values = 'svc-center-data:point_value:list';
    expect(await status({}, (await worker(world.admin, [rules])).session)).toBe(403);
    expect(await status({}, (await worker(world.admin, [values])).session)).toBe(403);
    expect(await status({}, (await worker(world.admin, [rules, values])).session)).toBe(200);
  });
});
