import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { createSilenceScan } from '../../src/alarm/watch/no-data.ts';
import { closeOrphans } from '../../src/alarm/watch/orphan.ts';
import { acrossTenants } from '../../src/db/tenant.ts';
import { addTo, DATA } from '../support/devices/notify.ts';
import { add, onboardQuiet, type Plant } from '../support/devices/plant.ts';
import type { Session } from '../support/people/session.ts';
import { AnyRecords } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const MANAGER = '/api/v3/manager';
const SECOND = 1_000;
const FIRING = 1;
const hot = { field: 'value', operator: '>', threshold: 80 };

const world = startedWorld();

describe('a rule of chosen devices', () => {
  let session: Session;
  let plant: Plant;
  let groupId: string;
  /** The first, and two more of its profile. */
  let devices: string[];
  let seq = 0;
  beforeEach(async () => {
    session = await world.tenant(fresh('chosen'));
    plant = await onboardQuiet(world, session);
    groupId = await add(session, 'group', { groupName: 'boilers', groupTypeFlag: 'DEVICE' });
    devices = [plant.deviceId, await device(), await device()];
  });

  async function device(): Promise<string> {
    const { driverId, profileId } = plant;
    const deviceName = fresh('boiler');
    const deviceId = await add(session, 'device', { deviceName, driverId, profileId });
    const removed = { kind: 'removed', driverCode: 'VirtualDriver', deviceId } as const;
    const { tenantId } = session;
    await world.bus.handled('svc.e.metadata', { ...removed, tenantId }, 'VirtualDriver');
    return deviceId;
  }
  const join = (entityId: string) =>
    add(session, 'group_bind', { groupId, entityTypeFlag: 'DEVICE', entityId });
  const leave = async (bindId: string) =>
    session.data(`${MANAGER}/group_bind/delete`, { id: bindId });
  const ruleOf = (content: object) => ({
    ruleName: fresh('rule'),
    alarmTargetTypeFlag: 'POINT',
    entityId: plant.temperature,
    ruleExt: { content: { condition: hot, ...content } },
  });
  const report = async (value: number) => {
    world.clock.shift(SECOND);
    const { temperature: pointId, driverId } = plant;
    const given = devices.map((deviceId) => ({
      deviceId,
      pointId,
      rawValue: String(value),
      calValue: String(value),
      numValue: value,
      quality: 0 as const,
      originTime: world.clock.now(),
      seq: ++seq,
    }));
    const { tenantId } = session;
    await world.bus.handled(
      'svc.e.value',
      { tenantId, driverId, driverCode: 'VirtualDriver', node: 'test', values: given },
      'VirtualDriver',
    );
  };
  const firing = async (ruleId: string): Promise<number[]> => {
    const found = await session.data(`${DATA}/rule/state/list`, { ruleId, page: { size: 100 } });
    return AnyRecords.parse(found)
      .records.filter((state) => state['entityStateFlag'] === FIRING)
      .map((state) => devices.indexOf(String(state['deviceId'])))
      .toSorted((one, other) => one - other);
  };
  const refusal = async (content: object, more: object = {}) => {
    const { status, body } = await session.post(`${DATA}/rule/add`, {
      ...ruleOf(content),
      ...more,
    });
    return `${status} ${body.message}`;
  };

  it('fires on them alone, and on the devices of its groups from when they join', async () => {
    await join(devices[1] ?? '');
    const one = await addTo(session, 'rule', ruleOf({ devices: { ids: [devices[0]] } }));
    const group = await addTo(session, 'rule', ruleOf({ devices: { groupIds: [groupId] } }));
    const every = await addTo(session, 'rule', ruleOf({}));
    await report(90);
    expect(await firing(one)).toEqual([0]);
    expect(await firing(group)).toEqual([1]);
    expect(await firing(every)).toEqual([0, 1, 2]);
    await join(devices[2] ?? '');
    await report(91);
    expect(await firing(group)).toEqual([1, 2]);
  });

  it('ends the alarm of a device that leaves its group, and says why', async () => {
    const bindId = await join(devices[1] ?? '');
    const ruleId = await addTo(session, 'rule', ruleOf({ devices: { groupIds: [groupId] } }));
    await report(90);
    expect(await firing(ruleId)).toEqual([1]);
    await leave(bindId);
    await acrossTenants(world.app.db, 'sweeper', (q) =>
      closeOrphans(q, new Date(world.clock.now())),
    );
    expect(await firing(ruleId)).toEqual([]);
    const alarms = AnyRecords.parse(await session.data(`${DATA}/dashboard/alert/page`, {}));
    expect(alarms.records[0]).toMatchObject({ endReason: 'PLACE_LEFT' });
    await report(91);
    expect(await firing(ruleId)).toEqual([]);
  });

  it('finds their silence alone', async () => {
    const content = {
      condition: { operator: 'nodata' },
      window: { mode: 'LAST', duration: 'PT1M' },
      devices: { ids: [devices[2]] },
    };
    const ruleId = await addTo(session, 'rule', ruleOf(content));
    world.clock.shift(90 * SECOND);
    await createSilenceScan(world.app)([]);
    expect(await firing(ruleId)).toEqual([2]);
  });

  it('is tried on them alone', async () => {
    const createTime = new Date(world.clock.now() - 60 * SECOND).toISOString();
    const { temperature: pointId } = plant;
    const values = devices.map((deviceId) => ({ deviceId, pointId, value: '95', createTime }));
    await session.data(`${DATA}/point_value/import`, { values });
    const tried = z
      .object({ devices: z.number(), episodes: z.array(z.looseObject({ deviceId: z.string() })) })
      .parse(
        await session.data(`${DATA}/rule/preview`, {
          pointId,
          ruleExt: { content: { condition: hot, devices: { ids: [devices[1]] } } },
        }),
      );
    expect(tried.devices).toBe(1);
    expect(tried.episodes.map(({ deviceId }) => deviceId)).toEqual([devices[1]]);
  });

  it('is refused, 400, for what is not there, does not have the point, or is one device anyway', async () => {
    const { driverId } = plant;
    const profileId = await add(session, 'profile', { profileName: fresh('other') });
    const other = await add(session, 'device', { deviceName: fresh('other'), driverId, profileId });
    expect(await refusal({ devices: { ids: ['999'] } })).toContain('400');
    expect(await refusal({ devices: { ids: ['999'] } })).toContain('there is no device 999');
    expect(await refusal({ devices: { groupIds: ['999'] } })).toContain('no group of devices 999');
    expect(await refusal({ devices: { ids: [other] } })).toContain('not have the point');
    expect(await refusal({ devices: {} })).toContain('write ids, groupIds or both');
    const event = { alarmTargetTypeFlag: 'DEVICE', entityId: devices[0] };
    const status = { condition: { field: 'statusName', operator: 'eq', expected: 'OFFLINE' } };
    expect(await refusal({ ...status, devices: { ids: [devices[0]] } }, event)).toContain(
      'one device or driver already',
    );
    const driver = { alarmTargetTypeFlag: 'DRIVER', entityId: '0' };
    expect(await refusal({ ...status, devices: { ids: [devices[0]] } }, driver)).toContain(
      'leave the devices out',
    );
  });
});
