import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { evaluate } from '../../src/alarm/rule/evaluate.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { onboardQuiet, type Plant } from '../support/devices/plant.ts';
import { AnyRecords } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data';
const MINUTE = 60_000;

let plant: Plant;
let at: number;
const world = startedWorld();

beforeEach(async () => {
  plant = await onboardQuiet(world, world.admin);
  at = world.clock.now() - 60 * MINUTE;
});

const above = (threshold: number) => ({
  content: { condition: { field: 'value', operator: '>', threshold } },
});
const rule = async (ruleExt: object): Promise<string> =>
  z.string().parse(
    await world.admin.data(`${DATA}/rule/add`, {
      ruleName: fresh('hot'),
      alarmTargetTypeFlag: 'POINT',
      entityId: plant.temperature,
      ruleExt,
    }),
  );
/** Each a minute after the other. */
const measure = (value: string) => {
  const { deviceId, driverId, temperature: pointId } = plant;
  at += MINUTE;
  return evaluate(world.app, world.admin.tenantId, 'POINT', [
    { entityId: pointId, deviceId, driverId, pointId, values: { value }, at },
  ]);
};
const state = async (ruleId: string) =>
  AnyRecords.parse(await world.admin.data(`${DATA}/rule/state/list`, { ruleId })).records[0];

/** Another process changes a rule, of which this one still knows what it was. */
async function elsewhere(id: string, change: { enableFlag?: number; ruleExt?: string }) {
  const { tenantId } = world.admin;
  const operateTime = new Date(world.clock.now() + 1_000);
  await inTenant(world.app.db, tenantId, async (q) => {
    await q
      .updateTable('svc_rule')
      .set({ ...change, operateTime })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    await q
      .deleteFrom('svc_rule_state')
      .where('tenantId', '=', tenantId)
      .where('ruleId', '=', id)
      .execute();
  });
}

describe('a rule that another process changed a moment ago', () => {
  it('fires no more when it was disabled', async () => {
    const id = await rule(above(90));
    await measure('10');
    await elsewhere(id, { enableFlag: 1 });
    await measure('95');
    expect(await state(id)).toBeUndefined();
  });

  it('fires by what it is now', async () => {
    const id = await rule(above(90));
    await measure('10');
    await elsewhere(id, { ruleExt: JSON.stringify(above(100)) });
    await measure('95');
    expect(await state(id)).toBeUndefined();
    await measure('101');
    expect(await state(id)).toMatchObject({ entityStateFlag: 1 });
  });
});
