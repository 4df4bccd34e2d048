import { beforeEach, describe, expect, it } from 'vitest';

import * as rules from '../../src/alarm/rule/rule.ts';
import { acrossTenants } from '../../src/db/tenant.ts';
import * as devices from '../../src/manager/device/device.ts';
import { onboard, type Plant } from '../support/devices/plant.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { otherNode } from '../support/world/other-node.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn } from '../tools/agent.ts';

const DRIVER = 'VirtualDriver';

/** Changes are made by another process; no time passes for the caches of this one. */
describe('what values are stored and judged by', () => {
  let plant: Plant;
  let seq = 0;
  const world = startedWorld();

  beforeEach(async () => {
    plant = await onboard(world.admin);
    const { tenantId } = world.admin;
    // The driver in this process would go on measuring.
    const removed = {
      kind: 'removed',
      driverCode: DRIVER,
      tenantId,
      deviceId: plant.deviceId,
    } as const;
    await world.bus.handled('svc.e.metadata', removed, DRIVER);
  });

  const report = async (number: number, pointId = plant.temperature): Promise<void> => {
    const { tenantId } = world.admin;
    const { driverId, deviceId } = plant;
    const text = String(number);
    const originTime = world.clock.now() - 60_000 + (seq += 1);
    const reading = { rawValue: text, calValue: text, numValue: number, originTime, seq };
    const values = [{ ...reading, deviceId, pointId, quality: 0 as const }];
    const batch = { tenantId, driverId, driverCode: DRIVER, node: 'test', values };
    await world.bus.handled('svc.e.value', batch, DRIVER);
  };
  const rowsOf = (table: 'svc_point_value' | 'svc_point_latest'): Promise<string[]> =>
    acrossTenants(world.app.db, 'doctor', async (q) => {
      const rows = await q
        .selectFrom(table)
        .select('calValue')
        .where('deviceId', '=', plant.deviceId)
        .orderBy('seq')
        .execute();
      return rows.map(({ calValue }) => calValue);
    });
  const elsewhere = () => otherNode(world.app);
  const caller = () => agentIn(world.admin);
  const tooHot = () =>
    rules.add(
      elsewhere(),
      caller(),
      rules.AddRule.parse({
        ruleName: fresh('too hot'),
        alarmTargetTypeFlag: 'POINT',
        entityId: plant.temperature,
        ruleExt: { content: { condition: { field: 'calValue', operator: '>', threshold: 90 } } },
      }),
    );
  const fired = (): Promise<string[]> =>
    acrossTenants(world.app.db, 'doctor', async (q) => {
      const rows = await q
        .selectFrom('svc_rule_state')
        .select('ruleId')
        .where('deviceId', '=', plant.deviceId)
        .orderBy('ruleId')
        .execute();
      return rows.map(({ ruleId }) => ruleId);
    });

  it('ends with its device: the next value is not stored', async () => {
    await report(20);
    await report(21);
    await devices.remove(elsewhere(), caller(), { id: plant.deviceId });
    const before = await rowsOf('svc_point_value');
    await report(22);
    expect(await rowsOf('svc_point_value')).toEqual(before);
    expect(await rowsOf('svc_point_latest')).toEqual([]);
  });

  it('has another rule from the next value on, where values are judged', async () => {
    const first = await tooHot();
    // The driver may have measured before it was removed: then the first value is perhaps judged without the rule.
    await report(91);
    await report(91.5);
    expect(await fired()).toEqual([first]);
    const second = await tooHot();
    await report(92);
    expect(await fired()).toEqual([first, second]);
  });

  it('has the first rule from the value on that follows one that was stored', async () => {
    await report(91);
    const first = await tooHot();
    // Stored at the new version, and perhaps judged before it.
    await report(92);
    await report(93);
    expect(await fired()).toEqual([first]);
  });
});
