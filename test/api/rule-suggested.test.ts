import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { addTo } from '../support/devices/notify.ts';
import { onboardQuiet } from '../support/devices/plant.ts';
import { startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data';
const MINUTE = 60_000;
const LIMIT = 90;

const Preview = z.object({
  count: z.number(),
  worst: z.object({ count: z.number(), at: z.string().nullable() }),
  suggested: z.object({
    hold: z.object({ duration: z.string(), count: z.number() }).nullable(),
    recovery: z
      .object({ operator: z.string(), threshold: z.number(), count: z.number() })
      .nullable(),
  }),
});

const world = startedWorld();

/** A tenant whose temperature had these values, one a minute, until now. */
async function measured(name: string, values: readonly number[]) {
  const session = await world.tenant(name);
  const plant = await onboardQuiet(world, session);
  const { deviceId, temperature: pointId } = plant;
  const begin = world.clock.now() - values.length * MINUTE;
  await session.data(`${DATA}/point_value/import`, {
    values: values.map((value, at) => ({
      deviceId,
      pointId,
      value: String(value),
      createTime: new Date(begin + at * MINUTE).toISOString(),
    })),
  });
  const tried = async (content: object) =>
    Preview.parse(
      await session.data(`${DATA}/rule/preview`, { pointId, deviceId, ruleExt: { content } }),
    );
  return { session, plant, begin, tried };
}

const repeated = (count: number, ...values: number[]): number[] =>
  Array.from({ length: count }, () => values).flat();
const above = { field: 'value', operator: '>', threshold: LIMIT };

/** Flutters around the limit, is hot for half an hour, and cools down. */
const FLUTTER = [
  ...repeated(20, 80),
  ...repeated(12, 91, 89.5),
  ...repeated(10, 80),
  ...repeated(30, 95),
  ...repeated(20, 70),
];

describe('a preview of a rule that chatters', () => {
  it('suggests a hold time and a recovery, of which each leaves as many alarms as it says', async () => {
    const { tried, begin } = await measured('flutter', FLUTTER);
    const { count, worst, suggested } = await tried({ condition: above });
    expect(count).toBe(13);
    // 20 values are before; within ten minutes an alarm begins at five of them.
    expect(worst).toEqual({ count: 5, at: new Date(begin + 20 * MINUTE).toISOString() });
    expect(suggested).toEqual({
      hold: { duration: 'PT1M', count: 1 },
      recovery: { operator: '<=', threshold: 89, count: 2 },
    });
    const held = { condition: above, window: { mode: 'LAST', duration: 'PT1M' } };
    expect(await tried(held)).toMatchObject({
      count: 1,
      suggested: { hold: null, recovery: null },
    });
    const recovery = { operator: '<=', threshold: 89 };
    expect(await tried({ condition: above, recovery })).toMatchObject({ count: 2 });
  });

  const below = { field: 'value', operator: '<', threshold: LIMIT };
  it.each<[string, object]>([
    ['a limit', { condition: above }],
    ['a limit below', { condition: below }],
    ['a hold time', { condition: above, window: { mode: 'LAST', duration: 'PT2M' } }],
    ['a recovery', { condition: above, recovery: { operator: '<', threshold: 89 } }],
    ['a mean', { condition: above, window: { mode: 'MEAN', duration: 'PT5M', hold: 'PT1M' } }],
    ['a range', { condition: { field: 'value', operator: 'outside', low: 88, high: 92 } }],
    ['a formula', { condition: { formula: 'value * 2', operator: '>=', threshold: 2 * LIMIT } }],
  ])('says of %s what the suggestion leaves, whatever the values are', async (what, content) => {
    let seed = what.length;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    let value = LIMIT;
    const values = Array.from({ length: 900 }, () => {
      value += (LIMIT - value) / 20 + (random() - 0.5) * 6;
      return Number(value.toFixed(1));
    });
    const { tried } = await measured(`random-${what.replaceAll(' ', '-')}`, values);
    const given = z
      .looseObject({ window: z.looseObject({}).optional(), condition: z.looseObject({}) })
      .parse(content);
    const { count, suggested } = await tried(given);
    expect(count).toBeGreaterThan(10);
    const { hold, recovery } = suggested;
    expect(hold).not.toBeNull();
    const { mode = 'LAST' } = given.window ?? {};
    const window =
      mode === 'LAST'
        ? { mode, duration: hold?.duration }
        : { ...given.window, hold: hold?.duration };
    expect((await tried({ ...given, window })).count).toBe(hold?.count);
    expect(hold?.count).toBeLessThanOrEqual(count / 2);
    if (recovery === null) return;
    const { operator, threshold } = recovery;
    expect((await tried({ ...given, recovery: { operator, threshold } })).count).toBe(
      recovery.count,
    );
    expect(recovery.count).toBeLessThanOrEqual(count / 2);
  });

  it('keeps the distance of a recovery at a device that has a limit of its own', async () => {
    const { session, plant, tried } = await measured('own-limit', FLUTTER);
    const attribute = { attributeName: 'limit', attributeCode: 'own-limit' };
    const attributeId = await addTo(session, '../manager/driver_attribute', {
      ...attribute,
      attributeTypeFlag: 'DOUBLE',
      driverId: plant.driverId,
    });
    const { deviceId } = plant;
    const config = { attributeId, deviceId, configValue: String(LIMIT) };
    await addTo(session, '../manager/driver_attribute_config', config);
    const condition = { ...above, threshold: 70, attribute: 'own-limit' };
    const { count, suggested } = await tried({ condition });
    expect(count).toBe(13);
    expect(suggested.recovery).toEqual({ operator: '<=', threshold: 69, count: 2 });
    const recovery = { operator: '<=', threshold: 69 };
    expect((await tried({ condition, recovery })).count).toBe(2);
  });

  it('suggests nothing where few alarms are raised, or where it cannot be said', async () => {
    const { tried } = await measured('steady', FLUTTER);
    const nothing = { hold: null, recovery: null };
    const higher = { ...above, threshold: 94 };
    expect((await tried({ condition: higher })).suggested).toEqual(nothing);
    const lasting = { operator: '<', threshold: LIMIT, duration: 'PT10S' };
    const { count, suggested } = await tried({ condition: above, recovery: lasting });
    expect(count).toBeGreaterThan(3);
    expect(suggested).toEqual(nothing);
    const silence = { condition: { operator: 'nodata' }, window: { duration: 'PT30S' } };
    expect((await tried(silence)).suggested).toEqual(nothing);
    const quiet = await tried({ condition: { ...above, threshold: 200 } });
    expect(quiet).toMatchObject({ worst: { count: 0, at: null }, suggested: nothing });
  });
});
