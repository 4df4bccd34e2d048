import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { Payload } from '../../src/bus/topic/topics.ts';
import { add, onboard, type Plant } from '../support/devices/plant.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data/point_value';
type Value = Payload<'svc.e.value'>['values'][number];

const Values = z.array(
  z.looseObject({ calValue: z.string(), quality: z.string(), createTime: z.iso.datetime() }),
);
const Page = z.object({
  total: z.number(),
  records: z.array(z.looseObject({ pointId: z.string(), hasLatestValue: z.boolean() })),
});

describe('point values', () => {
  /** A device whose driver is this test. */
  let own: Plant & { driverCode: string };
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const plant = prepared(() => onboard(mine));
  const foreign = prepared(async () => onboard(await world.tenant('other')));
  beforeAll(async () => {
    const driverCode = fresh('TestDriver');
    const driverId = await add(mine, 'driver', {
      driverName: driverCode,
      driverCode,
      serviceName: 'svc-driver-test',
    });
    const deviceId = await add(mine, 'device', {
      deviceName: fresh('probe'),
      driverId,
      profileId: plant.profileId,
    });
    own = { ...plant, driverId, deviceId, driverCode };
  });

  const value = (given: Partial<Value> = {}): Value => ({
    deviceId: own.deviceId,
    pointId: own.temperature,
    rawValue: '20',
    calValue: '20',
    numValue: 20,
    originTime: world.clock.now(),
    seq: 0,
    quality: 0,
    ...given,
  });
  const report = (values: Value[], batch: object = {}) =>
    world.bus.handled(
      'svc.e.value',
      {
        tenantId: mine.tenantId,
        driverId: own.driverId,
        driverCode: own.driverCode,
        node: 'node-1',
        values,
        ...batch,
      },
      own.driverCode,
    );
  const latest = async (pointId: string, deviceId = own.deviceId) =>
    Page.parse(await mine.data(`${DATA}/latest`, { deviceId, pointId })).records[0];
  const history = async (query: Record<string, string> = {}) =>
    Values.parse(
      await mine.data(`${DATA}/list_history_by_device_id_and_point_id`, undefined, {
        device_id: own.deviceId,
        point_id: own.temperature,
        ...query,
      }),
    );

  it('come from the driver and change while one looks', async () => {
    const read = async () => (await latest(plant.temperature, plant.deviceId))?.['createTime'];
    await mine.data('/api/v3/data/point_command/read', {
      deviceId: plant.deviceId,
      pointId: plant.temperature,
    });
    const first = await eventually(read, (time) => typeof time === 'string');
    await mine.data('/api/v3/data/point_command/read', {
      deviceId: plant.deviceId,
      pointId: plant.temperature,
    });
    expect(await eventually(read, (time) => time !== first)).not.toBe(first);
  });

  describe('the latest', () => {
    it('is NaN and marked as missing while there is none', async () => {
      expect(await latest(own.target)).toMatchObject({
        rawValue: 'NaN',
        calValue: 'NaN',
        numValue: null,
        hasLatestValue: false,
        createTime: null,
      });
    });

    it('is the one of the newest origin, whatever came last', async () => {
      const now = world.clock.now();
      await report([value({ calValue: '21', originTime: now })]);
      await report([value({ calValue: '19', originTime: now - 1_000 })]);
      await report([
        value({ calValue: '22', originTime: now, seq: 1 }),
        value({ calValue: '18', originTime: now - 500 }),
      ]);
      expect(await latest(own.temperature)).toMatchObject({
        calValue: '22',
        numValue: 22,
        quality: 'GOOD',
        unit: '°C',
        pointName: 'temperature',
        hasLatestValue: true,
      });
      const values = (await history()).map(({ calValue }) => calValue);
      expect(values.slice(0, 4)).toEqual(['22', '21', '18', '19']);
    });

    it('is found across devices by name', async () => {
      await report([value()]);
      const page = Page.parse(await mine.data(`${DATA}/list`, { deviceName: 'probe' }));
      expect(page.records).toMatchObject([{ deviceId: own.deviceId, pointId: own.temperature }]);
    });
  });

  it('are stored once, however often they are reported', async () => {
    const originTime = world.clock.now() - 60_000;
    const batch = [1, 2, 3].map((seq) => value({ seq, originTime }));
    const at = new Date(originTime).toISOString();
    await Promise.all([report(batch), report(batch), report([...batch, ...batch])]);
    expect(await history({ from: at, to: at })).toHaveLength(3);
  });

  it('that contradict the type of their point are kept as BAD, without a number', async () => {
    await report([value({ calValue: 'NaN', rawValue: 'broken\0', numValue: 7 })]);
    expect((await history({ count: '1' }))[0]).toMatchObject({
      rawValue: 'broken\uFFFD',
      calValue: 'NaN',
      numValue: null,
      quality: 'BAD',
    });
  });

  it('from a clock far ahead do not outrank what comes after them', async () => {
    await report([value({ calValue: '99', originTime: 8.6e15 })]);
    expect((await history({ count: '1' }))[0]).toMatchObject({ quality: 'UNCERTAIN' });
    world.clock.shift(1_000);
    await report([value({ calValue: '23' })]);
    expect(await latest(own.temperature)).toMatchObject({ calValue: '23' });
  });

  it('are dropped when their driver, device or tenant is not the one', async () => {
    const before = (await history({ count: '500' })).length;
    const later = () => value({ calValue: '66', originTime: world.clock.now() + 5_000 });
    await report([later()], { driverCode: 'VirtualDriver' });
    await report([later()], { driverId: plant.driverId });
    await report([later()], { tenantId: '999999' });
    await report([value({ deviceId: foreign.deviceId, pointId: foreign.temperature })]);
    await report([value({ deviceId: '999999' }), value({ pointId: '999999' })]);
    expect(await history({ count: '500' })).toHaveLength(before);
  });

  it('page backwards through history with `before`', async () => {
    const start = world.clock.now() - 3_600_000;
    await report([0, 1, 2, 3].map((n) => value({ originTime: start + n, calValue: `${n}` })));
    const from = new Date(start).toISOString();
    const to = new Date(start + 3).toISOString();
    const first = await history({ from, to, count: '2' });
    const second = await history({ from, before: first[1]?.createTime ?? '', count: '2' });
    expect([...first, ...second].map(({ calValue }) => calValue)).toEqual(['3', '2', '1', '0']);
  });

  it.each([
    ['a count of 501', { count: '501' }],
    ['a count that is no number', { count: 'all' }],
    ['a time before time', { from: '-271821-04-20T00:00:00Z' }],
    ['a time that is none', { to: 'yesterday' }],
  ])('400: %s', async (_name, query) => {
    const path = `${DATA}/list_history_by_device_id_and_point_id`;
    const pair = { device_id: own.deviceId, point_id: own.temperature };
    expect((await mine.get(path, { ...pair, ...query })).status).toBe(400);
  });

  it('404: of a device of another tenant', async () => {
    const answer = await mine.post(`${DATA}/latest`, { deviceId: foreign.deviceId });
    expect(answer.status).toBe(404);
  });
});
