import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { evaluate } from '../../src/alarm/rule/evaluate.ts';
import { scanHeld } from '../../src/alarm/watch/held.ts';
import { closeOrphans } from '../../src/alarm/watch/orphan.ts';
import { acrossTenants } from '../../src/db/tenant.ts';
import { DATA } from '../support/devices/notify.ts';
import { add } from '../support/devices/plant.ts';
import type { Session } from '../support/people/session.ts';
import { doorsIn, hot } from '../support/runs/rules/doors.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const SECOND = 1_000;
const RECOVERED = 2;

const Preview = z.looseObject({
  count: z.number(),
  devices: z.number(),
  cut: z.array(z.string()),
  episodes: z.array(z.looseObject({ deviceId: z.string(), extreme: z.number().nullable() })),
});

type Doors = Awaited<ReturnType<typeof doorsIn>>;

const world = startedWorld();

describe('a rule that judges the devices of a group together', () => {
  let session: Session;
  let of: Doors;
  beforeEach(async () => {
    session = await world.tenant(fresh('together'));
    of = await doorsIn(world, session);
  });
  const rule: Doors['rule'] = (...given) => of.rule(...given);
  const report: Doors['report'] = (...given) => of.report(...given);
  const isFiring = (ruleId: string) => of.isFiring(ruleId);
  const previewOf = async (aggregate: object, content: object = {}) =>
    Preview.parse(
      await session.data(`${DATA}/rule/preview`, {
        pointId: of.plant.temperature,
        ruleExt: of.ruleOf(aggregate, content).ruleExt,
      }),
    );

  it('fires once for the group, which its alarm names with what matches, and is over as one', async () => {
    const ruleId = await rule({ function: 'ANY', atLeast: 2 });
    await report([90, 20, 20]);
    expect(await isFiring(ruleId)).toBe(false);
    await report([undefined, undefined, 95]);
    expect(await isFiring(ruleId)).toBe(true);
    await report([91, 91, 91]);
    const [alarm, ...others] = await of.alarms();
    expect(others).toEqual([]);
    expect(alarm).toMatchObject({ deviceId: '0', pointId: of.plant.temperature });
    const text =
      'value (of 2 devices at least) > 80, 2 match, of 3 of 3 devices of “doors”: “Door 1”, “Door 3”';
    expect(String(alarm?.['message'])).toContain(text);
    const shown = await session.data(`${DATA}/dashboard/alert/report`, undefined, {
      alarmId: String(alarm?.['id']),
    });
    expect(shown).toMatchObject({
      deviceId: '0',
      pointName: 'temperature',
      causes: [{ kind: 'RULE' }],
    });
    expect(JSON.stringify(shown)).toContain('“Door 1”, “Door 3”');
    await report([20, 20]);
    expect((await of.statesOf(ruleId)).map((each) => each['entityStateFlag'])).toEqual([RECOVERED]);
  });

  it.each([
    [{ function: 'ALL' }, [81, 82, 83], [81, 82, 20]],
    [{ function: 'ANY' }, [20, 81, 20], [20, 20, 20]],
    [{ function: 'NONE' }, [20, 21, 22], [20, 81, 20]],
    [{ function: 'MEAN' }, [70, 80, 100], [70, 80, 90]],
    [{ function: 'MIN' }, [81, 82, 83], [80, 82, 83]],
    [{ function: 'MAX' }, [0, 81, 0], [0, 80, 0]],
    [{ function: 'SUM' }, [27, 27, 27], [27, 27, 26]],
  ])('fires by %j of its devices', async (aggregate, fires, not) => {
    const ruleId = await rule(aggregate);
    await report(not);
    expect(await isFiring(ruleId)).toBe(false);
    await report(fires);
    expect(await isFiring(ruleId)).toBe(true);
    await report(not);
    expect(await isFiring(ruleId)).toBe(false);
  });

  it('counts the devices with a good value that is not stale', async () => {
    const few = { field: 'value', operator: '<', threshold: 3 };
    const ruleId = await rule({ function: 'COUNT' }, { condition: few, maxAge: 'PT1M' });
    await report([1, 2, null]);
    expect(await isFiring(ruleId)).toBe(true);
    await report([undefined, undefined, 3]);
    expect(await isFiring(ruleId)).toBe(false);
    await report([undefined, undefined, 3], { apart: 61 });
    expect(await isFiring(ruleId)).toBe(true);
  });

  it('decides nothing for all and none while a device has no value that counts, unless enough have', async () => {
    const all = await rule({ function: 'ALL' });
    const two = await rule({ function: 'ALL', minDevices: 2 });
    await report([90, 90]);
    expect([await isFiring(all), await isFiring(two)]).toEqual([false, true]);
    await report([undefined, undefined, 90]);
    expect(await isFiring(all)).toBe(true);
    await report([undefined, null]);
    expect(await isFiring(all)).toBe(true);
    await report([undefined, undefined, 20]);
    expect([await isFiring(all), await isFiring(two)]).toEqual([false, false]);
  });

  it('knows what came before it was made', async () => {
    await report([90, 90, 20]);
    const ruleId = await rule({ function: 'ALL' });
    await report([undefined, undefined, 90]);
    expect(await isFiring(ruleId)).toBe(true);
  });

  it('knows what came before a bad value that comes first', async () => {
    await report([90, 90, 20]);
    const ruleId = await rule({ function: 'ALL' });
    world.clock.shift(SECOND);
    const { temperature: pointId, driverId } = of.plant;
    const first = { entityId: pointId, pointId, driverId, at: world.clock.now() };
    // It comes before it is stored.
    await evaluate(world.app, session.tenantId, 'POINT', [
      { ...first, deviceId: of.doors[0] ?? '', values: { quality: 'BAD' } },
      { ...first, deviceId: of.doors[2] ?? '', values: { value: 90 } },
    ]);
    expect(await isFiring(ruleId)).toBe(true);
  });

  it('holds for its time without another value, and has levels and a recovery of its own', async () => {
    const held = await rule({ function: 'ANY' }, { window: { mode: 'LAST', duration: 'PT1M' } });
    const more = {
      levels: [{ severity: 'P0', threshold: 95 }],
      recovery: { operator: '<', threshold: 60 },
    };
    const mean = await rule({ function: 'MEAN' }, more);
    await report([90, 90, 90]);
    expect([await isFiring(held), await isFiring(mean)]).toEqual([false, true]);
    world.clock.shift(61 * SECOND);
    await scanHeld(world.app, 'value');
    expect(await isFiring(held)).toBe(true);
    await report([99, 99, 99]);
    const ofMean = (await of.alarms()).find(({ message }) => String(message).includes('mean of'));
    expect(ofMean).toMatchObject({ alarmLevelFlag: 0 });
    await report([70, 70, 70]);
    expect([await isFiring(held), await isFiring(mean)]).toEqual([false, true]);
    await report([50, 50, 50]);
    expect(await isFiring(mean)).toBe(false);
  });

  it('is of the devices of its group then: of one that joins from its next value on, and not of one that left', async () => {
    const ruleId = await rule({ function: 'ALL' });
    await report([90, 90, 20]);
    expect(await isFiring(ruleId)).toBe(false);
    await of.leave(of.binds[2]);
    await report([90]);
    expect(await isFiring(ruleId)).toBe(true);
    of.doors.push(await of.door('Door 4'));
    await of.join(of.doors[3] ?? '');
    await report([undefined, undefined, undefined, 20]);
    expect(await isFiring(ruleId)).toBe(false);
  });

  it('ends when no device of its group is left, and only then', async () => {
    const ruleId = await rule({ function: 'ANY' });
    await report([90, 90, 90]);
    const sweep = () =>
      acrossTenants(world.app.db, 'sweeper', (q) => closeOrphans(q, new Date(world.clock.now())));
    await of.leave(of.binds[0]);
    await of.leave(of.binds[1]);
    await sweep();
    expect(await isFiring(ruleId)).toBe(true);
    await of.leave(of.binds[2]);
    await sweep();
    expect(await isFiring(ruleId)).toBe(false);
    expect((await of.alarms())[0]).toMatchObject({ endReason: 'PLACE_LEFT' });
  });

  it('takes a value that came a little later than that of another device, and none twice', async () => {
    const ruleId = await rule({ function: 'ANY', atLeast: 2 });
    await report([20, 20, 20]);
    await report([90], { apart: 10 });
    await report([undefined, 90], { behindMs: 5 * SECOND });
    expect(await isFiring(ruleId)).toBe(true);
    await report([undefined, 20], { behindMs: 8 * SECOND });
    expect(await isFiring(ruleId)).toBe(true);
  });

  it.each<[string, object]>([
    ['any two', { function: 'ANY', atLeast: 2 }],
    ['the mean', { function: 'MEAN' }],
  ])('with %s is previewed as it is evaluated', async (_name, aggregate) => {
    const ruleId = await rule(aggregate);
    for (const value of [90, 20, 95, 30]) await report([value, value, 79]);
    await report([99, 99, 99]);
    const found = await previewOf(aggregate);
    expect(found).toMatchObject({ cut: [], devices: 3, count: 3 });
    expect(found.episodes.map(({ deviceId }) => deviceId)).toEqual(['0', '0', '0']);
    expect(await of.alarms()).toHaveLength(3);
    expect(await isFiring(ruleId)).toBe(true);
  });

  it('is of its own tenant alone', async () => {
    const other = await world.tenant(fresh('stranger'));
    const foreign = await add(other, 'group', { groupName: 'theirs', groupTypeFlag: 'DEVICE' });
    const body = of.ruleOf({ function: 'ANY' }, { devices: { groupIds: [foreign] } });
    const answer = await session.post(`${DATA}/rule/add`, body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(`no group of devices ${foreign}`);
  });

  it.each<[string, object, object]>([
    ['choose the devices', { function: 'ANY' }, { devices: undefined }],
    ['3 of the chosen devices have the point', { function: 'ANY', atLeast: 4 }, {}],
    ['3 of the chosen devices have the point', { function: 'MEAN', minDevices: 4 }, {}],
    ['is of ANY', { function: 'ALL', atLeast: 2 }, {}],
    [
      'compare value',
      { function: 'ANY' },
      { condition: { operator: 'nodata' }, window: { duration: 'PT1M' } },
    ],
    ['compare value', { function: 'ANY' }, { condition: { all: [hot] } }],
    ['write LAST', { function: 'ANY' }, { window: { mode: 'MEAN', duration: 'PT1M' } }],
    ['never > 100', { function: 'COUNT' }, { condition: { ...hot, threshold: 100 } }],
    ['never < 1', { function: 'COUNT' }, { condition: { ...hot, operator: '<', threshold: 1 } }],
    [
      'write ALL of the opposite',
      { function: 'NONE' },
      { recovery: { operator: '<', threshold: 60 } },
    ],
  ])('is refused, 400: %s', async (why, aggregate, content) => {
    const { status, body } = await session.post(`${DATA}/rule/add`, of.ruleOf(aggregate, content));
    expect(status).toBe(400);
    expect(body.message).toContain(why);
  });

  it('is refused for every point, and for one device of its preview', async () => {
    const every = { ...of.ruleOf({ function: 'ANY' }), entityId: '0' };
    expect((await session.post(`${DATA}/rule/add`, every)).status).toBe(400);
    const asked = { pointId: of.plant.temperature, deviceId: of.doors[0] };
    const { ruleExt } = every;
    const tried = await session.post(`${DATA}/rule/preview`, { ...asked, ruleExt });
    expect(tried.status).toBe(400);
    expect(tried.body.message).toContain('judges its devices together');
  });
});
