import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { acrossTenants } from '../../src/db/tenant.ts';
import { cellsIn, countBy, datesBack, localOf } from '../support/dashboard/local.ts';
import {
  clockAtNow,
  moments,
  NOW,
  plant,
  plantValues,
  type Planted,
} from '../support/dashboard/plant.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';

const DATA = '/api/v3/data/dashboard';
const HOUR = 3_600_000;
const Buckets = z.array(z.object({ bucket: z.string(), count: z.number() }));
const Silent = z.array(z.object({ deviceId: z.string(), pointId: z.string() }));
const Streamed = z.array(z.looseObject({ deviceId: z.string(), createTime: z.string() }));

const plants = new Map<string, { session: Session; planted: Planted; zone: string }>();
const world = started(() => startWorld({ clock: clockAtNow() }));
beforeAll(async () => {
  const zones = { berlin: 'Europe/Berlin', kathmandu: 'Asia/Kathmandu', utc: 'UTC' };
  for (const [n, [name, zone]] of Object.entries(zones).entries()) {
    const session = await world.tenant(name);
    const given = { id: session.tenantId, timezone: zone };
    await world.admin.data('/api/v3/auth/tenant/update', given);
    const planted = await plant(world, session);
    await plantValues(world, session, planted, moments(n + 3, 700 - n * 200));
    plants.set(name, { session, planted, zone });
  }
});

describe.each(['berlin', 'kathmandu', 'utc'])('the values of the plant in %s', (name) => {
  const at = () => plants.get(name) ?? expect.fail('no such plant');
  const get = (path: string, query: Record<string, string> = {}) =>
    at().session.data(`${DATA}/${path}`, undefined, query);
  /** All values of the tenant, straight from the table. */
  const values = () =>
    acrossTenants(world.app.db, 'doctor', (q) =>
      q
        .selectFrom('svc_point_value')
        .select(['deviceId', 'pointId', 'driverId', 'createTime', 'receiveTime'])
        .where('tenantId', '=', at().session.tenantId)
        .execute(),
    );
  const within = async (hours: number) =>
    (await values()).filter(
      ({ createTime }) => createTime.getTime() >= world.clock.now() - hours * HOUR,
    );

  it('are counted by its days', async () => {
    const all = await values();
    const dates = countBy(all, ({ createTime }) => localOf(createTime, at().zone).date);
    const [before = '', now = ''] = datesBack(NOW, 2, at().zone);
    const [today = 0, yesterday = 0] = [dates.get(now), dates.get(before)];
    expect([today > 5, yesterday > 5]).toEqual([true, true]);
    expect(await get('stats/today')).toEqual({
      today,
      yesterday,
      total: all.length,
      percentChange: Math.round(((today - yesterday) / yesterday) * 100),
    });
  });

  it('are counted by hour and by day, in whole buckets with the present one last', async () => {
    const all = await values();
    const days = Buckets.parse(
      await get('stats/timeseries', { granularity: 'day', range_key: '30d' }),
    );
    const dates = datesBack(NOW, 30, at().zone);
    const byDate = countBy(all, ({ createTime }) => localOf(createTime, at().zone).date);
    expect(days.map(({ bucket }) => localOf(new Date(bucket), at().zone).date)).toEqual(dates);
    expect(days.map(({ count }) => count)).toEqual(dates.map((date) => byDate.get(date) ?? 0));

    const hours = Buckets.parse(await get('stats/timeseries', { range_hours: '30' }));
    const shift = at().zone === 'Asia/Kathmandu' ? HOUR / 4 : 0;
    const hourOf = (time: number) => Math.floor((time - shift) / HOUR) * HOUR + shift;
    const byHour = countBy(all, ({ createTime }) => String(hourOf(createTime.getTime())));
    const starts = Array.from({ length: 30 }, (_, back) => hourOf(NOW) - (29 - back) * HOUR);
    expect(hours).toEqual(
      starts.map((start) => ({
        bucket: new Date(start).toISOString(),
        count: byHour.get(String(start)) ?? 0,
      })),
    );
  });

  it.each(['device', 'point', 'driver'] as const)('are counted by %s', async (dimension) => {
    const column = `${dimension}Id` as const;
    for (const [query, hours] of [
      [{ range_hours: '240' }, 240],
      [{ range_key: '7d' }, 168],
    ] as const) {
      const counts = countBy(await within(hours), (row) => row[column]);
      const most = [...counts]
        .map(([entityId, count]) => ({ entityId, count }))
        .toSorted((a, b) => b.count - a.count || Number(a.entityId) - Number(b.entityId));
      expect(await get('top', { dimension, limit: '3', ...query })).toEqual(most.slice(0, 3));
    }
  });

  it('are counted by hour of its week', async () => {
    const times = (await within(900)).map(({ createTime }) => createTime);
    expect(await get('stats/activity', { range_hours: '900' })).toEqual(cellsIn(times, at().zone));
  });

  it('are counted by the time until they were received', async () => {
    const bins = [0, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000];
    const counts = countBy(await within(2_000), ({ createTime, receiveTime }) => {
      const delay = receiveTime.getTime() - createTime.getTime();
      return String(bins.findLast((bin) => bin <= delay) ?? 0);
    });
    expect(await get('stats/latency', { range_hours: '2000' })).toEqual(
      bins.map((bin) => ({ bin, count: counts.get(String(bin)) ?? 0 })),
    );
  });

  it('come newest first, of existing points only', async () => {
    const { planted } = at();
    const all = Streamed.parse(await get('stream', { size: '100' }));
    const own = new Set(planted.devices.map(({ id }) => id));
    expect(all.every(({ deviceId }) => own.has(deviceId))).toBe(true);
    const points = countBy(await values(), (row) => `${row.deviceId}:${row.pointId}`);
    expect(all).toHaveLength(points.size);
    expect(Streamed.parse(await get('stream', { size: '2' }))).toEqual(all.slice(0, 2));
  });

  it('are missed where a point had some and stopped', async () => {
    const newest = new Map<string, number>();
    for (const { deviceId, pointId, createTime } of await values()) {
      const key = `${deviceId}:${pointId}`;
      newest.set(key, Math.max(newest.get(key) ?? 0, createTime.getTime()));
    }
    const quiet = [...newest]
      .filter(([, time]) => time <= NOW - 60 * 60_000 && time > NOW - 30 * 24 * HOUR)
      .map(([key]) => key);
    const query = { baseline_days: '30', silent_minutes: '60' };
    const found = Silent.parse(await get('silent/sources', query));
    expect(found.map((row) => `${row.deviceId}:${row.pointId}`).toSorted()).toEqual(
      quiet.toSorted(),
    );
  });

  it('come over services, whose drivers and devices are counted', async () => {
    const found = z
      .array(z.looseObject({ serviceName: z.string() }))
      .parse(await get('protocol/health'));
    expect(found.filter(({ serviceName }) => serviceName.startsWith('service-'))).toEqual([
      { serviceName: 'service-a', driverCount: 2, enabledCount: 1, deviceCount: 7 },
      { serviceName: 'service-b', driverCount: 1, enabledCount: 1, deviceCount: 0 },
    ]);
  });
});

describe('a query of a dashboard', () => {
  const get = (path: string, query: Record<string, string>) =>
    (plants.get('berlin') ?? expect.fail()).session.data(`${DATA}/${path}`, undefined, query);

  it('is moved into its bounds', async () => {
    const ninety = await get('stats/timeseries', { granularity: 'day', range_hours: '99999' });
    expect(Buckets.parse(ninety)).toHaveLength(90);
    expect(await get('stats/latency', { range_hours: '99999' })).toEqual(
      await get('stats/latency', { range_hours: String(90 * 24) }),
    );
    expect(await get('stream', { size: '0' })).toHaveLength(1);
    expect(await get('top', { limit: '-1' })).toHaveLength(1);
  });

  it('is refused for what is no number or no name', async () => {
    const { session } = plants.get('berlin') ?? expect.fail();
    for (const [path, query] of [
      ['stream', { size: 'many' }],
      ['top', { dimension: 'tenant' }],
      ['stats/timeseries', { granularity: 'week' }],
      ['stats/activity', { range_key: '1y' }],
    ] as const)
      expect((await session.get(`${DATA}/${path}`, query)).status).toBe(400);
  });
});
