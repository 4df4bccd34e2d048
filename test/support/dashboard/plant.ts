import type { Queries } from '../../../src/db/connect.ts';
import { inTenant } from '../../../src/db/tenant.ts';
import type { Session } from '../people/session.ts';
import type { World } from '../world/app.ts';
import { ShiftedClock } from '../world/shifted-clock.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Shortly after the hour that Berlin had twice: its day began at 22:00 UTC and has 25 hours. */
export const NOW = Date.UTC(2026, 9, 25, 10, 20);
export const clockAtNow = (): ShiftedClock => {
  const clock = new ShiftedClock();
  clock.shift(NOW - clock.now());
  return clock;
};

/** The same numbers in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Around what can go wrong: midnights of Berlin, Kathmandu and UTC, the hour twice, edges of ranges and of days. */
const edges = [
  ...[0, 1, 2, 6, 7, 29, 30, 89, 90].flatMap((days) =>
    [Date.UTC(2026, 9, 24, 22), Date.UTC(2026, 9, 24, 18, 15), Date.UTC(2026, 9, 25)].map(
      (midnight) => midnight - days * DAY,
    ),
  ),
  ...[0, 30, 60, 90, 120].map((minutes) => Date.UTC(2026, 9, 25, 0, minutes)),
].flatMap((at) => [at - 1, at, at + 1]);

/** Moments of the last hundred days, most of them lately; at least two minutes ago, so that no age changes its bin. */
export function moments(seed: number, count: number): number[] {
  const next = numbers(seed);
  const spread = Array.from(
    { length: count },
    () => NOW - 120_000 - Math.floor(next() ** 4 * 100 * DAY),
  );
  return [...edges, ...spread];
}

export type Planted = {
  drivers: string[];
  profiles: string[];
  points: { id: string; profileId: string }[];
  devices: { id: string; driverId: string; profileId: string }[];
};

const id = { returning: 'id' } as const;

/** Two services with three drivers, three profiles with two points each, and seven devices. */
export const plant = (world: World, session: Session): Promise<Planted> =>
  inTenant(world.app.db, session.tenantId, async (q) => {
    const { tenantId } = session;
    const planted: Planted = { drivers: [], profiles: [], points: [], devices: [] };
    for (const n of [0, 1, 2]) planted.drivers.push(await driver(q, tenantId, n));
    for (const n of [0, 1, 2]) {
      const code = `profile-${n}`;
      const profile = await q
        .insertInto('svc_profile')
        .values({ tenantId, profileName: code, profileCode: code })
        .returning(id.returning)
        .executeTakeFirstOrThrow();
      planted.profiles.push(profile.id);
      for (const m of [0, 1])
        planted.points.push({ id: await point(q, tenantId, profile.id, m), profileId: profile.id });
    }
    for (const n of [0, 1, 2, 3, 4, 5, 6]) {
      const driverId = planted.drivers[n % 2] ?? '';
      const profileId = planted.profiles[n % 5 === 4 ? 2 : n % 2] ?? '';
      const code = `device-${n}`;
      const device = await q
        .insertInto('svc_device')
        .values({ tenantId, driverId, profileId, deviceName: code, deviceCode: code })
        .returning(id.returning)
        .executeTakeFirstOrThrow();
      planted.devices.push({ id: device.id, driverId, profileId });
    }
    return planted;
  });

async function driver(q: Queries, tenantId: string, n: number): Promise<string> {
  const code = `played-${n}`;
  const { id: driverId } = await q
    .insertInto('svc_driver')
    .values({
      tenantId,
      driverName: code,
      driverCode: code,
      serviceName: n === 2 ? 'service-b' : 'service-a',
      enableFlag: n === 1 ? 1 : 0,
    })
    .returning(id.returning)
    .executeTakeFirstOrThrow();
  return driverId;
}

async function point(q: Queries, tenantId: string, profileId: string, n: number) {
  const code = `point-${n}-${profileId}`;
  const { id: pointId } = await q
    .insertInto('svc_point')
    .values({ tenantId, profileId, pointName: code, pointCode: code, pointTypeFlag: 6 })
    .returning(id.returning)
    .executeTakeFirstOrThrow();
  return pointId;
}

/** One of a list, by a number that may be any. */
export function pick<T>(list: readonly T[], n: number): T {
  const found = list[Math.abs(Math.trunc(n)) % list.length];
  if (found === undefined) throw new Error('an empty list');
  return found;
}

/** A value of some point of some device at each moment, received some time later. */
export const plantValues = (
  world: World,
  { tenantId }: Session,
  { devices, points }: Planted,
  times: readonly number[],
) =>
  inTenant(world.app.db, tenantId, async (q) => {
    const delays = [0, 60, 100, 400, 999, 4_000, 9_000, 45_000, 90_000, 86_400_000, -900];
    const rows = times.map((at, seq) => {
      const device = pick(devices.slice(0, 6), Math.floor(Math.sqrt(seq * 7)) + (seq % 3));
      const own = points.filter(({ profileId }) => profileId === device.profileId);
      return {
        tenantId,
        deviceId: device.id,
        pointId: pick(own, seq).id,
        driverId: device.driverId,
        createTime: new Date(at),
        seq: String(seq),
        rawValue: String(seq),
        calValue: String(seq),
        numValue: seq,
        receiveTime: new Date(at + pick(delays, seq)),
      };
    });
    for (let from = 0; from < rows.length; from += 500)
      await q
        .insertInto('svc_point_value')
        .values(rows.slice(from, from + 500))
        .execute();
    const newest = new Map(
      rows
        .toSorted((a, b) => a.createTime.getTime() - b.createTime.getTime())
        .map((row) => [`${row.deviceId}:${row.pointId}`, row]),
    );
    await q
      .insertInto('svc_point_latest')
      .values([...newest.values()])
      .execute();
  });
