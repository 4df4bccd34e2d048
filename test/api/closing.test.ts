import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { checks } from '../../src/data/consistency.ts';
import { closeDue } from '../../src/data/history/close/closer.ts';
import { closeTurn } from '../../src/data/history/close/turn.ts';
import { columnsOf } from '../../src/data/history/columns.ts';
import { closedUntil } from '../../src/data/history/lag.ts';
import { examine } from '../../src/db/check.ts';
import { acrossTenants, inTenant } from '../../src/db/tenant.ts';
import { onboardQuiet, type Plant } from '../support/devices/plant.ts';
import type { Session } from '../support/people/session.ts';
import { closeAll, counted } from '../support/runs/history/values.ts';
import { startWorld } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';
import { HeldClock } from '../support/world/shifted-clock.ts';

const HOUR = 3_600_000;
const DATA = '/api/v3/data';
/** 10:20 of some day: with two hours of grace, the hour until 08:00 is closed last. */
const NOW = Date.UTC(2026, 9, 25, 10, 20);
const CLOSED_UNTIL = Date.UTC(2026, 9, 25, 8);

const clock = new HeldClock();
clock.shift(NOW - clock.now());
const world = started(() => startWorld({ clock, environment: { SVC_HISTORY_CLOSE_HOURS: '2' } }));

/** A tenant with a device of its own. */
async function tenantWithPlant(code: string): Promise<{ session: Session; plant: Plant }> {
  const session = await world.tenant(code);
  return { session, plant: await onboardQuiet(world, session) };
}

/** A value every `everyMs` from `from` on, `count` of them. */
const store = (
  { tenantId }: Session,
  { deviceId, driverId, temperature }: Plant,
  { from, count, everyMs, seq = 0 }: { from: number; count: number; everyMs: number; seq?: number },
) =>
  inTenant(world.app.db, tenantId, (q) =>
    sql`insert into svc_point_value (tenant_id, device_id, point_id, driver_id, create_time, seq, raw_value, cal_value,
        num_value, receive_time)
      select ${tenantId}, ${deviceId}, ${temperature}, ${driverId}, at, ${seq}::int, n::text, n::text, n, at
      from (select n, ${new Date(from)}::timestamptz + n * ${everyMs}::int * interval '1 millisecond' as at
        from generate_series(0, ${count - 1}::int) n) planned on conflict do nothing`.execute(q),
  );

const HistoryOfHealth = z.object({
  history: z.object({ closedUntil: z.string().nullable(), lagS: z.number() }),
});
const lagOf = async (session: Session) =>
  HistoryOfHealth.parse(await session.data(`${DATA}/dashboard/system/health`)).history;

beforeAll(() => clock.hold());

describe('hours of values', () => {
  it('are closed two hours after they end, and the lag is named', async () => {
    const { session, plant } = await tenantWithPlant('aged');
    clock.shift(NOW - clock.now());
    await store(session, plant, { from: NOW - 5 * HOUR, count: 300, everyMs: 60_000 });
    expect(await lagOf(session)).toEqual({ closedUntil: null, lagS: 0 });
    await closeDue(world.app);
    const until = new Date(CLOSED_UNTIL).toISOString();
    expect(await lagOf(session)).toEqual({ closedUntil: until, lagS: 0 });
    const closed = (CLOSED_UNTIL - (NOW - 5 * HOUR)) / 60_000;
    expect(await counted(world, session.tenantId)).toEqual({
      hot: 300 - closed,
      closed,
      delays: closed,
    });

    // Due at 11:00, and looked at a day and an hour later.
    clock.shift(26 * HOUR);
    const { tenantId } = session;
    expect(await directLag(tenantId)).toEqual({ closedUntil: until, lagS: 25 * 3_600 + 20 * 60 });
    expect(await overdue()).toContain(`tenant ${session.tenantId}`);
    await closeDue(world.app);
    expect(await overdue()).toEqual([]);
    expect(await counted(world, session.tenantId)).toMatchObject({ hot: 0, closed: 300 });
    clock.shift(-26 * HOUR);
  });

  /** Without a login, which would have expired. */
  const directLag = (tenantId: string) =>
    inTenant(world.app.db, tenantId, (q) => closedUntil(q, tenantId, clock.now()));

  const overdue = async (): Promise<string[]> => {
    const check = checks.find(({ name }) => name.startsWith('hours of values are closed'));
    if (!check) throw new Error('no such check');
    const { first } = await acrossTenants(world.app.db, 'doctor', (q) =>
      examine(q, check, new Date(clock.now())),
    );
    return first.map(({ entity }) => entity);
  };

  it.each([
    'close-read',
    'close-inserted',
    'close-counted',
    'close-removed',
    'close-written',
    'closed',
  ])('lose and double nothing when the process ends at %s', async (point) => {
    const { session, plant } = await tenantWithPlant(`ends-${point}`);
    await store(session, plant, { from: NOW - 9 * HOUR, count: 700, everyMs: 30_000 });
    const { crashAt } = world.app;
    world.app.crashAt = (at) => {
      if (at === point) throw new Error('the process ended');
      crashAt(at);
    };
    await expect(closeAll(world, session.tenantId, CLOSED_UNTIL)).rejects.toThrow('ended');
    world.app.crashAt = crashAt;
    // The first of two turns was committed.
    const closed = point === 'closed' ? 500 : 0;
    const now = await counted(world, session.tenantId);
    expect(now).toEqual({
      hot: 700 - closed,
      closed,
      delays: closed,
    });
    await closeAll(world, session.tenantId, CLOSED_UNTIL);
    expect(await counted(world, session.tenantId)).toEqual({ hot: 0, closed: 700, delays: 700 });
  });

  it('are closed once by processes that work side by side, with values coming late', async () => {
    const { session, plant } = await tenantWithPlant('beside');
    const other = await tenantWithPlant('beside-other');
    await store(session, plant, { from: NOW - 60 * HOUR, count: 12_000, everyMs: 15_000 });
    await store(other.session, other.plant, { from: NOW - 6 * HOUR, count: 480, everyMs: 30_000 });
    const late = async (): Promise<void> => {
      for (let n = 0; n < 20; n += 1)
        await session.data(`${DATA}/point_value/import`, {
          values: Array.from({ length: 50 }, (_, m) => ({
            deviceId: plant.deviceId,
            pointId: plant.temperature,
            value: '7',
            // Half of them between the others, half at their times.
            createTime: NOW - 60 * HOUR + (n * 50 + m) * 15_000 + (m % 2),
          })),
        });
    };
    await Promise.all([closeDue(world.app), closeDue(world.app), closeDue(world.app), late()]);
    expect(await closeAll(world, session.tenantId, CLOSED_UNTIL)).toBeGreaterThan(0);
    expect(await counted(world, session.tenantId)).toEqual({
      hot: 0,
      closed: 12_500,
      delays: 12_500,
    });
    expect(await counted(world, other.session.tenantId)).toMatchObject({ hot: 40, closed: 440 });
  });

  it('have a value once that is reported or imported again', async () => {
    const { session, plant } = await tenantWithPlant('again');
    const { deviceId, temperature: pointId, driverId } = plant;
    const at = NOW - 6 * HOUR;
    const past = { deviceId, pointId, value: '20', createTime: at };
    const imported = { values: [past, { ...past, createTime: at + 1 }] };
    expect(await session.data(`${DATA}/point_value/import`, imported)).toMatchObject({ stored: 2 });
    await closeAll(world, session.tenantId, CLOSED_UNTIL);
    imported.values.push({ ...past, createTime: at + 2 });
    expect(await session.data(`${DATA}/point_value/import`, imported)).toMatchObject({ stored: 1 });
    const reported = {
      deviceId,
      pointId,
      rawValue: '99',
      calValue: '99',
      numValue: 99,
      seq: 0,
      quality: 0 as const,
    };
    const values = [0, 2, 3].map((ms) => ({ ...reported, originTime: at + ms }));
    const batch = {
      tenantId: session.tenantId,
      driverId,
      driverCode: 'VirtualDriver',
      node: 'n',
      values,
    };
    await world.bus.handled('svc.e.value', batch, 'VirtualDriver');
    expect(await counted(world, session.tenantId)).toEqual({ hot: 2, closed: 2, delays: 2 });
    const page = z.array(z.object({ calValue: z.string() }));
    const read = async () =>
      page
        .parse(
          await session.data(
            `${DATA}/point_value/list_history_by_device_id_and_point_id`,
            undefined,
            { device_id: deviceId, point_id: pointId },
          ),
        )
        .map(({ calValue }) => calValue);
    expect(await read()).toEqual(['99', '20', '20', '20']);
    await closeAll(world, session.tenantId, CLOSED_UNTIL);
    expect(await counted(world, session.tenantId)).toEqual({ hot: 0, closed: 4, delays: 4 });
    expect(await read()).toEqual(['99', '20', '20', '20']);
  });

  it('are closed however many values they have, but for more than ten thousand of a millisecond', async () => {
    const { session, plant } = await tenantWithPlant('large');
    const from = CLOSED_UNTIL - 3 * HOUR;
    await store(session, plant, { from, count: 12_000, everyMs: 300 });
    await moment(session, plant, from + HOUR, 10_001);
    await moment(session, plant, from + HOUR + 1, 1_200);
    await store(session, plant, { from: from + 2 * HOUR, count: 10, everyMs: 1_000 });
    await closeAll(world, session.tenantId, CLOSED_UNTIL);
    expect(await counted(world, session.tenantId)).toEqual({
      hot: 10_001,
      closed: 13_210,
      delays: 13_210,
    });
    const rows = await rowsOf(session);
    expect(Math.max(...rows.filter((count) => count !== 1_200))).toBeLessThanOrEqual(1_000);
    expect(rows.length).toBeLessThan(20);
  });

  it('of a slow point become a row for each day', async () => {
    const { session, plant } = await tenantWithPlant('slow');
    const from = CLOSED_UNTIL - 56 * HOUR;
    for (let hour = 0; hour < 56; hour += 8) {
      await store(session, plant, { from: from + hour * HOUR, count: 8, everyMs: HOUR });
      await closeAll(world, session.tenantId, from + (hour + 8) * HOUR);
    }
    expect(await rowsOf(session)).toEqual([24, 24, 8]);
    await store(session, plant, { from: from + 1, count: 56, everyMs: HOUR });
    await closeAll(world, session.tenantId, CLOSED_UNTIL);
    expect(await rowsOf(session)).toEqual([48, 48, 16]);
  });

  it('are read in columns whether closed, hot or late, over many pages', async () => {
    const { session, plant } = await tenantWithPlant('paged');
    const { tenantId } = session;
    const from = CLOSED_UNTIL - 14 * HOUR;
    await store(session, plant, { from, count: 24_000, everyMs: 2_000 });
    await closeAll(world, tenantId, CLOSED_UNTIL);
    await store(session, plant, { from: from + 1, count: 25_000, everyMs: 2_000 });
    // Of the times of closed values, behind them.
    await store(session, plant, { from, count: 24_000, everyMs: 2_000, seq: 1 });
    const series = { tenantId, deviceId: plant.deviceId, pointId: plant.temperature };
    const span = { from: from + HOUR, to: NOW };
    const read = await columnsOf(world.app, series, span);
    const times = [0, 0, 1].flatMap((ms, kind) =>
      Array.from({ length: kind === 2 ? 25_000 : 24_000 }, (_, n) => from + n * 2_000 + ms),
    );
    const expected = times.filter((at) => at >= span.from).toSorted((a, b) => a - b);
    expect(Array.from(read.at, (at) => at / 1_000)).toEqual(expected);
    expect([...read.numbers]).toEqual(expected.map((at) => Math.floor((at - from) / 2_000)));
  });

  it('come due by the pass that ended, however long it took', async () => {
    const { session, plant } = await tenantWithPlant('long');
    const { tenantId } = session;
    await store(session, plant, { from: CLOSED_UNTIL - 6 * HOUR, count: 2_000, everyMs: 5_000 });
    const turn = { until: CLOSED_UNTIL - 2 * HOUR, closeAfterMs: 2 * HOUR };
    expect(await closeTurn(world.app, tenantId, turn)).toBe('more');
    await closeDue(world.app);
    const until = async () => (await lagOf(session)).closedUntil;
    expect(await until()).toBe(new Date(CLOSED_UNTIL - 2 * HOUR).toISOString());
    await closeDue(world.app);
    expect(await until()).toBe(new Date(CLOSED_UNTIL).toISOString());
  });

  it('of a tenant whose first turn fails are named as late, and tried again after a while', async () => {
    const { session, plant } = await tenantWithPlant('failing');
    await store(session, plant, { from: NOW - 5 * HOUR, count: 60, everyMs: 60_000 });
    const { crashAt } = world.app;
    world.app.crashAt = (at) => {
      if (at === 'close-written') throw new Error('it failed');
    };
    await closeDue(world.app);
    world.app.crashAt = crashAt;
    await closeDue(world.app);
    expect(await counted(world, session.tenantId)).toMatchObject({ closed: 0 });
    clock.shift(25 * HOUR);
    expect(await directLag(session.tenantId)).toEqual({ closedUntil: null, lagS: 25 * 3_600 });
    clock.shift(-25 * HOUR + 61_000);
    await closeDue(world.app);
    expect(await counted(world, session.tenantId)).toMatchObject({ closed: 60 });
    clock.shift(-61_000);
  });

  it('are left by a sweep that is to end after the turn under way', async () => {
    const { session, plant } = await tenantWithPlant('ending');
    await store(session, plant, { from: NOW - 9 * HOUR, count: 2_000, everyMs: 5_000 });
    const ending = new AbortController();
    const { crashAt } = world.app;
    world.app.crashAt = (at) => {
      if (at === 'closed') ending.abort();
    };
    await closeDue(world.app, ending.signal);
    world.app.crashAt = crashAt;
    expect((await counted(world, session.tenantId))?.hot).toBeGreaterThanOrEqual(1_500);
    await closeDue(world.app);
    expect(await counted(world, session.tenantId)).toMatchObject({ hot: 0 });
  });

  it('are closed by one of two processes that took the same turn', async () => {
    const { session, plant } = await tenantWithPlant('same');
    await store(session, plant, { from: NOW - 9 * HOUR, count: 200, everyMs: 5_000 });
    const turn = { until: CLOSED_UNTIL, closeAfterMs: 2 * HOUR };
    const both = [1, 2].map(() => closeTurn(world.app, session.tenantId, turn));
    const ends = await Promise.all(both);
    expect(ends).toContain('done');
    expect(['busy', 'done']).toEqual(expect.arrayContaining(ends));
    expect(await counted(world, session.tenantId)).toEqual({ hot: 0, closed: 200, delays: 200 });
  });

  /** Values of one millisecond. */
  const moment = ({ tenantId }: Session, plant: Plant, at: number, count: number) =>
    inTenant(world.app.db, tenantId, (q) =>
      sql`insert into svc_point_value (tenant_id, device_id, point_id, driver_id, create_time, seq, raw_value, cal_value,
          num_value, receive_time)
        select ${tenantId}, ${plant.deviceId}, ${plant.temperature}, ${plant.driverId}, ${new Date(at)}::timestamptz, n,
          n::text, n::text, n, ${new Date(at)}::timestamptz from generate_series(1, ${count}::int) n`.execute(
        q,
      ),
    );

  /** How many values each closed row of a tenant has. */
  const rowsOf = ({ tenantId }: Session) =>
    inTenant(world.app.db, tenantId, async (q) => {
      const { rows } = await sql<{ count: number }>`select value_count as count from svc_value_hour
        where tenant_id = ${tenantId} order by start`.execute(q);
      return rows.map(({ count }) => count);
    });
});
