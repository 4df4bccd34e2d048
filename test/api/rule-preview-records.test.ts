import { randomUUID } from 'node:crypto';

import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { scanOutages } from '../../src/alarm/watch/outage.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { add, onboardQuiet, type Plant } from '../support/devices/plant.ts';
import type { Session } from '../support/people/session.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data';
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 86_400 * SECOND;

const Preview = z.looseObject({
  from: z.string(),
  count: z.number(),
  episodes: z.array(z.looseObject({ deviceId: z.string(), matches: z.number() })),
  devices: z.number(),
  values: z.number(),
  cut: z.array(z.string()),
  unknown: z.array(z.string()),
});

const offline = { field: 'statusName', operator: 'eq', expected: 'OFFLINE' };
const leak = { field: 'eventCode', operator: 'eq', expected: 'leak' };

const world = startedWorld();

describe('a preview of a rule', () => {
  let mine: Session;
  let plant: Plant;
  let other: string;
  let name: string;
  beforeEach(async () => {
    mine = await world.tenant(fresh('records'));
    plant = await onboardQuiet(world, mine);
    const { driverId, profileId } = plant;
    name = fresh('pump');
    other = await add(mine, 'device', { deviceName: name, driverId, profileId });
    const { tenantId } = mine;
    const removed = { kind: 'removed', driverCode: 'VirtualDriver', tenantId, deviceId: other };
    await world.bus.handled('svc.e.metadata', { ...removed, kind: 'removed' }, 'VirtualDriver');
  });

  const tried = async (
    [target, entityId, condition]: [string, string, object],
    { more = {}, content = {} }: { more?: object; content?: object } = {},
  ) =>
    Preview.parse(
      await mine.data(`${DATA}/rule/preview`, {
        alarmTargetTypeFlag: target,
        entityId,
        ruleExt: { content: { condition, ...content } },
        ...more,
      }),
    );
  const state = async (deviceId: string, status: 'ONLINE' | 'OFFLINE' | 'FAULT') => {
    const { tenantId } = mine;
    const devices = [{ tenantId, deviceId, status, description: '' }];
    const of = { driverCode: 'VirtualDriver', node: world.app.config.node, leaseMs: DAY, devices };
    await world.bus.handled('svc.e.state', { ...of, at: world.clock.now() }, of.driverCode);
    await scanOutages(world.app);
    world.clock.shift(MINUTE);
  };
  const event = (eventCode: string, params: Record<string, string> = {}, deviceId = other) => {
    const { tenantId } = mine;
    world.clock.shift(SECOND);
    const of = { schemaVersion: 1, recordId: randomUUID(), tenantId, deviceId, eventCode } as const;
    const what = { eventType: 'ALERT', eventLevel: 'HIGH', params, message: '' } as const;
    const said = { ...of, ...what, occurTime: world.clock.now() };
    return world.bus.handled('svc.e.event', said, tenantId);
  };
  const report = (message: string) => {
    const { tenantId } = mine;
    const of = { tenantId, target: 'DEVICE', entityId: other, type: 'FAULT', message } as const;
    const said = { ...of, source: 'DEVICE_REPORT', occurTime: world.clock.now() } as const;
    return world.bus.handled('svc.e.alarm', said, tenantId);
  };

  it('on a device is tried on its outages and on what it reported', async () => {
    for (const status of ['ONLINE', 'OFFLINE', 'ONLINE', 'OFFLINE', 'ONLINE'] as const)
      await state(other, status);
    await report('jammed');
    const found = await tried(['DEVICE', other, offline]);
    expect(found).toMatchObject({ count: 2, devices: 1, values: 5, unknown: ['OUTAGES'] });
    expect(found.episodes[0]).toMatchObject({ entityId: other, entityName: name, matches: 1 });
    const held = { content: { window: { duration: 'PT5M' } } };
    expect(await tried(['DEVICE', other, offline], held)).toMatchObject({ count: 0 });
    const text = { field: 'message', operator: 'eq', expected: 'jammed' };
    const said = await tried(['DEVICE', other, text]);
    expect(said).toMatchObject({ count: 1, unknown: ['OUTAGES', 'FIELDS'] });
  });

  it('on an event that nothing ends fires once, and says that people would confirm it', async () => {
    for (const level of ['10', '95', '20', '97']) await event('leak', { level });
    await event('idle');
    const once = await tried(['EVENT', other, leak]);
    expect(once).toMatchObject({ count: 1, values: 5, unknown: ['CONFIRMED'] });
    expect(once.episodes).toMatchObject([{ deviceId: other, to: null, matches: 4 }]);
    const high = { field: 'paramValues.level', operator: '>', threshold: 90 };
    const over = { content: { recovery: { operator: '<', threshold: 50 } } };
    const twice = await tried(['EVENT', other, high], over);
    expect(twice).toMatchObject({ count: 2, unknown: [], suggested: { hold: null } });
  });

  it('on every device, driver or event is tried on all, on those it chooses, or on one', async () => {
    for (const deviceId of [plant.deviceId, other]) {
      for (const status of ['ONLINE', 'OFFLINE', 'ONLINE'] as const) await state(deviceId, status);
      await event('leak', {}, deviceId);
    }
    const ofEach = async (deviceId: string) => (await tried(['DEVICE', deviceId, offline])).count;
    const count = await ofEach(other);
    const all = count + (await ofEach(plant.deviceId));
    expect(await tried(['DEVICE', '0', offline])).toMatchObject({ count: all, devices: 2 });
    expect(count).toBeLessThan(all);
    expect(await tried(['EVENT', '0', leak])).toMatchObject({ count: 2, devices: 2 });
    const chosen = { content: { devices: { ids: [other] } } };
    expect(await tried(['DEVICE', '0', offline], chosen)).toMatchObject({ count, devices: 1 });
    const one = { more: { deviceId: other } };
    expect(await tried(['EVENT', '0', leak], one)).toMatchObject({ count: 1, devices: 1 });
    const drivers = await tried(['DRIVER', '0', { ...offline, operator: 'ne' }]);
    expect(drivers.devices).toBeGreaterThan(0);
  });

  it('on every point is tried on the points of each device, and says which it left out', async () => {
    const { driverId, temperature, target } = plant;
    let seq = 0;
    for (const calValue of ['95', '20']) {
      world.clock.shift(SECOND);
      const values = [temperature, target].map((pointId) => ({
        deviceId: other,
        pointId,
        rawValue: calValue,
        calValue,
        numValue: Number(calValue),
        quality: 0 as const,
        originTime: world.clock.now(),
        seq: (seq += 1),
      }));
      const batch = {
        tenantId: mine.tenantId,
        driverId,
        driverCode: 'VirtualDriver',
        node: 'test',
      };
      await world.bus.handled('svc.e.value', { ...batch, values }, 'VirtualDriver');
    }
    const hot = { field: 'value', operator: '>', threshold: 90 };
    const found = await tried(['POINT', '0', hot]);
    expect(found).toMatchObject({ count: 2, devices: 2, values: 4, cut: [], pointName: '' });
    const points = found.episodes.map(({ entityId, entityName }) => ({ entityId, entityName }));
    expect(points).toEqual(
      expect.arrayContaining([
        { entityId: temperature, entityName: 'temperature' },
        { entityId: target, entityName: 'target' },
      ]),
    );
    expect(await tried(['POINT', '0', hot], { more: { deviceId: plant.deviceId } })).toMatchObject({
      count: 0,
      devices: 1,
    });
    const all = { rwFlag: 'READ_ONLY', profileId: plant.profileId, pointTypeFlag: 'DOUBLE' };
    for (let n = 0; n < 99; n += 1) await add(mine, 'point', { pointName: `point ${n}`, ...all });
    expect(await tried(['POINT', '0', hot])).toMatchObject({ count: 2, cut: ['POINTS'] });
  });

  it('on events looks at the newest 10,000, and says so', async () => {
    await inTenant(world.app.db, mine.tenantId, (q) =>
      sql`insert into svc_event_history (tenant_id, device_id, record_id, event_code, occur_time, receive_time)
        select ${mine.tenantId}, ${other}, gen_random_uuid(), 'leak', at, at
        from generate_series(1, 10050) n, lateral (select ${new Date(world.clock.now())}::timestamptz - n * interval '1 s') t (at)`.execute(
        q,
      ),
    );
    const found = await tried(['EVENT', other, leak]);
    expect(found).toMatchObject({ count: 1, values: 10_000, cut: ['VALUES'] });
    expect(world.clock.now() - Date.parse(found.from)).toBeLessThan(10_045 * SECOND);
  });

  it('begins where the class of records deletes, and says so', async () => {
    await inTenant(world.app.db, mine.tenantId, (q) =>
      q
        .insertInto('svc_retention_class')
        .values({
          tenantId: mine.tenantId,
          className: 'short',
          defaultFlag: 1,
          beginTime: new Date(world.clock.now() - DAY),
          alarmDays: 2,
        })
        .execute(),
    );
    const found = await tried(['DEVICE', other, offline]);
    expect(found.unknown).toEqual(['OUTAGES', 'DELETED']);
    expect(world.clock.now() - Date.parse(found.from)).toBeLessThan(3 * DAY);
    expect((await tried(['EVENT', other, leak])).unknown).toEqual(['CONFIRMED']);
  });
});
