import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inTenant } from '../../src/db/tenant.ts';
import { REGISTRATION } from '../../src/manager/driver/driver.ts';
import { addTo } from '../support/devices/notify.ts';
import { add, onboardQuiet, type Plant } from '../support/devices/plant.ts';
import type { Session } from '../support/people/session.ts';
import { AnyRecords } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data';
const SECOND = 1_000;
const FIRING = 1;
const RECOVERED = 2;

const Episodes = z.object({
  count: z.number(),
  episodes: z.array(z.object({ from: z.string(), to: z.string().nullable() })),
});
const Preview = Episodes.extend({ stored: Episodes });

const world = startedWorld();

describe('a rule on several points', () => {
  let session: Session;
  let plant: Plant;
  let pump: string;
  let seq = 0;
  beforeEach(async () => {
    session = await world.tenant(fresh('points'));
    plant = await onboardQuiet(world, session);
    pump = await add(session, 'point', {
      pointName: 'Pumpe 1',
      pointCode: 'pump-1',
      pointTypeFlag: 'BOOLEAN',
      rwFlag: 'READ_ONLY',
      profileId: plant.profileId,
    });
    // The driver in this process would measure the points that it was sent anew.
    const { deviceId } = plant;
    const removed = { kind: 'removed', driverCode: 'VirtualDriver', deviceId } as const;
    await world.bus.handled(
      'svc.e.metadata',
      { ...removed, tenantId: session.tenantId },
      'VirtualDriver',
    );
  });

  const ruleOf = (content: object) => ({
    ruleName: fresh('rule'),
    alarmTargetTypeFlag: 'POINT',
    entityId: plant.temperature,
    ruleExt: { content },
  });
  const rule = (content: object): Promise<string> => addTo(session, 'rule', ruleOf(content));
  const stateOf = async (ruleId: string) =>
    AnyRecords.parse(await session.data(`${DATA}/rule/state/list`, { ruleId })).records[0];
  const flagOf = async (ruleId: string) => (await stateOf(ruleId))?.['entityStateFlag'];
  /** A batch of values by point, each measured now, or so many seconds ago. */
  const report = (values: Record<string, string | number>, ago = 0, quality: 0 | 2 = 0) => {
    const { deviceId, driverId } = plant;
    const reported = Object.entries(values).map(([pointId, value]) => ({
      deviceId,
      pointId,
      rawValue: String(value),
      calValue: String(value),
      numValue: typeof value === 'number' ? value : null,
      quality,
      originTime: world.clock.now() - ago * SECOND,
      seq: ++seq,
    }));
    return world.bus.handled(
      'svc.e.value',
      {
        tenantId: session.tenantId,
        driverId,
        driverCode: 'VirtualDriver',
        node: 'test',
        values: reported,
      },
      'VirtualDriver',
    );
  };
  const after = async (seconds: number, values: Record<string, string | number>) => {
    world.clock.shift(seconds * SECOND);
    await report(values);
  };

  const hot = { operator: '>', threshold: 90 };
  const runs = { point: 'pump-1', operator: '==', expected: 'true' };

  it('fires when all hold, whichever of them was last, and is over when one does not', async () => {
    const ruleId = await rule({ condition: { all: [hot, runs] } });
    await after(5, { [plant.temperature]: 95 });
    expect(await flagOf(ruleId)).toBeUndefined();
    await after(5, { [pump]: 'true' });
    const { alarmId, entityStateFlag, entityId } = (await stateOf(ruleId)) ?? {};
    expect([entityStateFlag, entityId]).toEqual([FIRING, plant.temperature]);
    const { records } = AnyRecords.parse(
      await session.data(`${DATA}/dashboard/alert/page`, { size: 200 }),
    );
    const words = 'all of (value > 90; “pump-1” == true)';
    expect(records.find(({ id }) => id === alarmId)).toMatchObject({
      message: expect.stringContaining(words),
      condition: words,
      pointId: plant.temperature,
    });
    await after(5, { [pump]: 'false' });
    expect(await flagOf(ruleId)).toBe(RECOVERED);
  });

  it('combines all, any and none, three deep', async () => {
    const target = { point: 'target', operator: '<', threshold: 10 };
    const ruleId = await rule({
      condition: { any: [{ all: [hot, { not: [runs] }] }, target] },
    });
    await after(5, { [plant.temperature]: 95, [pump]: 'true', [plant.target]: 20 });
    expect(await flagOf(ruleId)).toBeUndefined();
    await after(5, { [pump]: 'false' });
    expect(await flagOf(ruleId)).toBe(FIRING);
    await after(5, { [pump]: 'true' });
    expect(await flagOf(ruleId)).toBe(RECOVERED);
    await after(5, { [plant.target]: 5 });
    expect(await flagOf(ruleId)).toBe(FIRING);
  });

  it('decides nothing while a value that matters is stale or bad, or there is none', async () => {
    const ruleId = await rule({ condition: { all: [hot, runs] }, maxAge: 'PT1M' });
    await after(5, { [pump]: 'true', [plant.temperature]: 95 });
    expect(await flagOf(ruleId)).toBe(FIRING);
    // What the pump does now is not known.
    await after(61, { [plant.temperature]: 95 });
    expect(await flagOf(ruleId)).toBe(FIRING);
    await report({ [pump]: 'no' }, 0, 2);
    expect(await flagOf(ruleId)).toBe(FIRING);
    // It is not hot, whatever the pump does.
    await after(1, { [plant.temperature]: 50 });
    expect(await flagOf(ruleId)).toBe(RECOVERED);
  });

  it('counts a value as long as its driver says that it is not stale', async () => {
    const { driverId } = plant;
    await inTenant(world.app.db, session.tenantId, (q) =>
      sql`update svc_driver set driver_ext = jsonb_set(driver_ext, ${`{${REGISTRATION},readIntervalMs}`}::text[], '30000')
        where id = ${driverId}::bigint`.execute(q),
    );
    const ruleId = await rule({ condition: { all: [hot, runs] } });
    await after(1, { [pump]: 'true' });
    await after(89, { [plant.temperature]: 95 });
    expect(await flagOf(ruleId)).toBe(FIRING);
    await after(1, { [plant.temperature]: 50 });
    await after(1, { [plant.temperature]: 95 });
    expect(await flagOf(ruleId)).toBe(RECOVERED);
  });

  it('takes a value that came a little later than that of another point, and none twice', async () => {
    const ruleId = await rule({ condition: { all: [hot, runs] } });
    await after(5, { [pump]: 'true' });
    await report({ [plant.temperature]: 95 }, 2);
    expect(await flagOf(ruleId)).toBe(FIRING);
    await after(5, { [pump]: 'false' });
    await report({ [pump]: 'true' }, 3);
    expect(await flagOf(ruleId)).toBe(RECOVERED);
  });

  it('compares a formula like a value, with its own recovery and over a window', async () => {
    const spread = { formula: 'value - target', operator: '>', threshold: 10, unit: 'K' };
    const recovery = { operator: '<', threshold: 5 };
    const ruleId = await rule({ condition: spread, recovery });
    const mean = await rule({ condition: spread, window: { mode: 'MEAN', duration: 'PT1M' } });
    const ratio = await rule({
      condition: { formula: 'value / target', operator: '>', threshold: 3 },
    });
    await after(5, { [plant.temperature]: 50, [plant.target]: 45 });
    await after(5, { [plant.temperature]: 57 });
    const { alarmId, entityStateFlag } = (await stateOf(ruleId)) ?? {};
    expect(entityStateFlag).toBe(FIRING);
    expect(await flagOf(mean)).toBeUndefined();
    const { records } = AnyRecords.parse(
      await session.data(`${DATA}/dashboard/alert/page`, { size: 200 }),
    );
    expect(records.find(({ id }) => id === alarmId)).toMatchObject({
      message: expect.stringContaining('“value - target” = 12 (> 10'),
      condition: '“value - target” > 10 K',
    });
    await after(5, { [plant.temperature]: 52 });
    expect(await flagOf(ruleId)).toBe(FIRING);
    await after(5, { [plant.target]: 50 });
    expect(await flagOf(ruleId)).toBe(RECOVERED);
    await after(5, { [plant.temperature]: 150 });
    expect(await flagOf(mean)).toBe(FIRING);
    await after(5, { [plant.target]: 0 });
    expect(await flagOf(ratio)).toBeUndefined();
    await after(5, { [plant.target]: 20 });
    expect(await flagOf(ratio)).toBe(FIRING);
  });

  it.each([
    ['a set', { condition: { all: [hot, runs] } }],
    ['any of a set', { condition: { any: [hot, { not: [runs] }] }, window: { duration: 'PT20S' } }],
    [
      'a formula',
      { condition: { formula: 'max(value, 80) - target', operator: '>', threshold: 20 } },
    ],
    [
      'a formula over a window',
      {
        condition: { formula: 'value - target', operator: '>', threshold: 15 },
        window: { mode: 'MEAN', duration: 'PT1M', minSamples: 2 },
      },
    ],
  ])('with %s is previewed as it is evaluated', async (_what, content) => {
    const ruleId = await rule(content);
    world.clock.shift(3_600 * SECOND);
    const from = new Date(world.clock.now()).toISOString();
    await after(10, { [plant.temperature]: 95, [plant.target]: 80 });
    await after(10, { [pump]: 'true' });
    await after(10, { [plant.temperature]: 120, [plant.target]: 60, [pump]: 'true' });
    await after(10, { [pump]: 'false', [plant.temperature]: 70 });
    await report({ [plant.target]: 10 }, 4);
    await after(200, { [plant.temperature]: 99 });
    await after(10, { [plant.target]: 50 });
    await after(10, { [pump]: 'true', [plant.temperature]: 99 });
    await after(10, { [plant.temperature]: 60, [plant.target]: 70 });
    const { deviceId, temperature: pointId } = plant;
    const preview = { pointId, deviceId, ruleId, from, ruleExt: { content } };
    const answer = Preview.parse(await session.data(`${DATA}/rule/preview`, preview));
    const known = ({ episodes }: z.output<typeof Episodes>) =>
      episodes.map(({ from: begun, to }) => [begun, to]);
    expect(answer.stored.count).toBeGreaterThan(0);
    expect(known(answer)).toEqual(known(answer.stored));
  });

  it('keeps its points when they are named otherwise, and can be sent back', async () => {
    const ruleId = await rule({ condition: { all: [hot, { ...runs, point: 'Pumpe 1' }] } });
    const stored = z
      .looseObject({ ruleExt: z.object({ content: z.looseObject({ points: z.unknown() }) }) })
      .parse(await session.data(`${DATA}/rule/get_by_id`, undefined, { id: ruleId }));
    expect(stored.ruleExt.content.points).toEqual({ 'Pumpe 1': pump });
    expect((await session.post(`${DATA}/rule/update`, stored)).status).toBe(200);
    await session.data('/api/v3/manager/point/update', { id: pump, pointName: 'Umwälzpumpe' });
    await after(5, { [plant.temperature]: 95, [pump]: 'true' });
    expect(await flagOf(ruleId)).toBe(FIRING);
  });

  const deep = { all: [{ any: [{ not: [{ all: [hot] }] }] }] };
  it.each([
    [{ all: [hot, { ...runs, point: 'pmup-1' }] }, 'no point “pmup-1”'],
    [{ formula: 'value - retrun', operator: '>', threshold: 1 }, 'no point “retrun”'],
    [{ formula: 'value -', operator: '>', threshold: 1 }, '(at character 8)'],
    [{ all: [hot, { ...runs, expected: 'on' }] }, '“pump-1”: value is never eq “on”'],
    [{ all: [hot, { point: 'pump-1', operator: '>' }] }, 'all.1: > needs threshold, a number'],
    [{ all: [] }, 'expected array to have >=1 item'],
    [{ any: Array.from({ length: 17 }, () => hot) }, 'any needs a list of 1 to 16 conditions'],
    [
      {
        any: [
          { all: Array.from({ length: 9 }, () => hot) },
          { all: Array.from({ length: 9 }, () => hot) },
        ],
      },
      '16 conditions at most',
    ],
    [deep, 'all.0.any.0.not.0.all: “all” is not known'],
    [{ all: [hot], hold: 'PT5M' }, '“hold” is not known'],
  ])('is refused, 400, with what is wrong: %j', async (condition, why) => {
    const { status, body } = await session.post(`${DATA}/rule/add`, ruleOf({ condition }));
    expect(`${status} ${body.message}`).toMatch(/^400 ruleExt\.content\.condition/);
    expect(body.message).toContain(why);
  });

  it('is refused where the points are of no one device', async () => {
    const everywhere = { ...ruleOf({ condition: { all: [hot, runs] } }), entityId: '0' };
    const { status, body } = await session.post(`${DATA}/rule/add`, everywhere);
    expect(status).toBe(400);
    expect(body.message).toContain('choose the point to watch');
    const over = {
      ...ruleOf({ condition: { all: [hot] }, window: { mode: 'MEAN', duration: 'PT5M' } }),
    };
    expect((await session.post(`${DATA}/rule/add`, over)).body.message).toContain(
      'MEAN is a number',
    );
  });
});
