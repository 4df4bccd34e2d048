import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { closeTurn } from '../../src/data/history/close/turn.ts';
import { deleteDue } from '../../src/data/retention/deletion-run.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { onboardQuiet, type Plant } from '../support/devices/plant.ts';
import type { Session } from '../support/people/session.ts';
import { closeAll, counted } from '../support/runs/history/values.ts';
import { startWorld } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';
import { HeldClock } from '../support/world/shifted-clock.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const DATA = '/api/v3/data';
const NOW = Date.UTC(2026, 9, 25, 10, 20);

const clock = new HeldClock();
clock.shift(NOW - clock.now());
const world = started(() => startWorld({ clock, environment: { SVC_HISTORY_CLOSE_HOURS: '2' } }));
beforeAll(() => clock.hold());

const iso = (ms: number): string => new Date(ms).toISOString();

const Deletion = z.object({ id: z.string(), stateFlag: z.string(), valueCount: z.number() });

/** A tenant whose point has a value a minute from `NOW - 30 h` on; those until `NOW - 2 h` are closed. */
async function tenantWithValues(code: string, everyMs = MINUTE) {
  const session = await world.tenant(code);
  const plant = await onboardQuiet(world, session);
  const { deviceId, temperature: pointId } = plant;
  const count = (30 * HOUR) / everyMs;
  const values = Array.from({ length: count }, (_, n) => ({
    deviceId,
    pointId,
    rawValue: String(n % 50),
    calValue: String(n % 50),
    numValue: n % 50,
    seq: 0,
    quality: 0 as const,
    originTime: NOW - (count - n) * everyMs,
  }));
  for (let from = 0; from < count; from += 1_000)
    await world.bus.handled(
      'svc.e.value',
      {
        tenantId: session.tenantId,
        driverId: plant.driverId,
        driverCode: 'VirtualDriver',
        node: 'n',
        values: values.slice(from, from + 1_000),
      },
      'VirtualDriver',
    );
  await closeAll(world, session.tenantId, NOW - 2 * HOUR);
  const remove = (from: number, to: number, by: Session = session) =>
    by.post(`${DATA}/point_value/delete`, {
      deviceId,
      pointId,
      from: iso(from),
      to: iso(to),
      reason: 'a sensor that was mounted wrong',
    });
  const deleted = async (from: number, to: number) => {
    const answer = await remove(from, to);
    expect(answer.status).toBe(200);
    return Deletion.parse(answer.body.data);
  };
  return { session, plant, count, remove, deleted };
}

const timesOf = async (session: Session, plant: Plant): Promise<number[]> => {
  const rows = z.array(z.object({ createTime: z.string() })).parse(
    await session.data(`${DATA}/point_value/list_history_by_device_id_and_point_id`, undefined, {
      device_id: plant.deviceId,
      point_id: plant.temperature,
      count: '500',
    }),
  );
  return rows.map(({ createTime }) => Date.parse(createTime));
};

const Latest = z.object({
  records: z.array(z.object({ createTime: z.string().nullable(), calValue: z.string() })),
});
const latestOf = async (session: Session, { deviceId, temperature: pointId }: Plant) =>
  Latest.parse(await session.data(`${DATA}/point_value/latest`, { deviceId, pointId })).records[0];

const page = { current: 1, size: 20 };

describe('values of a span', () => {
  it('are deleted exactly, closed and hot, and the latest value is the newest that is left', async () => {
    const { session, plant, deleted } = await tenantWithValues('exact');
    // A part of the closed rows of a day, between others.
    expect(await deleted(NOW - 9 * HOUR, NOW - 8 * HOUR)).toMatchObject({
      stateFlag: 'DONE',
      valueCount: 61,
    });
    const left = (await timesOf(session, plant)).filter(
      (at) => at >= NOW - 9 * HOUR - MINUTE && at <= NOW - 8 * HOUR + MINUTE,
    );
    expect(left).toEqual([NOW - 8 * HOUR + MINUTE, NOW - 9 * HOUR - MINUTE]);
    // What is hot, with the latest value, and some of the closed hours before it.
    expect(await deleted(NOW - 3 * HOUR, NOW)).toMatchObject({ valueCount: 180 });
    expect(await latestOf(session, plant)).toMatchObject({
      createTime: iso(NOW - 3 * HOUR - MINUTE),
      calValue: String((1_800 - 181) % 50),
    });
    expect(await counted(world, session.tenantId)).toEqual({
      hot: 0,
      closed: 1_800 - 241,
      delays: 1_800 - 241,
    });
    // All that is left.
    expect(await deleted(0, NOW)).toMatchObject({ valueCount: 1_800 - 241 });
    expect(await counted(world, session.tenantId)).toEqual({ hot: 0, closed: 0, delays: 0 });
    expect(await latestOf(session, plant)).toMatchObject({ createTime: null });
  });

  it('are named in the change log with reason, number and person', async () => {
    const { session, deleted } = await tenantWithValues('logged');
    await deleted(NOW - 9 * HOUR, NOW - 8 * HOUR);
    const { records } = z
      .object({
        records: z.array(
          z.object({ what: z.string(), entityName: z.string(), actorName: z.string() }),
        ),
      })
      .parse(await session.data(`${DATA}/change/list`, {}));
    const ofDeletion = records.filter(({ what }) => what.startsWith('value deletion'));
    expect(ofDeletion).toHaveLength(2);
    expect(ofDeletion[1]?.entityName).toContain(
      '2026-10-25T01:20:00.000Z – 2026-10-25T02:20:00.000Z',
    );
    expect(ofDeletion[0]?.what).toContain('value count “0” → “61”');
    expect(ofDeletion.map(({ actorName }) => actorName)).not.toContain('');
  });

  it.each(['deletion-stored', 'deletion-erased', 'deletion-slice'])(
    'are all deleted, and no others, when the process ends at %s',
    async (point) => {
      const { session, count, remove } = await tenantWithValues(`ends-${point}`, 5_000);
      const { crashAt } = world.app;
      world.app.crashAt = (at) => {
        if (at === point) throw new Error('the process ended');
      };
      expect((await remove(NOW - 30 * HOUR, NOW - HOUR)).status).toBe(500);
      world.app.crashAt = crashAt;
      const gone = (29 * HOUR) / 5_000 + 1;
      const between = await counted(world, session.tenantId);
      expect((between?.hot ?? 0) + (between?.closed ?? 0)).toBeGreaterThan(count - gone);
      await deleteDue(world.app);
      const now = await counted(world, session.tenantId);
      expect((now?.hot ?? 0) + (now?.closed ?? 0)).toBe(count - gone);
      expect(now?.delays).toBe(now?.closed);
      expect(await session.data(`${DATA}/point_value/deletion/list`, { page })).toMatchObject({
        records: [{ stateFlag: 'DONE', valueCount: gone }],
      });
    },
  );

  it('are not written again by a closing that was prepared before', async () => {
    const { session, plant, deleted } = await tenantWithValues('prepared');
    const { crashAt } = world.app;
    let isDeleting = false;
    const { tenantId } = session;
    await inTenant(world.app.db, tenantId, (q) =>
      sql`update svc_value_closing set closed_until = null where tenant_id = ${tenantId}`.execute(
        q,
      ),
    );
    const deleting = Promise.withResolvers<void>();
    world.app.crashAt = (at) => {
      if (at !== 'close-read' || isDeleting) return;
      isDeleting = true;
      void deleted(NOW - 2 * HOUR, NOW - HOUR).then(() => deleting.resolve());
    };
    const turn = { until: NOW, closeAfterMs: 2 * HOUR };
    await closeTurn(world.app, tenantId, turn);
    await deleting.promise;
    world.app.crashAt = crashAt;
    await closeAll(world, tenantId, NOW);
    const left = (await timesOf(session, plant)).filter((at) => at >= NOW - 2 * HOUR);
    expect(left).toHaveLength(59);
  });

  it('that a hold covers are not deleted until it is lifted, one added meanwhile included', async () => {
    const { session, plant, remove, deleted } = await tenantWithValues('held');
    const hold = await session.data(`${DATA}/retention_hold/add`, {
      holdName: 'incident',
      deviceId: plant.deviceId,
      fromTime: iso(NOW - 10 * HOUR),
      toTime: iso(NOW - 9 * HOUR),
      reason: 'the insurer asked',
    });
    const refused = await remove(NOW - 9 * HOUR, NOW - 8 * HOUR);
    expect(refused.status).toBe(409);
    expect(refused.body.message).toContain('The hold “incident” keeps values of this time');
    expect(await deleted(NOW - 8 * HOUR, NOW - 7 * HOUR)).toMatchObject({ valueCount: 61 });
    await session.data(`${DATA}/retention_hold/delete`, { id: hold });
    const { crashAt } = world.app;
    world.app.crashAt = (at) => {
      if (at === 'deletion-stored') throw new Error('the process ended');
    };
    expect((await remove(NOW - 7 * HOUR, NOW - 6 * HOUR)).status).toBe(500);
    world.app.crashAt = crashAt;
    await session.data(`${DATA}/retention_hold/add`, { holdName: 'all', reason: 'an audit' });
    await deleteDue(world.app);
    expect(await session.data(`${DATA}/point_value/deletion/list`, { page })).toMatchObject({
      records: [{ stateFlag: 'STOPPED', valueCount: 0 }, { stateFlag: 'DONE' }],
    });
  });

  it('are refused for an empty span, the future, and a device of another tenant', async () => {
    const { remove } = await tenantWithValues('refused', HOUR);
    const stranger = await world.tenant('stranger');
    expect((await remove(NOW, NOW - 1)).status).toBe(400);
    expect((await remove(NOW - HOUR, clock.now() + MINUTE)).status).toBe(400);
    expect((await remove(NOW - HOUR, NOW, stranger)).status).toBe(404);
  });
});
