import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { storedFacts } from '../../src/alarm/rule/replay/stored-facts.ts';
import { createSilenceScan } from '../../src/alarm/watch/no-data.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { add, onboard, type Plant } from '../support/devices/plant.ts';
import { Id } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data';
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 86_400 * SECOND;

const Episodes = z.object({
  count: z.number(),
  episodes: z.array(
    z.object({
      alarmId: z.string(),
      deviceId: z.string(),
      from: z.string(),
      to: z.string().nullable(),
      extreme: z.number().nullable(),
    }),
  ),
});
const Preview = Episodes.extend({
  from: z.string(),
  to: z.string(),
  devices: z.number(),
  values: z.number(),
  cut: z.array(z.string()),
  unit: z.string(),
  series: z
    .object({ deviceId: z.string(), values: z.array(z.object({ value: z.number() })) })
    .nullable(),
  stored: Episodes.nullable(),
});
type Episodes = z.output<typeof Episodes>;

const above = { field: 'value', operator: '>', threshold: 90 };
const HOT = { condition: above };

type Over = [mode: string, operator: string, threshold: number, count: number];
/** Rules on what the values of five minutes come to. */
const windows = (modes: readonly Over[]) =>
  modes.map(([mode, operator, threshold, count]): [string, object, number] => [
    `the ${mode} of a time`,
    { condition: { field: 'value', operator, threshold }, window: { mode, duration: 'PT5M' } },
    count,
  ]);

const world = startedWorld();

describe('a preview of a rule', () => {
  let plant: Plant;
  let other: string;
  let seq = 0;
  let t: number;

  beforeEach(async () => {
    plant = await onboard(world.admin);
    const { driverId, profileId } = plant;
    other = await add(world.admin, 'device', {
      deviceName: fresh('thermostat'),
      driverId,
      profileId,
    });
    const { tenantId } = world.admin;
    const driverCode = 'VirtualDriver';
    // The driver in this process would go on measuring, newer than what the tests report.
    for (const deviceId of [plant.deviceId, other]) {
      const removed = { kind: 'removed', driverCode, tenantId, deviceId } as const;
      await world.bus.handled('svc.e.metadata', removed, driverCode);
    }
    t = world.clock.now() - 60 * MINUTE;
  });

  type Reported = { value: string; minutes: number; deviceId?: string; quality?: 0 | 2 };
  /** Reports temperatures as one batch; each was measured `minutes` after the start of the test. */
  const report = async (...values: Reported[]): Promise<void> => {
    world.clock.shift(SECOND);
    await world.bus.handled(
      'svc.e.value',
      {
        tenantId: world.admin.tenantId,
        driverId: plant.driverId,
        driverCode: 'VirtualDriver',
        node: 'test',
        values: values.map(({ value, minutes, deviceId = plant.deviceId, quality = 0 }) => ({
          deviceId,
          pointId: plant.temperature,
          rawValue: value,
          calValue: value,
          numValue: Number(value),
          originTime: t + minutes * MINUTE,
          seq: (seq += 1),
          quality,
        })),
      },
      'VirtualDriver',
    );
  };
  const rule = async (content: object): Promise<string> =>
    Id.parse(
      await world.admin.data(`${DATA}/rule/add`, {
        ruleName: fresh('tried'),
        alarmTargetTypeFlag: 'POINT',
        entityId: plant.temperature,
        ruleExt: { content },
      }),
    );
  const tried = async (content: object, more: object = {}) =>
    Preview.parse(
      await world.admin.data(`${DATA}/rule/preview`, {
        pointId: plant.temperature,
        ruleExt: { content },
        ...more,
      }),
    );
  /** Episodes without what only one of the two knows. */
  const known = ({ episodes = [] }: Partial<Episodes> = {}) =>
    episodes.map(({ deviceId, from, to }) => ({ deviceId, from, to })).toSorted(byFrom);
  const byFrom = (a: { from: string; deviceId: string }, b: { from: string; deviceId: string }) =>
    a.from.localeCompare(b.from) || Number(BigInt(a.deviceId) - BigInt(b.deviceId));

  /** Flaps, a plateau, late and bad values, a batch with several of them, and a second device. */
  async function story(): Promise<void> {
    const deviceId = other;
    await report({ value: '80', minutes: 0 });
    await report({ value: '91', minutes: 1 }, { value: '97.5', minutes: 2 });
    await report({ value: '85', minutes: 3 });
    await report({ value: '99', minutes: 2.5 });
    await report({ value: '70', minutes: 4 }, { value: '95', minutes: 5, deviceId });
    await report({ value: '93', minutes: 6 }, { value: '60', minutes: 7 });
    await report({ value: '400', minutes: 8, quality: 2 });
    await report({ value: '94', minutes: 10 });
    await report({ value: '96', minutes: 12 }, { value: '50', minutes: 13, deviceId });
    await report({ value: '92', minutes: 16 });
    await report({ value: '88', minutes: 20 }, { value: '91', minutes: 19 });
    await report({ value: '40', minutes: 25 });
    await report({ value: '99', minutes: 24.5 });
    await report({ value: '40', minutes: 30 }, { value: '99', minutes: 31, deviceId });
  }

  it.each([
    ['a limit', HOT, 5],
    ['a duration', { ...HOT, window: { duration: 'PT5M' } }, 1],
    ['a recovery of its own', { ...HOT, recovery: { operator: '<', threshold: 75 } }, 5],
    [
      'a recovery that has to last',
      { ...HOT, recovery: { operator: '<', threshold: 89, duration: 'PT4M' } },
      2,
    ],
    ['no recovery', { ...HOT, recovery: { enabled: false } }, 2],
    ['a range', { condition: { field: 'value', operator: 'outside', low: 55, high: 95 } }, 4],
    ['a text', { condition: { field: 'calValue', operator: 'eq', expected: '40' } }, 1],
    ...windows([
      ['MEAN', '>', 90, 3],
      ['MIN', '<', 65, 3],
      ['MAX', '>', 98, 2],
      ['SUM', '>', 250, 2],
      ['COUNT', '>=', 3, 2],
      ['RATE', '>', 300, 2],
      ['DELTA', '<', -20, 2],
    ]),
    [
      'a mean that holds',
      {
        condition: above,
        window: { mode: 'MEAN', duration: 'PT5M', hold: 'PT4M', minSamples: 2 },
      },
      1,
    ],
    ['the raw value', { condition: { field: 'rawValue', operator: '<=', threshold: 60 } }, 3],
  ])('with %s is what the evaluation raises of the same values', async (_what, content, count) => {
    const ruleId = await rule(content);
    await story();
    const answer = await tried(content, { ruleId });
    expect(known(answer)).toEqual(known(answer.stored ?? {}));
    expect(answer.stored?.count).toBe(answer.count);
    expect(answer).toMatchObject({ count, devices: 2, values: 20, cut: [], unit: '°C' });
  });

  it('with silence is what the scan raises', async () => {
    const content = { condition: { operator: 'nodata' }, window: { duration: 'PT10M' } };
    const ruleId = await rule(content);
    const from = new Date(world.clock.now()).toISOString();
    const minutes = () => (world.clock.now() - t) / MINUTE;
    await report({ value: '20', minutes: minutes() });
    world.clock.shift(9 * MINUTE);
    await createSilenceScan(world.app)([]);
    await report({ value: '20', minutes: minutes() });
    world.clock.shift(6 * MINUTE);
    await report({ value: '20', minutes: minutes(), quality: 2 });
    world.clock.shift(5 * MINUTE);
    await createSilenceScan(world.app)([]);
    await report({ value: '21', minutes: minutes() });
    const { deviceId } = plant;
    const answer = await tried(content, { ruleId, deviceId, from });
    expect(answer.count).toBe(1);
    expect(answer.stored?.count).toBe(1);
    expect(answer.episodes[0]?.to).toBe(answer.stored?.episodes[0]?.to);
    // The scan comes when it comes; the silence begins to count at once.
    const said = Date.parse(answer.episodes[0]?.from ?? '');
    expect(Date.parse(answer.stored?.episodes[0]?.from ?? '') - said).toBeLessThan(2 * MINUTE);
  });

  it('says the extreme of each episode, and draws the device with most of them', async () => {
    await story();
    const { deviceId } = plant;
    const answer = await tried(HOT, { deviceId });
    expect(answer.episodes.map(({ extreme }) => extreme)).toEqual([96, 93, 97.5]);
    expect(answer.episodes.every(({ alarmId }) => alarmId === '0')).toBe(true);
    expect(answer.stored).toBeNull();
    expect(answer.series?.deviceId).toBe(deviceId);
    expect(Math.max(...(answer.series?.values ?? []).map(({ value }) => value))).toBe(99);
    const low = { condition: { field: 'value', operator: '<', threshold: 65 } };
    expect((await tried(low, { deviceId })).episodes.map(({ extreme }) => extreme)).toEqual([
      40, 60,
    ]);
  });

  it('shows a changed rule beside the alarms that the stored one did raise', async () => {
    const ruleId = await rule(HOT);
    await story();
    const { deviceId } = plant;
    const higher = { condition: { ...above, threshold: 97 } };
    const answer = await tried(higher, { ruleId, deviceId });
    expect(answer.count).toBe(1);
    expect(answer.stored?.count).toBe(3);
    const page = await world.admin.data(`${DATA}/dashboard/alert/page`, { size: 200 });
    const raised = z
      .object({ records: z.array(z.looseObject({ id: z.string(), deviceId: z.string() })) })
      .parse(page)
      .records.filter((alarm) => alarm.deviceId === deviceId);
    expect(answer.stored?.episodes.map(({ alarmId }) => alarmId)).toEqual(
      raised.map(({ id }) => id),
    );
  });

  it('stores nothing', async () => {
    await story();
    await tried(HOT);
    const { admin } = world;
    const Count = z.object({ total: z.number() });
    const rules = await admin.data(`${DATA}/rule/list`, { entityId: plant.temperature });
    expect(Count.parse(rules).total).toBe(0);
    const states = await admin.data(`${DATA}/rule/state/list`, { entityId: plant.temperature });
    expect(Count.parse(states).total).toBe(0);
  });

  it('looks at past values that were imported as if they had come when they were measured', async () => {
    const { deviceId, temperature: pointId } = plant;
    await report({ value: '20', minutes: 50 });
    const values = ['95', '20', '99'].map((value, index) => ({
      deviceId,
      pointId,
      value,
      createTime: new Date(t + index * MINUTE).toISOString(),
    }));
    await world.admin.data(`${DATA}/point_value/import`, { values });
    expect((await tried(HOT)).count).toBe(2);
  });

  it('keeps to the newest 100,000 values of a device and says so, one after the other for each tenant', async () => {
    const { deviceId, temperature: pointId, driverId } = plant;
    const { tenantId } = world.admin;
    await inTenant(world.app.db, tenantId, (q) =>
      sql`insert into svc_point_value (tenant_id, device_id, point_id, driver_id, create_time,
          raw_value, cal_value, num_value, receive_time)
        select ${tenantId}::bigint, ${deviceId}::bigint, ${pointId}::bigint, ${driverId}::bigint, at,
          '99', '99', 99, at
        from (select ${new Date(t)}::timestamptz - n * interval '5 seconds' as at
          from generate_series(0, 110000) n) times`.execute(q),
    );
    const answer = await tried(HOT, { deviceId });
    expect(answer).toMatchObject({ count: 1, values: 100_000, cut: ['VALUES'] });
    expect(Date.parse(answer.from)).toBe(t - 99_999 * 5 * SECOND);
    expect(answer.series?.values.length).toBeLessThanOrEqual(400);
    // Before the newest values of the other device: it is not looked at there either.
    const values = [6, 2].map((days) => ({
      deviceId: other,
      pointId,
      value: '99',
      createTime: new Date(t - days * DAY).toISOString(),
    }));
    await world.admin.data(`${DATA}/point_value/import`, { values });
    const both = await tried(HOT);
    expect(both).toMatchObject({ count: 2, values: 100_001, devices: 2, cut: ['VALUES'] });
    expect(both.from).toBe(answer.from);
    const place = { entityId: pointId, pointId, deviceId, driverId };
    const span = { from: 0, to: t };
    const given = { place, span, withRaw: false, withTime: false, isLate: () => true };
    expect(await storedFacts(world.app, tenantId, given)).toBeNull();
    const calls = Array.from({ length: 8 }, () =>
      world.admin.post(`${DATA}/rule/preview`, { pointId, ruleExt: { content: HOT } }),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(5);
    const short = { from: new Date(t - DAY).toISOString() };
    expect(await tried(HOT, { deviceId, ...short })).toMatchObject({ values: 17_281, cut: [] });
  });

  it('looks at 20 devices, and says that there are more', async () => {
    const { driverId, profileId } = plant;
    for (let count = 2; count < 21; count += 1)
      await add(world.admin, 'device', { deviceName: fresh('room'), driverId, profileId });
    expect(await tried(HOT)).toMatchObject({ devices: 20, cut: ['DEVICES'] });
  });
});
