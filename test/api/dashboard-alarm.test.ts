import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { acrossTenants } from '../../src/db/tenant.ts';
import { plantAlarms } from '../support/dashboard/alarms.ts';
import { cellsIn, countBy, datesBack, localOf } from '../support/dashboard/local.ts';
import { clockAtNow, moments, NOW, plant, type Planted } from '../support/dashboard/plant.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';

const DATA = '/api/v3/data/dashboard/alert';
const HOUR = 3_600_000;
const TYPES = ['RULE', 'OFFLINE', 'FAULT', 'STATE_FLIP', 'REPORT'];
const Sources = z.array(
  z.looseObject({
    source: z.string(),
    sourceId: z.string(),
    deviceId: z.string(),
    count: z.number(),
  }),
);
const Stats = z.looseObject({ sparkline24h: z.array(z.number()) });
const Waits = z.array(
  z.object({
    date: z.string(),
    p50Ms: z.number().nullable(),
    p95Ms: z.number().nullable(),
    confirmedCount: z.number(),
  }),
);

const plants = new Map<string, { session: Session; planted: Planted; zone: string }>();
const world = started(() => startWorld({ clock: clockAtNow() }));
beforeAll(async () => {
  const zones = { berlin: 'Europe/Berlin', kathmandu: 'Asia/Kathmandu', utc: 'UTC' };
  for (const [n, [name, zone]] of Object.entries(zones).entries()) {
    const session = await world.tenant(name);
    const given = { id: session.tenantId, timezone: zone };
    await world.admin.data('/api/v3/auth/tenant/update', given);
    const planted = await plant(world, session);
    await plantAlarms(world, session, planted, moments(n + 17, 600 - n * 150));
    plants.set(name, { session, planted, zone });
  }
});

describe.each(['berlin', 'kathmandu', 'utc'])('the alarms of the plant in %s', (name) => {
  const at = () => plants.get(name) ?? expect.fail('no such plant');
  const get = (path: string, query: Record<string, string> = {}) =>
    at().session.data(`${DATA}/${path}`, undefined, query);
  const dateOf = (time: Date) => localOf(time, at().zone).date;
  /** All alarms of the tenant, straight from the table. */
  const alarms = async () => {
    const rows = await acrossTenants(world.app.db, 'doctor', (q) =>
      q
        .selectFrom('svc_entity_alarm')
        .selectAll()
        .where('tenantId', '=', at().session.tenantId)
        .execute(),
    );
    return rows.map((row) => {
      const isDriver = row.alarmTargetTypeFlag === 2;
      const source = isDriver ? 'driver' : row.alarmTargetTypeFlag === 0 ? 'point' : 'device';
      const sourceId = { driver: row.driverId, point: row.pointId, device: row.deviceId }[source];
      const deviceId = isDriver ? '0' : row.deviceId;
      return { ...row, isDriver, isOpen: row.confirmFlag === 0, source, sourceId, deviceId };
    });
  };
  type Alarm = Awaited<ReturnType<typeof alarms>>[number];
  const within = async (hours: number) =>
    (await alarms()).filter(
      ({ createTime }) => createTime.getTime() >= world.clock.now() - hours * HOUR,
    );
  /** Those of its last days, today included. */
  const lately = async (days: number) => {
    const [first = ''] = datesBack(NOW, days, at().zone);
    return (await alarms()).filter(({ createTime }) => dateOf(createTime) >= first);
  };
  const ranked = (rows: readonly Alarm[], least = 1) =>
    [...countBy(rows, (row) => `${row.source}:${row.sourceId}:${row.deviceId}`)]
      .filter(([, count]) => count >= least)
      .map(([key, count]) => `${String(count).padStart(6, '0')} ${key}`);
  const rankedOf = (answer: unknown) =>
    Sources.parse(answer).map(
      (row) =>
        `${String(row.count).padStart(6, '0')} ${row.source}:${row.sourceId}:${row.deviceId}`,
    );

  it('are counted by state, type and hour', async () => {
    const all = await alarms();
    const [today = ''] = datesBack(NOW, 1, at().zone);
    const count = (wanted: (alarm: Alarm) => boolean) => all.filter(wanted).length;
    const isToday = ({ createTime }: Alarm) => dateOf(createTime) === today;
    const found = Stats.parse(await get('stats'));
    expect(found).toMatchObject({
      total: all.length,
      unconfirmed: count(({ isOpen }) => isOpen),
      deviceAlerts: count(({ isDriver }) => !isDriver),
      driverAlerts: count(({ isDriver }) => isDriver),
      deviceUnconfirmed: count(({ isDriver, isOpen }) => !isDriver && isOpen),
      driverUnconfirmed: count(({ isDriver, isOpen }) => isDriver && isOpen),
      todayDeviceAlarms: count((alarm) => !alarm.isDriver && isToday(alarm)),
      todayDriverAlarms: count((alarm) => alarm.isDriver && isToday(alarm)),
      todayDeviceUnconfirmed: count((alarm) => !alarm.isDriver && alarm.isOpen && isToday(alarm)),
      todayDriverUnconfirmed: count((alarm) => alarm.isDriver && alarm.isOpen && isToday(alarm)),
      byType: TYPES.map((key, type) => ({
        key,
        count: count(({ alarmTypeFlag }) => alarmTypeFlag === type),
      })),
    });
    const shift = at().zone === 'Asia/Kathmandu' ? HOUR / 4 : 0;
    const hourOf = (time: number) => Math.floor((time - shift) / HOUR);
    expect(found.sparkline24h).toEqual(
      Array.from({ length: 24 }, (_, hour) =>
        count(({ createTime }) => hourOf(createTime.getTime()) === hourOf(NOW) - 23 + hour),
      ),
    );
  });

  it('come newest first', async () => {
    const newest = (await alarms()).toSorted(
      (a, b) => b.createTime.getTime() - a.createTime.getTime() || Number(b.id) - Number(a.id),
    );
    expect(await get('latest', { size: '3' })).toMatchObject(
      newest.slice(0, 3).map(({ id, source, sourceId }) => ({ id, source, sourceId })),
    );
  });

  it.each([
    [{ days: '30' }, 30],
    [{ range_key: '7d' }, 7],
    [{ range_key: '24h' }, 2],
    [{ range_key: 'today' }, 1],
  ])('are counted by its days: %j', async (query, days) => {
    const all = await alarms();
    const dates = datesBack(NOW, days, at().zone);
    expect(await get('trend', query)).toEqual(
      dates.map((date) => {
        const raised = all.filter(({ createTime }) => dateOf(createTime) === date);
        const driverCount = raised.filter(({ isDriver }) => isDriver).length;
        return { date, deviceCount: raised.length - driverCount, driverCount };
      }),
    );
  });

  it('are counted by hour of its week', async () => {
    const times = (await lately(40)).map(({ createTime }) => createTime);
    expect(await get('activity', { days: '40' })).toEqual(cellsIn(times, at().zone));
  });

  it('are counted by type', async () => {
    const counted = async () =>
      [...countBy(await within(168), ({ alarmTypeFlag }) => String(alarmTypeFlag))]
        .toSorted(([a, one], [b, other]) => other - one || Number(a) - Number(b))
        .map(([type, count]) => ({ type: TYPES[Number(type)], count }));
    const before = await counted();
    const found = await get('type_distribution', { range_key: '7d' });
    // An alarm may become older than a week in between.
    expect([before, await counted()]).toContainEqual(found);
  });

  it('are ranked by source', async () => {
    const all = ranked(await lately(20)).toSorted();
    const found = rankedOf(await get('top_sources', { days: '20', limit: '50' }));
    expect(found.toSorted()).toEqual(all);
    const counts = found.map((row) => row.slice(0, 6));
    expect(counts).toEqual(counts.toSorted().toReversed());
    expect(rankedOf(await get('top_sources', { days: '20', limit: '2' }))).toEqual(
      found.slice(0, 2),
    );
    const storm = rankedOf(
      await get('storm_sources', { hours: '48', min_count: '3', limit: '50' }),
    );
    expect(storm.toSorted()).toEqual(ranked(await within(48), 3).toSorted());
  });

  it('of one source and type are flapping if they come again and again', async () => {
    const of = (rows: readonly { source: string; sourceId: string; deviceId: string }[]) =>
      countBy(rows, (row) => JSON.stringify({ ...row, alarmTypeFlag: undefined }));
    const rows = await within(300);
    const keys = countBy(rows, (row) =>
      [row.source, row.sourceId, row.deviceId, row.alarmTypeFlag].join(':'),
    );
    const often = [...keys].filter(([, count]) => count >= 2);
    const query = { hours: '300', min_count: '1', limit: '50' };
    const found = Sources.parse(await get('flapping', query));
    const named = found.map(
      (row) =>
        [
          [row.source, row.sourceId, row.deviceId, row['alarmTypeFlag']].join(':'),
          row.count,
        ] as const,
    );
    expect(of(found).size).toBeGreaterThan(0);
    expect(named.every(([key, count]) => keys.get(key) === count)).toBe(true);
    expect(found).toHaveLength(Math.min(50, often.length));
  });

  it('that are not confirmed are counted by age', async () => {
    const open = (await alarms()).filter(({ isOpen }) => isOpen);
    const aged = (from: number, to: number) =>
      open.filter(({ createTime }) => {
        const hours = (world.clock.now() - createTime.getTime()) / HOUR;
        return hours >= from && hours < to;
      }).length;
    expect(await get('aging')).toEqual({
      under1h: aged(0, 1),
      h1to6: aged(1, 6),
      h6to24: aged(6, 24),
      over24h: aged(24, Infinity),
      total: open.length,
    });
  });

  it('say by day how long they waited for a person', async () => {
    const all = (await alarms()).filter(
      ({ isOpen, confirmUserId }) => !isOpen && confirmUserId !== '0',
    );
    const dates = datesBack(NOW, 60, at().zone);
    const expected = dates.map((date) => {
      const waits = all
        .filter(({ createTime }) => dateOf(createTime) === date)
        .map(({ createTime, confirmTime }) => (confirmTime?.getTime() ?? 0) - createTime.getTime())
        .toSorted((a, b) => a - b);
      return { date, confirmedCount: waits.length, waits };
    });
    const found = Waits.parse(await get('mtta', { days: '60' }));
    expect(found.map(({ date, confirmedCount }) => ({ date, confirmedCount }))).toEqual(
      expected.map(({ date, confirmedCount }) => ({ date, confirmedCount })),
    );
    for (const [day, { waits }] of expected.entries()) {
      const part = (share: number) => {
        const place = share * (waits.length - 1);
        const low = waits[Math.floor(place)] ?? 0;
        return low + ((waits[Math.ceil(place)] ?? 0) - low) * (place - Math.floor(place));
      };
      const { p50Ms, p95Ms } = found[day] ?? {};
      if (waits.length === 0) expect([p50Ms, p95Ms]).toEqual([null, null]);
      else expect([p50Ms, p95Ms]).toEqual([Math.round(part(0.5)), Math.round(part(0.95))]);
    }
  });

  it('of a device are compared with those of its peers', async () => {
    const { devices } = at().planted;
    const rows = await lately(30);
    const count = (deviceId: string) => rows.filter((row) => row.deviceId === deviceId).length;
    const expected = devices.flatMap(({ id: deviceId, profileId }) => {
      const counts = devices
        .filter((peer) => peer.profileId === profileId)
        .map(({ id }) => count(id))
        .toSorted((a, b) => a - b);
      const peerMedian = counts[Math.ceil(counts.length / 2) - 1] ?? 0;
      const alarmCount = count(deviceId);
      if (counts.length < 2 || alarmCount <= peerMedian) return [];
      const ratio = alarmCount / Math.max(peerMedian, 1);
      return { profileId, deviceId, alarmCount, peerMedian, ratio };
    });
    expect(expected.length).toBeGreaterThan(0);
    expect(await get('peer_deviation', { days: '30' })).toEqual(
      expected.toSorted((a, b) => b.ratio - a.ratio),
    );
  });
});
