import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { evaluate } from '../../src/alarm/rule/evaluate.ts';
import { add, onboardQuiet, type Plant } from '../support/devices/plant.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { fresh } from '../support/world/fresh-name.ts';

const DATA = '/api/v3/data';
const MINUTE = 60_000;
const States = z.object({
  records: z.array(
    z.looseObject({
      id: z.string(),
      deviceId: z.string(),
      entityStateFlag: z.number(),
      triggerCount: z.string(),
      alarmId: z.string(),
      firstTriggerTime: z.string().nullable(),
      lastTriggerTime: z.string().nullable(),
      lastRecoverTime: z.string().nullable(),
    }),
  ),
});
const Alerts = z.object({
  total: z.number(),
  size: z.number(),
  records: z.array(
    z.looseObject({
      id: z.string(),
      sourceId: z.string(),
      deviceId: z.string(),
      pointId: z.string(),
      message: z.string(),
      alarmTypeFlag: z.number(),
      alarmSourceFlag: z.number(),
      alarmLevelFlag: z.number(),
      confirmFlag: z.number(),
    }),
  ),
});

describe('a rule', () => {
  let world: World;
  let plant: Plant;
  let seq = 0;
  let t: number;

  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.stop());
  beforeEach(async () => {
    plant = await onboardQuiet(world, world.admin);
    t = world.clock.now() - 60 * MINUTE;
  });

  const rule = async (content: object, more: object = {}): Promise<string> =>
    z.string().parse(
      await world.admin.data(`${DATA}/rule/add`, {
        ruleName: fresh('too hot'),
        alarmTargetTypeFlag: 'POINT',
        entityId: plant.temperature,
        ruleExt: { content },
        ...more,
      }),
    );
  /** Reports a temperature that was measured `minutes` after the start of the test. */
  const report = async (value: string, minutes: number, deviceId = plant.deviceId) => {
    const reading = { rawValue: value, calValue: value, numValue: Number(value) };
    await world.bus.handled(
      'svc.e.value',
      {
        tenantId: world.admin.tenantId,
        driverId: plant.driverId,
        driverCode: 'VirtualDriver',
        node: 'test',
        values: [
          {
            ...reading,
            deviceId,
            pointId: plant.temperature,
            originTime: t + minutes * MINUTE,
            seq: (seq += 1),
            quality: 0,
          },
        ],
      },
      'VirtualDriver',
    );
  };
  const states = async (ruleId: string) =>
    States.parse(await world.admin.data(`${DATA}/rule/state/list`, { ruleId })).records;
  const alerts = async (deviceId = plant.deviceId) => {
    const page = await world.admin.data(`${DATA}/dashboard/alert/page`, {
      source: 'point',
      size: 200,
    });
    return Alerts.parse(page).records.filter((alert) => alert.deviceId === deviceId);
  };
  const above = { condition: { field: 'calValue', operator: '>', threshold: 90 } };

  it('fires once, counts while it goes on, recovers, and is closed by the confirmation', async () => {
    const id = await rule({ ...above, severity: 'P1' });
    await report('80', 0);
    expect(await states(id)).toEqual([]);
    await report('91', 1);
    await report('95', 2);
    await report('96', 3);
    const [firing] = await states(id);
    expect(firing).toMatchObject({
      entityStateFlag: 1,
      triggerCount: '3',
      firstTriggerTime: new Date(t + MINUTE).toISOString(),
      lastTriggerTime: new Date(t + 3 * MINUTE).toISOString(),
    });
    const [alarm, ...more] = await alerts();
    expect(more).toEqual([]);
    expect(alarm).toMatchObject({
      id: firing?.alarmId,
      pointId: plant.temperature,
      alarmTypeFlag: 0,
      alarmSourceFlag: 0,
      alarmLevelFlag: 1,
      confirmFlag: 0,
      message: expect.stringContaining('calValue = 91 (> 90)'),
    });
    await report('70', 4);
    expect((await states(id))[0]).toMatchObject({
      entityStateFlag: 2,
      lastRecoverTime: new Date(t + 4 * MINUTE).toISOString(),
    });
    const confirmed = { source: 'point', id: alarm?.id };
    expect(await world.admin.data(`${DATA}/dashboard/alert/confirm`, confirmed)).toBe(true);
    expect((await states(id))[0]).toMatchObject({ entityStateFlag: 3 });
    expect((await alerts())[0]).toMatchObject({ confirmFlag: 1 });
    await report('99', 5);
    expect((await states(id))[0]).toMatchObject({ entityStateFlag: 1, triggerCount: '4' });
    expect(await alerts()).toHaveLength(2);
  });

  it('stays firing when it is confirmed early, and closes when it recovers', async () => {
    const id = await rule(above);
    await report('91', 1);
    const items = (await alerts()).map((alarm) => ({ source: 'point', id: alarm.id }));
    expect(await world.admin.data(`${DATA}/dashboard/alert/bulk_confirm`, { items })).toBe(1);
    expect((await states(id))[0]?.entityStateFlag).toBe(1);
    await report('70', 2);
    expect((await states(id))[0]?.entityStateFlag).toBe(3);
  });

  it('waits until its condition has held for the duration, without a break', async () => {
    const id = await rule({ ...above, window: { duration: 'PT5M' } });
    await report('91', 0);
    await report('92', 4);
    expect((await states(id))[0]?.entityStateFlag).toBe(0);
    await report('10', 4.5);
    expect((await states(id))[0]?.entityStateFlag).toBe(3);
    await report('91', 6);
    await report('91', 10.9);
    expect(await alerts()).toEqual([]);
    await report('91', 11);
    expect((await states(id))[0]?.entityStateFlag).toBe(1);
    expect(await alerts()).toHaveLength(1);
  });

  it('recovers by its own threshold and duration only', async () => {
    const recovery = { operator: '<', threshold: 80, duration: 'PT2M' };
    const id = await rule({ ...above, recovery });
    const status = async () => (await states(id))[0]?.entityStateFlag;
    await report('91', 0);
    await report('85', 1);
    expect(await status()).toBe(1);
    await report('79', 2);
    await report('85', 3);
    await report('79', 4);
    expect(await status()).toBe(1);
    await report('78', 6);
    expect(await status()).toBe(2);
    expect(await alerts()).toHaveLength(1);
  });

  it('is neither fired nor cleared by a value that comes late', async () => {
    const id = await rule(above);
    await report('80', 10);
    await report('99', 5);
    expect(await states(id)).toEqual([]);
    await report('99', 11);
    await report('10', 9);
    expect((await states(id))[0]).toMatchObject({ entityStateFlag: 1, triggerCount: '1' });
  });

  it('fires once when many evaluate it at the same time', async () => {
    const id = await rule(above);
    const { deviceId, driverId, temperature: pointId } = plant;
    const facts = Array.from({ length: 8 }, (_, i) => ({
      entityId: pointId,
      deviceId,
      driverId,
      pointId,
      values: { calValue: '95' },
      at: t + i,
    }));
    const { tenantId } = world.admin;
    await Promise.all(facts.map((fact) => evaluate(world.app, tenantId, 'POINT', [fact])));
    expect(await alerts()).toHaveLength(1);
    expect(await states(id)).toMatchObject([
      { entityStateFlag: 1, lastTriggerTime: new Date(t + 7).toISOString() },
    ]);
  });

  it('keeps two devices of one profile apart', async () => {
    const id = await rule(above);
    const other = await add(world.admin, 'device', {
      deviceName: fresh('thermostat'),
      driverId: plant.driverId,
      profileId: plant.profileId,
    });
    await report('91', 0);
    await report('92', 1, other);
    await report('10', 2);
    const found = await states(id);
    expect(found.find(({ deviceId }) => deviceId === plant.deviceId)?.entityStateFlag).toBe(2);
    expect(found.find(({ deviceId }) => deviceId === other)?.entityStateFlag).toBe(1);
    expect(await alerts()).toHaveLength(1);
    expect(await alerts(other)).toHaveLength(1);
  });

  it('forgets what it knew when its condition changes, and everything when it goes', async () => {
    const id = await rule(above);
    await report('91', 0);
    // Where no value of the plant's own driver lies, which may come at any moment.
    const condition = { field: 'calValue', operator: 'between', low: 1_000, high: 1_010 };
    const ruleExt = { content: { condition } };
    await world.admin.data(`${DATA}/rule/update`, { id, ruleExt });
    expect(await states(id)).toEqual([]);
    await report('1005', 1);
    expect((await states(id))[0]?.entityStateFlag).toBe(1);
    await world.admin.data(`${DATA}/rule/delete`, { id });
    await report('1006', 2);
    expect(await states(id)).toEqual([]);
    expect((await world.admin.get(`${DATA}/rule/get_by_id`, { id })).status).toBe(404);
    expect(await alerts()).toHaveLength(2);
  });

  it.each([
    ['an unknown operator', { condition: { field: 'calValue', operator: '=~', expected: 'a' } }],
    ['no threshold', { condition: { field: 'calValue', operator: '>' } }],
    [
      'limits the wrong way round',
      { condition: { field: 'value', operator: 'between', low: 2, high: 1 } },
    ],
    ['another window', { ...above, window: { mode: 'AVG', duration: 'PT1M' } }],
    ['no such duration', { ...above, window: { duration: 'a while' } }],
    ['half a recovery', { ...above, recovery: { operator: '<' } }],
    ['silence of no length', { condition: { operator: 'nodata' } }],
  ])('is refused with %s', async (_what, content) => {
    const answer = await world.admin.post(`${DATA}/rule/add`, {
      ruleName: fresh('wrong'),
      alarmTargetTypeFlag: 'POINT',
      entityId: plant.temperature,
      ruleExt: { content },
    });
    expect([400, 422]).toContain(answer.status);
  });

  it('needs entities, notifications and messages that exist', async () => {
    for (const wrong of [{ entityId: '999999' }, { notifyId: '999999' }, { messageId: '999999' }]) {
      const answer = await world.admin.post(`${DATA}/rule/add`, {
        ruleName: fresh('wrong'),
        alarmTargetTypeFlag: 'POINT',
        entityId: plant.temperature,
        ruleExt: { content: above },
        ...wrong,
      });
      expect(answer.status).toBe(404);
    }
  });
});

describe('the page of alarms', () => {
  it('is 200 at most', async () => {
    const world = await startWorld();
    try {
      const page = await world.admin.data(`${DATA}/dashboard/alert/page`, { size: 5_000 });
      expect(Alerts.parse(page)).toMatchObject({ size: 200, total: 0, records: [] });
    } finally {
      await world.stop();
    }
  });
});
