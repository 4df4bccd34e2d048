import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { evaluate } from '../../src/alarm/rule/evaluate.ts';
import { createScan } from '../../src/alarm/watch/scan.ts';
import { acrossTenants } from '../../src/db/tenant.ts';
import { listeningTo } from '../../src/manager/driver/listening.ts';
import { onboardQuiet, type Plant } from '../support/devices/plant.ts';
import { AnyRecords } from '../support/people/shapes.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { freshDatabase } from '../support/world/database.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared } from '../support/world/prepared.ts';
import { ShiftedClock } from '../support/world/shifted-clock.ts';

const DATA = '/api/v3/data';
const MINUTE = 60_000;
const PENDING = 0;
const FIRING = 1;

const database = prepared(() => freshDatabase());
let world: World;
let plant: Plant;
const clock = new ShiftedClock();
beforeAll(async () => {
  world = await startWorld({ database, clock });
  plant = await onboardQuiet(world, world.admin);
});
afterAll(() => world?.stop());

const rule = async (content: object, entityId: string): Promise<string> =>
  z.string().parse(
    await world.admin.data(`${DATA}/rule/add`, {
      ruleName: fresh('rule'),
      alarmTargetTypeFlag: 'POINT',
      entityId,
      ruleExt: { content },
    }),
  );
const stateOf = async (ruleId: string) =>
  AnyRecords.parse(await world.admin.data(`${DATA}/rule/state/list`, { ruleId })).records.find(
    (state) => state['deviceId'] === plant.deviceId,
  );
const measure = (value: number) => {
  const { deviceId, driverId, temperature: pointId } = plant;
  return evaluate(world.app, world.admin.tenantId, 'POINT', [
    { entityId: pointId, deviceId, driverId, pointId, values: { value }, at: clock.now() },
  ]);
};
/** The platform has listened until now. */
const listened = async () => {
  const now = clock.now();
  await eventually(
    () => acrossTenants(world.app.db, 'sweeper', (q) => listeningTo(q, 'value')),
    (listening) => (listening?.aliveAt ?? 0) >= now,
  );
};
/** The platform is away for so many minutes. */
const stopFor = async (minutes: number) => {
  await listened();
  await world.halt();
  clock.shift(minutes * MINUTE);
  world = await startWorld({ database, clock });
};
const scan = async () => {
  await listened();
  await createScan(world.app)();
};

describe('a time in which the platform was down', () => {
  it('is no silence, and no time in which a condition held', async () => {
    const window = { duration: 'PT10M' };
    const silent = await rule({ condition: { operator: 'nodata' }, window }, plant.target);
    clock.shift(2 * MINUTE);
    const hot = await rule(
      { condition: { field: 'value', operator: '>', threshold: 90 }, window },
      plant.temperature,
    );
    await measure(99);
    clock.shift(4 * MINUTE);
    await stopFor(30);
    await scan();
    expect(await stateOf(silent)).not.toMatchObject({ entityStateFlag: FIRING });
    expect(await stateOf(hot)).toMatchObject({ entityStateFlag: PENDING });
    clock.shift(3 * MINUTE);
    await stopFor(30);
    await measure(99);
    await scan();
    expect(await stateOf(hot)).toMatchObject({ entityStateFlag: PENDING });
    clock.shift(4 * MINUTE);
    await scan();
    expect(await stateOf(silent)).toMatchObject({ entityStateFlag: FIRING });
    expect(await stateOf(hot)).toMatchObject({ entityStateFlag: FIRING, triggerCount: '1' });
  });
});
