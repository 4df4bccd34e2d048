import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { deleteDue } from '../../src/data/retention/deletion-run.ts';
import { onboardQuiet } from '../support/devices/plant.ts';
import { closeAll, counted } from '../support/runs/history/values.ts';
import { startWorld } from '../support/world/app.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { started } from '../support/world/prepared.ts';
import { HeldClock } from '../support/world/shifted-clock.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const DATA = '/api/v3/data';
const NOW = Date.UTC(2026, 9, 25, 10, 20);
const Imported = z.object({ importId: z.string(), accepted: z.number(), stored: z.number() });
const Times = z.array(z.object({ createTime: z.string(), calValue: z.string() }));

const clock = new HeldClock();
clock.shift(NOW - clock.now());
const world = started(() => startWorld({ clock, environment: { SVC_HISTORY_CLOSE_HOURS: '2' } }));
beforeAll(() => clock.hold());

/** A tenant whose device reports a value of each of two points every hour, 30 times. */
async function site() {
  const session = await world.tenant(fresh('undo'));
  const plant = await onboardQuiet(world, session);
  const { deviceId } = plant;
  const points = [plant.temperature, plant.target];
  const reported = Array.from({ length: 30 }, (_, n) => NOW - (30 - n) * HOUR);
  const values = points.flatMap((pointId) =>
    reported.map((originTime) => ({
      deviceId,
      pointId,
      rawValue: '1',
      calValue: '1',
      numValue: 1,
      seq: 0,
      quality: 0 as const,
      originTime,
    })),
  );
  const { tenantId } = session;
  const from = { tenantId, driverId: plant.driverId, driverCode: 'VirtualDriver', node: 'n' };
  await world.bus.handled('svc.e.value', { ...from, values }, 'VirtualDriver');
  /** Imports a value of each point at each of these times (ms). */
  const load = async (times: readonly number[]) =>
    Imported.parse(
      await session.data(`${DATA}/point_value/import`, {
        values: points.flatMap((pointId) =>
          times.map((at) => ({
            deviceId,
            pointId,
            value: '0',
            createTime: new Date(at).toISOString(),
          })),
        ),
      }),
    );
  const undo = (id: string, by = session) =>
    by.post(`${DATA}/point_value/import/undo`, { id, reason: 'of the wrong plant' });
  const timesOf = async (pointId: string) => {
    const of = { device_id: deviceId, point_id: pointId, count: '500' };
    const path = `${DATA}/point_value/list_history_by_device_id_and_point_id`;
    const rows = Times.parse(await session.data(path, undefined, of));
    return rows.map(({ createTime }) => Date.parse(createTime)).toReversed();
  };
  const close = () => closeAll(world, tenantId, NOW - 2 * HOUR);
  return { session, plant, points, reported, load, undo, timesOf, close };
}

const minutesAfter = (times: readonly number[], minutes: number): number[] =>
  times.map((at) => at + minutes * MINUTE);
const inOrder = (...times: readonly (readonly number[])[]): number[] =>
  times.flat().toSorted((a, b) => a - b);

describe('the values of an import', () => {
  it('are taken back as a whole, closed and hot, and no others', async () => {
    const { session, points, reported, load, undo, timesOf, close } = await site();
    const [wrong, right] = [minutesAfter(reported, 10), minutesAfter(reported, 20)];
    // Some are there already: an import replaces none, and none of them is of it.
    const first = await load([...wrong, ...reported]);
    expect(first).toMatchObject({ accepted: 120, stored: 60 });
    await load(right.slice(0, 20));
    await close();
    await load(right.slice(20));
    expect(await undo(first.importId)).toMatchObject({
      status: 200,
      body: { data: { stateFlag: 'DONE', valueCount: 60, importId: first.importId } },
    });
    for (const point of points) expect(await timesOf(point)).toEqual(inOrder(reported, right));
    const { hot = 0, closed = 0, delays } = (await counted(world, session.tenantId)) ?? {};
    expect([hot + closed, delays]).toEqual([120, closed]);
    const imports = await session.data(`${DATA}/point_value/import/list`, {});
    expect(imports).toMatchObject({
      total: 3,
      records: [
        { sentCount: 20, valueCount: 20, undoFlag: null, undoneCount: 0 },
        { sentCount: 40, valueCount: 40, undoFlag: null },
        { sentCount: 120, valueCount: 60, undoFlag: 'DONE', undoneCount: 60 },
      ],
    });
  });

  it('stay where another import stored them after they were deleted', async () => {
    const { session, plant, points, reported, load, undo, timesOf } = await site();
    const times = minutesAfter(reported, 10);
    const first = await load(times);
    for (const pointId of points)
      await session.data(`${DATA}/point_value/delete`, {
        deviceId: plant.deviceId,
        pointId,
        from: new Date(times[5] ?? NaN).toISOString(),
        to: new Date(times[9] ?? NaN).toISOString(),
        reason: 'to try',
      });
    const second = await load(times.slice(5, 10));
    expect(second.stored).toBe(10);
    expect((await undo(first.importId)).body.data).toMatchObject({ valueCount: 50 });
    const kept = reported.filter((_, n) => n < 6 || n > 9);
    for (const point of points)
      expect(await timesOf(point)).toEqual(inOrder(kept, times.slice(5, 10)));
  });

  it.each(['deletion-stored', 'deletion-erased', 'deletion-slice'])(
    'are all taken back, and no others, when the process ends at %s',
    async (point) => {
      const { points, reported, load, undo, timesOf, close } = await site();
      const { importId } = await load(minutesAfter(reported, 10));
      await close();
      const { crashAt } = world.app;
      world.app.crashAt = (at) => {
        if (at === point) throw new Error('the process ended');
      };
      expect((await undo(importId)).status).toBe(500);
      world.app.crashAt = crashAt;
      await deleteDue(world.app);
      for (const each of points) expect(await timesOf(each)).toEqual(reported);
      expect((await undo(importId)).body.message).toContain('Nothing that the import stored');
    },
  );

  it('are named in the change log with number, span and person when they come and go', async () => {
    const { session, load, undo, reported } = await site();
    const { importId } = await load(minutesAfter(reported.slice(0, 2), 10));
    await undo(importId);
    const { records } = z
      .object({
        records: z.array(
          z.object({ what: z.string(), entityName: z.string(), actorName: z.string() }),
        ),
      })
      .parse(await session.data(`${DATA}/change/list`, {}));
    const said = records
      .filter(({ what }) => what.startsWith('value '))
      .map(({ what, entityName, actorName }) => [what, entityName, actorName !== '']);
    const name = '4 values, 2026-10-24';
    expect(said).toEqual([
      [expect.stringContaining('value count “0” → “4”'), `Import of ${name}`, true],
      [expect.stringContaining('value deletion'), `Import of ${name}`, true],
      [expect.stringContaining('value import'), name, true],
    ]);
  });

  it('that a hold covers stay until it is lifted, then the rest can be taken back', async () => {
    const { session, plant, points, load, undo, timesOf, reported } = await site();
    const { importId } = await load(minutesAfter(reported, 10));
    const hold = (holdName: string) =>
      session.data(`${DATA}/retention_hold/add`, {
        holdName,
        deviceId: plant.deviceId,
        toTime: new Date(NOW - 29 * HOUR).toISOString(),
        reason: 'the insurer asked',
      });
    const lift = (id: unknown) => session.data(`${DATA}/retention_hold/delete`, { id });
    const first = await hold('incident');
    const refused = await undo(importId);
    expect(refused.status).toBe(409);
    expect(refused.body.message).toContain('The hold “incident” keeps values of this import');
    await lift(first);
    const { crashAt } = world.app;
    world.app.crashAt = (at) => {
      if (at === 'deletion-stored') throw new Error('the process ended');
    };
    expect((await undo(importId)).status).toBe(500);
    world.app.crashAt = crashAt;
    expect((await undo(importId)).body.message).toBe('The import is being undone');
    const second = await hold('audit');
    await deleteDue(world.app);
    expect(await session.data(`${DATA}/point_value/import/list`, {})).toMatchObject({
      records: [{ undoFlag: 'STOPPED', undoneCount: 0 }],
    });
    await lift(second);
    expect((await undo(importId)).body.data).toMatchObject({ stateFlag: 'DONE', valueCount: 60 });
    for (const each of points) expect(await timesOf(each)).toEqual(reported);
  });

  it('are no latest value afterwards, where one of them had become it', async () => {
    const { session, plant, load, undo, reported } = await site();
    const { deviceId, temperature: pointId } = plant;
    const { importId } = await load(minutesAfter(reported, 10));
    const last = reported.at(-1) ?? NaN;
    await session.data(`${DATA}/point_value/delete`, {
      deviceId,
      pointId,
      from: new Date(last).toISOString(),
      to: new Date(last).toISOString(),
      reason: 'to try',
    });
    const latest = async () =>
      z
        .object({ records: z.array(z.object({ createTime: z.string() })) })
        .parse(await session.data(`${DATA}/point_value/latest`, { deviceId, pointId })).records[0];
    expect(await latest()).toEqual({ createTime: new Date(last + 10 * MINUTE).toISOString() });
    await undo(importId);
    expect(await latest()).toEqual({ createTime: new Date(last - HOUR).toISOString() });
  });

  it('are taken back once, by a person of the tenant with the right to delete values', async () => {
    const { load, undo, reported } = await site();
    const stranger = await world.tenant(fresh('stranger'));
    const { importId } = await load(minutesAfter(reported, 10));
    const again = await load(minutesAfter(reported, 10));
    expect(again.stored).toBe(0);
    expect((await undo(importId, stranger)).status).toBe(404);
    expect((await undo(again.importId)).status).toBe(409);
    expect((await undo(importId)).status).toBe(200);
    expect((await undo(importId)).status).toBe(409);
  });
});
