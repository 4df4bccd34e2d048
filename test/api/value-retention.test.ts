import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { sweepDue } from '../../src/data/retention/retention-run.ts';
import { storedValues } from '../../src/data/retention/stored-values.ts';
import { onboardQuiet, type Plant } from '../support/devices/plant.ts';
import type { Session } from '../support/people/session.ts';
import { closeAll, counted, storeRows } from '../support/runs/history/values.ts';
import { startWorld } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';
import { HeldClock } from '../support/world/shifted-clock.ts';
import { agentIn } from '../tools/agent.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DATA = '/api/v3/data';
const NOW = Date.UTC(2026, 9, 25, 10, 20);
/** Of the day until which a class of two days deletes, a day after it was made. */
const KEPT_FROM = Date.UTC(2026, 9, 24);

const clock = new HeldClock();
clock.shift(NOW - clock.now());
const world = started(() => startWorld({ clock, environment: { SVC_HISTORY_CLOSE_HOURS: '2' } }));
beforeAll(() => clock.hold());

const iso = (ms: number): string => new Date(ms).toISOString();

/** Values every ten minutes of the last `days`, the older ones closed, but for the last hundred of the first day. */
async function storeValues({ tenantId }: Session, plant: Plant, days: number): Promise<number> {
  const rows = Array.from({ length: days * 144 }, (_, n) => ({
    deviceId: plant.deviceId,
    pointId: plant.temperature,
    driverId: plant.driverId,
    at: NOW - days * DAY + n * 600_000,
    seq: 0,
    raw: String(n),
    cal: String(n),
    num: n,
    quality: 0,
    received: NOW - days * DAY + n * 600_000,
    claimed: null,
    issue: null,
  }));
  await storeRows(world, tenantId, [...rows.slice(0, 20), ...rows.slice(120)]);
  await closeAll(world, tenantId, NOW - 2 * HOUR);
  await storeRows(world, tenantId, rows.slice(20, 120));
  return rows.filter(({ at }) => at >= KEPT_FROM).length;
}

const addClass = (session: Session, given: object) =>
  session.post(`${DATA}/retention_class/add`, { className: 'two days', valueDays: 2, ...given });

const total = async ({ tenantId }: Session): Promise<number> => {
  const { hot = 0, closed = 0, delays = 0 } = (await counted(world, tenantId)) ?? {};
  expect(delays).toBe(closed);
  return hot + closed;
};

/** Two sweeps of the next day. */
async function sweepTomorrow(): Promise<void> {
  clock.shift(DAY);
  await sweepDue(world.app);
  clock.shift(-DAY);
}

describe('values', () => {
  it('are kept for ever without a class, and deleted by whole days a day after one was made', async () => {
    const session = await world.tenant('classes');
    const plant = await onboardQuiet(world, session);
    const left = await storeValues(session, plant, 6);
    await sweepTomorrow();
    expect(await total(session)).toBe(864);
    expect((await addClass(session, { defaultFlag: true })).status).toBe(200);
    await sweepDue(world.app);
    expect(await total(session)).toBe(864);
    const caller = agentIn(session);
    expect(await storedValues(world.app, caller, {})).toMatchObject({
      values: 864,
      deleted: 0,
      nextTime: iso(clock.now() + DAY),
      devices: [{ deviceId: plant.deviceId, keptFrom: null }],
    });
    await sweepTomorrow();
    expect(await total(session)).toBe(left);
    clock.shift(DAY);
    expect(await storedValues(world.app, caller, {})).toMatchObject({
      values: left,
      deleted: 864 - left,
      oldest: iso(KEPT_FROM),
      nextTime: iso(KEPT_FROM + 3 * DAY),
      devices: [{ values: left, keptFrom: iso(KEPT_FROM) }],
    });
    clock.shift(-DAY);
    const change = z.object({ records: z.array(z.object({ what: z.string() })) });
    const { records } = change.parse(await session.data(`${DATA}/change/list`, {}));
    expect(records.map(({ what }) => what)).toContain('retention class “two days” added');
  });

  it('of a profile are kept as its class says, and those of a hold for as long as it is there', async () => {
    const session = await world.tenant('profiles');
    const [plant, other] = [await onboardQuiet(world, session), await onboardQuiet(world, session)];
    const left = await storeValues(session, plant, 6);
    const others = await storeValues(session, other, 6);
    expect(others).toBe(left);
    await addClass(session, { defaultFlag: true });
    const profileIds = [other.profileId];
    const ofProfile = { className: 'for ever', valueDays: null, profileIds };
    expect((await addClass(session, ofProfile)).status).toBe(200);
    const hold = await session.data(`${DATA}/retention_hold/add`, {
      holdName: 'incident',
      deviceId: plant.deviceId,
      fromTime: iso(NOW - 4 * DAY),
      toTime: iso(NOW - 4 * DAY),
      reason: 'it is looked into',
    });
    await sweepTomorrow();
    // The whole day of the hold.
    expect(await total(session)).toBe(864 + left + 144);
    await session.data(`${DATA}/retention_hold/delete`, { id: hold });
    await sweepTomorrow();
    expect(await total(session)).toBe(864 + left);
  });

  it('of a point that is silent for longer are deleted, the latest one too', async () => {
    const session = await world.tenant('silent');
    const { deviceId, temperature: pointId, driverId } = await onboardQuiet(world, session);
    const value = { deviceId, pointId, rawValue: '7', calValue: '7', numValue: 7, seq: 0 };
    const values = [{ ...value, quality: 0 as const, originTime: NOW - 5 * DAY }];
    const of = { tenantId: session.tenantId, driverId, driverCode: 'VirtualDriver', node: 'n' };
    await world.bus.handled('svc.e.value', { ...of, values }, 'VirtualDriver');
    await addClass(session, { defaultFlag: true });
    await sweepTomorrow();
    expect(await total(session)).toBe(0);
    expect(await session.data(`${DATA}/point_value/latest`, { deviceId, pointId })).toMatchObject({
      records: [{ hasLatestValue: false }],
    });
  });

  it.each(['retention-erased', 'retention-slice'])(
    'are all deleted, and no others, when the process ends at %s',
    async (point) => {
      const session = await world.tenant(`ends-${point}`);
      const left = await storeValues(session, await onboardQuiet(world, session), 6);
      await addClass(session, { defaultFlag: true });
      const { crashAt } = world.app;
      world.app.crashAt = (at) => {
        if (at === point) throw new Error('the process ended');
      };
      await sweepTomorrow();
      world.app.crashAt = crashAt;
      expect(await total(session)).toBeGreaterThan(left);
      await sweepTomorrow();
      expect(await total(session)).toBe(left);
    },
  );

  it('have one class: of all devices, or of those of a profile', async () => {
    const session = await world.tenant('one-class');
    const { profileId } = await onboardQuiet(world, session);
    const another = { className: 'another' };
    expect((await addClass(session, {})).status).toBe(400);
    expect((await addClass(session, { defaultFlag: true, profileIds: [profileId] })).status).toBe(
      400,
    );
    expect((await addClass(session, { profileIds: [profileId] })).status).toBe(200);
    const taken = await addClass(session, { ...another, profileIds: [profileId] });
    expect(taken.status).toBe(409);
    expect(taken.body.message).toBe('The class “two days” is for one of the profiles already');
    expect((await addClass(session, { ...another, defaultFlag: true })).status).toBe(200);
    expect((await addClass(session, { className: 'third', defaultFlag: true })).status).toBe(409);
    expect(
      (await addClass(session, { className: 'third', valueDays: 0, defaultFlag: true })).status,
    ).toBe(400);
  });
});
