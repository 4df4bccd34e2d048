import { beforeEach, describe, expect, it } from 'vitest';

import { scanHeld } from '../../src/alarm/watch/held.ts';
import { addTo } from '../support/devices/notify.ts';
import { onboardQuiet, type Plant } from '../support/devices/plant.ts';
import type { Session } from '../support/people/session.ts';
import { AnyRecords } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data';
const MINUTE = 60_000;
const PENDING = 0;
const FIRING = 1;
const RECOVERED = 2;

const world = startedWorld();

describe('a rule over a window', () => {
  let session: Session;
  let plant: Plant;
  let seq = 0;
  beforeEach(async () => {
    session = await world.tenant(fresh('window'));
    plant = await onboardQuiet(world, session);
  });

  const rule = (content: object): Promise<string> =>
    addTo(session, 'rule', {
      ruleName: fresh('rule'),
      alarmTargetTypeFlag: 'POINT',
      entityId: plant.temperature,
      ruleExt: { content },
    });
  const stateOf = async (ruleId: string) =>
    AnyRecords.parse(await session.data(`${DATA}/rule/state/list`, { ruleId })).records[0];
  /** A value of the temperature, `ago` minutes old. */
  const report = (value: number, ago = 0) => {
    const { deviceId, driverId, temperature: pointId } = plant;
    const said = { rawValue: String(value), calValue: String(value), numValue: value };
    const originTime = world.clock.now() - ago * MINUTE;
    const values = [{ deviceId, pointId, ...said, quality: 0 as const, originTime, seq: ++seq }];
    return world.bus.handled(
      'svc.e.value',
      { tenantId: session.tenantId, driverId, driverCode: 'VirtualDriver', node: 'test', values },
      'VirtualDriver',
    );
  };
  /** One value a minute. */
  const eachMinute = async (...values: number[]): Promise<void> => {
    for (const value of values) {
      world.clock.shift(MINUTE);
      await report(value);
    }
  };
  const mean = {
    condition: { field: 'value', operator: '>', threshold: 90, unit: '°C' },
    window: { mode: 'MEAN', duration: 'PT10M', minSamples: 3 },
  };

  it('fires by what its values come to, and says so', async () => {
    const ruleId = await rule(mean);
    await eachMinute(80, 99);
    expect(await stateOf(ruleId)).toBeUndefined();
    await eachMinute(94);
    const { alarmId, entityStateFlag } = (await stateOf(ruleId)) ?? {};
    expect(entityStateFlag).toBe(FIRING);
    const { records } = AnyRecords.parse(
      await session.data(`${DATA}/dashboard/alert/page`, { size: 200 }),
    );
    expect(records.find(({ id }) => id === alarmId)).toMatchObject({
      message: expect.stringContaining('value (mean over 10 min) = 91 (> 90'),
      condition: 'value (mean over 10 min) > 90 °C',
    });
    await eachMinute(80);
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: RECOVERED });
  });

  it('finds a value that is stuck, and is over with the next that changes', async () => {
    const ruleId = await rule({
      condition: { field: 'value', operator: 'between', low: -0.1, high: 0.1 },
      window: { mode: 'DELTA', duration: 'PT10M', minSamples: 5, hold: 'PT5M' },
    });
    await eachMinute(80, 79, 81, 80, 82, 82, 82, 82);
    expect(await stateOf(ruleId)).not.toMatchObject({ entityStateFlag: FIRING });
    await eachMinute(...Array.from({ length: 16 }, () => 82));
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: FIRING });
    await eachMinute(81);
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: RECOVERED });
  });

  it('decides nothing after a gap, until there are values enough', async () => {
    const ruleId = await rule(mean);
    await eachMinute(99, 99, 99);
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: FIRING });
    world.clock.shift(60 * MINUTE);
    await eachMinute(10, 10);
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: FIRING });
    await eachMinute(10);
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: RECOVERED });
  });

  it('counts a value that comes late, or twice, once, from the next decision on', async () => {
    const ruleId = await rule({
      condition: { field: 'value', operator: '>=', threshold: 4 },
      window: { mode: 'COUNT', duration: 'PT10M' },
    });
    await eachMinute(1, 1);
    await report(1, 0.5);
    seq -= 1;
    await report(1, 0.5);
    expect(await stateOf(ruleId)).toBeUndefined();
    await eachMinute(1);
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: FIRING, triggerCount: '1' });
  });

  it('that holds for its time fires without another value', async () => {
    const ruleId = await rule({ ...mean, window: { ...mean.window, hold: 'PT5M' } });
    await eachMinute(99, 99, 99);
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: PENDING });
    world.clock.shift(4 * MINUTE);
    await scanHeld(world.app, 'value');
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: PENDING });
    world.clock.shift(2 * MINUTE);
    await scanHeld(world.app, 'value');
    expect(await stateOf(ruleId)).toMatchObject({ entityStateFlag: FIRING });
  });

  it('that cannot decide is refused, 400', async () => {
    const window = { mode: 'MEAN' };
    const { status, body } = await session.post(`${DATA}/rule/add`, {
      ruleName: fresh('rule'),
      alarmTargetTypeFlag: 'POINT',
      entityId: plant.temperature,
      ruleExt: { content: { ...mean, window } },
    });
    expect(status).toBe(400);
    expect(body.message).toContain('ruleExt.content.window.duration: MEAN needs the time');
  });
});
