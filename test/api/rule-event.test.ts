import { randomUUID } from 'node:crypto';

import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { onboard, type Plant } from '../support/devices/plant.ts';
import { AnyRecords } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data';

describe('a rule on events', () => {
  let plant: Plant;
  let t: number;
  const world = startedWorld();

  beforeEach(async () => {
    plant = await onboard(world.admin);
    t = world.clock.now() - 60_000;
  });

  const rule = async (content: object = {}): Promise<string> => {
    const condition = { field: 'eventCode', operator: 'eq', expected: 'leak' };
    return z.string().parse(
      await world.admin.data(`${DATA}/rule/add`, {
        ruleName: fresh('leak'),
        alarmTargetTypeFlag: 'EVENT',
        entityId: plant.deviceId,
        ruleExt: { content: { condition, ...content } },
      }),
    );
  };
  const happens = (eventCode: string, occurTime: number, more: object = {}) =>
    world.bus.handled(
      'svc.e.event',
      {
        schemaVersion: 1,
        recordId: randomUUID(),
        tenantId: world.admin.tenantId,
        deviceId: plant.deviceId,
        eventCode,
        eventType: 'ALERT',
        eventLevel: 'HIGH',
        params: {},
        message: '',
        occurTime,
        ...more,
      },
      world.admin.tenantId,
    );
  const state = async (ruleId: string) =>
    AnyRecords.parse(await world.admin.data(`${DATA}/rule/state/list`, { ruleId })).records[0];

  it('hears each of them, whatever else happened at the same time or later', async () => {
    const id = await rule();
    await happens('started', t);
    await happens('leak', t);
    expect(await state(id)).toMatchObject({ entityStateFlag: 1, triggerCount: '1' });
    await happens('stopped', t + 10_000);
    await happens('leak', t - 5_000);
    expect(await state(id)).toMatchObject({
      entityStateFlag: 1,
      triggerCount: '2',
      lastTriggerTime: new Date(t).toISOString(),
    });
  });

  it('hears one once, however often it is handed out', async () => {
    const id = await rule();
    const recordId = randomUUID();
    await happens('leak', t, { recordId });
    await happens('leak', t + 1_000);
    await happens('leak', t, { recordId });
    const found = await state(id);
    expect(found).toMatchObject({ entityStateFlag: 1, triggerCount: '2' });
    const confirmed = { source: 'device', id: found?.['alarmId'] };
    await world.admin.data(`${DATA}/dashboard/alert/confirm`, confirmed);
    await happens('leak', t, { recordId });
    expect(await state(id)).toMatchObject({ entityStateFlag: 3, triggerCount: '2' });
  });

  it('is over by its own recovery, which an older event is not', async () => {
    const condition = { field: 'paramValues.litres', operator: '>', threshold: 5 };
    const id = await rule({ condition, recovery: { operator: '<', threshold: 1 } });
    await happens('leak', t, { params: { litres: '9' } });
    await happens('leak', t - 1_000, { params: { litres: '0' } });
    expect(await state(id)).toMatchObject({ entityStateFlag: 1 });
    await happens('leak', t + 1_000, { params: { litres: '0' } });
    expect(await state(id)).toMatchObject({ entityStateFlag: 2 });
  });
});
