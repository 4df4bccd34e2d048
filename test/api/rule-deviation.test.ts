import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { sensorDoubtOf } from '../../src/alarm/explain/sensor-doubt.ts';
import { addTo, DATA } from '../support/devices/notify.ts';
import { add, onboardQuiet, type Plant } from '../support/devices/plant.ts';
import type { Session } from '../support/people/session.ts';
import { AnyRecords } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const SECOND = 1_000;
const FIRING = 1;
const RECOVERED = 2;
const far = { field: 'deviation', operator: 'outside', low: -5, high: 5 };

const Preview = z.looseObject({
  count: z.number(),
  cut: z.array(z.string()),
  episodes: z.array(z.looseObject({ deviceId: z.string(), extreme: z.number().nullable() })),
});

const world = startedWorld();

describe('a rule on the deviation from the median of a group', () => {
  let session: Session;
  let plant: Plant;
  let groupId: string;
  let rooms: string[];
  let seq = 0;
  beforeEach(async () => {
    session = await world.tenant(fresh('peers'));
    plant = await onboardQuiet(world, session);
    groupId = await add(session, 'group', { groupName: 'rooms', groupTypeFlag: 'DEVICE' });
    rooms = [plant.deviceId];
    while (rooms.length < 4) rooms.push(await room());
    for (const entityId of rooms) await join(entityId);
  });

  async function room(): Promise<string> {
    const { driverId, profileId } = plant;
    const deviceName = fresh('room');
    const deviceId = await add(session, 'device', { deviceName, driverId, profileId });
    const removed = { kind: 'removed', driverCode: 'VirtualDriver', deviceId } as const;
    const { tenantId } = session;
    await world.bus.handled('svc.e.metadata', { ...removed, tenantId }, 'VirtualDriver');
    return deviceId;
  }
  const join = (entityId: string) =>
    add(session, 'group_bind', { groupId, entityTypeFlag: 'DEVICE', entityId });
  const ruleOf = (content: object) => ({
    ruleName: fresh('rule'),
    alarmTargetTypeFlag: 'POINT',
    entityId: plant.temperature,
    ruleExt: { content },
  });
  const rule = (content: object = {}): Promise<string> =>
    addTo(session, 'rule', ruleOf({ condition: far, peers: { groupId }, ...content }));
  /** Of each device in order; `null` is a bad value. */
  const report = async (values: readonly (number | null)[], of = rooms, apart = 1) => {
    world.clock.shift(apart * SECOND);
    const { temperature: pointId, driverId } = plant;
    const reported = values.flatMap((value, index) => ({
      deviceId: of[index] ?? '',
      pointId,
      rawValue: String(value),
      calValue: String(value),
      numValue: value,
      quality: value === null ? (2 as const) : (0 as const),
      originTime: world.clock.now(),
      seq: ++seq,
    }));
    const { tenantId } = session;
    await world.bus.handled(
      'svc.e.value',
      { tenantId, driverId, driverCode: 'VirtualDriver', node: 'test', values: reported },
      'VirtualDriver',
    );
  };
  const firingOf = async (ruleId: string, state = FIRING) =>
    AnyRecords.parse(await session.data(`${DATA}/rule/state/list`, { ruleId }))
      .records.filter((one) => one['entityStateFlag'] === state)
      .map((one) => one['entityDeviceId'] ?? one['deviceId']);
  const alarmOf = async () =>
    AnyRecords.parse(await session.data(`${DATA}/dashboard/alert/page`, { size: 10 })).records[0];
  const previewOf = async (content: object = {}) =>
    Preview.parse(
      await session.data(`${DATA}/rule/preview`, {
        pointId: plant.temperature,
        ruleExt: { content: { condition: far, peers: { groupId }, ...content } },
      }),
    );

  it('fires for the device that is off, and is over when it is back', async () => {
    const ruleId = await rule();
    await report([20, 21, 22, 30]);
    expect(await firingOf(ruleId)).toHaveLength(1);
    const alarm = await alarmOf();
    expect(alarm).toMatchObject({ deviceId: rooms[3] });
    expect(String(alarm?.['message'])).toContain('deviation = 8.5');
    await report([20, 21, 22, 23]);
    expect(await firingOf(ruleId, RECOVERED)).toHaveLength(1);
  });

  it('compares with values that came before, alone, and of devices of the group alone', async () => {
    const ruleId = await rule();
    const stranger = await room();
    for (const [index, value] of [20, 21, 22].entries())
      await report([value], [rooms[index] ?? '']);
    await report([90], [stranger]);
    await report([27], [rooms[3] ?? '']);
    expect(await firingOf(ruleId)).toHaveLength(1);
    expect(await alarmOf()).toMatchObject({ deviceId: rooms[3] });
    await join(stranger);
    await report([90], [stranger]);
    expect(await firingOf(ruleId)).toHaveLength(2);
  });

  it('decides nothing with too few values that are neither bad nor stale', async () => {
    const ruleId = await rule({ peers: { groupId, minDevices: 4 }, maxAge: 'PT1M' });
    await report([20, 21, 22], rooms);
    await report([null], [rooms[1] ?? '']);
    await report([40], [rooms[3] ?? '']);
    expect(await firingOf(ruleId)).toEqual([]);
    await report([21], [rooms[1] ?? '']);
    await report([40], [rooms[3] ?? ''], 61);
    expect(await firingOf(ruleId)).toEqual([]);
    await report([20, 21, 22, 40]);
    expect(await firingOf(ruleId)).toHaveLength(1);
  });

  it('compares in percent of the median, and over a window', async () => {
    const percent = await rule({
      condition: { field: 'deviationPercent', operator: '<', threshold: -20 },
    });
    const mean = await rule({ window: { mode: 'MEAN', duration: 'PT10M' } });
    await report([100, 100, 102, 78]);
    expect(await firingOf(percent)).toHaveLength(1);
    await report([100, 100, 102, 100]);
    expect(await firingOf(percent)).toEqual([]);
    expect(await firingOf(mean)).toHaveLength(1);
  });

  it('is previewed as it is evaluated', async () => {
    await report([20, 21, 22, 30]);
    await report([20, 21, 22, 23]);
    for (const value of [31, 20]) await report([value], [rooms[0] ?? '']);
    const found = await previewOf();
    expect(found.cut).toEqual([]);
    expect(found.episodes.map(({ deviceId, extreme }) => [deviceId, extreme])).toEqual([
      [rooms[0], 8.5],
      [rooms[3], 8.5],
    ]);
    expect((await previewOf({ peers: { groupId, minDevices: 4 }, maxAge: 'PT0S' })).count).toBe(1);
  });

  it('says that a sensor differs from others', () => {
    expect(sensorDoubtOf({ condition: far, window: { mode: 'LAST' } })).toBe('DIFFERING');
  });

  it.each<[string, object]>([
    ['peers: a deviation is from the median of a group', { peers: undefined }],
    [
      'peers: no condition compares',
      { condition: { field: 'value', operator: '>', threshold: 1 } },
    ],
    ['minDevices', { peers: { groupId: '1', minDevices: 2 } }],
    ['groupId: there is no such group', { peers: { groupId: '999999999' } }],
  ])('is refused, 400, with %s', async (why, content) => {
    const body = ruleOf({ condition: far, peers: { groupId }, ...content });
    const answer = await session.post(`${DATA}/rule/add`, body);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(why);
  });

  it('is refused for a group with fewer devices than it needs, for every point, and for a text', async () => {
    const few = ruleOf({ condition: far, peers: { groupId, minDevices: 5 } });
    const all = { ...ruleOf({ condition: far, peers: { groupId } }), entityId: '0' };
    const entityId = await add(session, 'point', {
      pointName: 'mode',
      pointTypeFlag: 'STRING',
      rwFlag: 'READ_ONLY',
      profileId: plant.profileId,
    });
    for (const body of [few, all, { ...few, entityId }])
      expect((await session.post(`${DATA}/rule/add`, body)).status).toBe(400);
  });

  it('decides nothing when its group is deleted', async () => {
    const ruleId = await rule();
    for (const { id } of AnyRecords.parse(
      await session.data('/api/v3/manager/group_bind/list', { groupId }),
    ).records)
      await session.data('/api/v3/manager/group_bind/delete', { id });
    await session.data('/api/v3/manager/group/delete', { id: groupId });
    await report([20, 21, 22, 30]);
    expect(await firingOf(ruleId)).toEqual([]);
  });
});
