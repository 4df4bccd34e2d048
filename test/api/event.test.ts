import { randomUUID } from 'node:crypto';

import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { Payload } from '../../src/bus/topic/topics.ts';
import { add, onboard } from '../support/devices/plant.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data';
const Records = z.object({ total: z.number(), records: z.array(z.looseObject({})) });

describe('an event report', () => {
  let eventId: string;
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const plant = prepared(() => onboard(mine));
  beforeAll(async () => {
    eventId = await add(mine, 'event', {
      eventName: 'leak',
      eventCode: 'leak',
      eventTypeFlag: 'ALERT',
      eventLevelFlag: 'HIGH',
      profileId: plant.profileId,
    });
  });

  const report = async (more: object = {}): Promise<string> =>
    z.string().parse(
      await mine.data(`${DATA}/event_history/report`, {
        deviceId: plant.deviceId,
        eventCode: 'leak',
        ...more,
      }),
    );
  const record = (recordId: string) =>
    mine.data(`${DATA}/event_history/get_by_record_id`, undefined, { recordId });
  const fromDriver = (more: Partial<Payload<'svc.e.event'>> = {}) =>
    world.bus.handled(
      'svc.e.event',
      {
        schemaVersion: 1,
        recordId: randomUUID(),
        tenantId: mine.tenantId,
        deviceId: plant.deviceId,
        eventCode: 'leak',
        eventType: 'ALERT',
        eventLevel: 'HIGH',
        params: {},
        message: '',
        occurTime: world.clock.now(),
        ...more,
      },
      mine.tenantId,
    );
  const alarms = async (deviceId: string) => {
    const page = await mine.data(`${DATA}/dashboard/alert/page`, { source: 'device' });
    return Records.parse(page).records.filter(({ sourceId }) => sourceId === deviceId);
  };

  it('is stored with what the profile says of the event', async () => {
    const recordId = await report({ paramValues: { litres: 3 }, message: 'wet floor' });
    expect(await record(recordId)).toMatchObject({
      recordId,
      deviceId: plant.deviceId,
      eventId,
      eventCode: 'leak',
      eventTypeFlag: 1,
      eventLevelFlag: 2,
      paramValues: '{"litres":"3"}',
      message: 'wet floor',
      acknowledgeFlag: 0,
      acknowledgeTime: null,
    });
  });

  it('is stored once, however often it is repeated', async () => {
    const recordId = randomUUID();
    expect(await report({ recordId })).toBe(recordId);
    expect(await report({ recordId })).toBe(recordId);
    await fromDriver({ recordId });
    const other = { deviceId: plant.deviceId, eventCode: 'leak', recordId };
    const page = await mine.data(`${DATA}/event_history/list`, { deviceId: plant.deviceId });
    expect(
      Records.parse(page).records.filter((found) => found['recordId'] === recordId),
    ).toHaveLength(1);
    const device = await add(mine, 'device', {
      deviceName: fresh('other'),
      driverId: plant.driverId,
      profileId: plant.profileId,
    });
    for (const changed of [
      { deviceId: device },
      { message: 'another' },
      { paramValues: { litres: 4 } },
      { eventCode: 'other' },
    ]) {
      const answer = await mine.post(`${DATA}/event_history/report`, { ...other, ...changed });
      expect(answer.status, JSON.stringify(changed)).toBe(409);
    }
  });

  it.each(['update', 'delete'])(
    'answers a repeated report as before after an %s of its device',
    async (change) => {
      const deviceId = await add(mine, 'device', {
        deviceName: fresh('gone'),
        driverId: plant.driverId,
        profileId: plant.profileId,
      });
      const asked = { deviceId, recordId: randomUUID(), paramValues: { litres: 3 } };
      expect(await report(asked)).toBe(asked.recordId);
      const changed = { id: deviceId, ...(change === 'update' ? { enableFlag: 'DISABLE' } : {}) };
      await mine.data(`/api/v3/manager/device/${change}`, changed);
      expect(await report(asked)).toBe(asked.recordId);
    },
  );

  it('comes over the bus as well, with text no database keeps and from no device at all', async () => {
    const recordId = randomUUID();
    await fromDriver({
      recordId,
      eventCode: 'boot\0',
      params: { 'a\0': '\ud800' },
      occurTime: world.clock.now() + 10 * 86_400_000,
    });
    const received = new Date(world.clock.now()).toISOString().slice(0, 10);
    expect(await record(recordId)).toMatchObject({
      eventId: '0',
      eventCode: 'boot\uFFFD',
      paramValues: JSON.stringify({ 'a\uFFFD': '\uFFFD' }),
      occurTime: expect.stringContaining(received),
    });
    const lost = randomUUID();
    await fromDriver({ recordId: lost, deviceId: '999999' });
    const query = { recordId: lost };
    expect((await mine.get(`${DATA}/event_history/get_by_record_id`, query)).status).toBe(404);
  });

  it('is acknowledged once, by whoever was first', async () => {
    const recordId = await report();
    const first = await mine.data(`${DATA}/event_history/acknowledge`, { recordId });
    expect(first).toMatchObject({ acknowledgeFlag: 1, acknowledgeTime: expect.any(String) });
    expect(await mine.data(`${DATA}/event_history/acknowledge`, { recordId })).toEqual(first);
    const answer = await mine.post(`${DATA}/event_history/acknowledge`, { recordId: randomUUID() });
    expect(answer.status).toBe(404);
  });

  it.each([
    ['a device nobody has', { deviceId: '999999' }, 404],
    ['an event its profile does not define', { eventCode: 'flood' }, 404],
    ['no event at all', { eventCode: undefined }, 422],
  ])('is refused for %s', async (_what, wrong, status) => {
    const given = { deviceId: plant.deviceId, eventCode: 'leak', ...wrong };
    expect((await mine.post(`${DATA}/event_history/report`, given)).status).toBe(status);
  });

  it('can raise an alarm of its own source, which ends when it is confirmed', async () => {
    const own = await onboard(mine);
    await add(mine, 'event', {
      eventName: 'leak',
      eventCode: 'leak',
      eventTypeFlag: 'ALERT',
      eventLevelFlag: 'HIGH',
      profileId: own.profileId,
    });
    const ruleId = await mine.data(`${DATA}/rule/add`, {
      ruleName: fresh('flood'),
      alarmTargetTypeFlag: 'EVENT',
      entityId: own.deviceId,
      ruleExt: {
        content: { condition: { field: 'litres', operator: '>=', threshold: 10 }, severity: 'P0' },
      },
    });
    const status = async () =>
      Records.parse(await mine.data(`${DATA}/rule/state/list`, { ruleId })).records[0];
    const leak = async (litres: number, later: number) =>
      fromDriver({
        deviceId: own.deviceId,
        params: { litres: String(litres) },
        occurTime: world.clock.now() + later,
      });
    await leak(3, 1);
    expect(await alarms(own.deviceId)).toEqual([]);
    await leak(12, 2);
    await leak(30, 3);
    const [alarm, ...more] = await alarms(own.deviceId);
    expect(more).toEqual([]);
    expect(alarm).toMatchObject({ alarmSourceFlag: 5, alarmTypeFlag: 0, alarmLevelFlag: 0 });
    expect(await status()).toMatchObject({ entityStateFlag: 1, triggerCount: '2' });
    await leak(1, 4);
    expect(await status()).toMatchObject({ entityStateFlag: 1 });
    const confirmed = { source: 'device', id: alarm?.['id'] };
    await mine.data(`${DATA}/dashboard/alert/confirm`, confirmed);
    expect(await status()).toMatchObject({ entityStateFlag: 3 });
    await leak(11, 5);
    expect(await alarms(own.deviceId)).toHaveLength(2);
  });
});
