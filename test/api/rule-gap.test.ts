import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { scanHeld } from '../../src/alarm/watch/held.ts';
import { onboardQuiet, type Plant } from '../support/devices/plant.ts';
import type { Session } from '../support/people/session.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data';
const MINUTE = 60_000;
const NAMES = ['PENDING', 'FIRING', 'RECOVERED', 'CLOSED'];

const world = startedWorld();
let session: Session;
let plant: Plant;
let seq = 0;
beforeEach(async () => {
  session = await world.tenant(fresh('gap'));
  plant = await onboardQuiet(world, session);
});

const hot = { field: 'value', operator: '>', threshold: 90 };
const given = (content: object) => ({
  ruleName: fresh('rule'),
  alarmTargetTypeFlag: 'POINT',
  entityId: plant.temperature,
  ruleExt: { content: { condition: hot, ...content } },
});
const rule = async (content: object): Promise<string> =>
  z.string().parse(await session.data(`${DATA}/rule/add`, given(content)));
/** A value comes after so many minutes. */
const after = async (
  minutes: number,
  value: number,
  pointId = plant.temperature,
): Promise<void> => {
  world.clock.shift(minutes * MINUTE);
  const { deviceId, driverId } = plant;
  const text = String(value);
  const own = { deviceId, pointId, rawValue: text, calValue: text, numValue: value };
  const values = [{ ...own, quality: 0 as const, seq: ++seq, originTime: world.clock.now() }];
  const driver = { tenantId: session.tenantId, driverId, driverCode: 'VirtualDriver' };
  await world.bus.handled('svc.e.value', { ...driver, node: 'test', values }, 'VirtualDriver');
};
const States = z.object({ records: z.array(z.object({ entityStateFlag: z.number() })) });
const stateOf = async (ruleId: string) => {
  await scanHeld(world.app, 'value');
  const { records } = States.parse(await session.data(`${DATA}/rule/state/list`, { ruleId }));
  return NAMES[records[0]?.entityStateFlag ?? 3];
};
const count = async (content: object): Promise<number> => {
  const { temperature: pointId, deviceId } = plant;
  const ruleExt = { content: { condition: hot, ...content } };
  const tried = await session.data(`${DATA}/rule/preview`, { pointId, deviceId, ruleExt });
  return z.object({ count: z.number() }).parse(tried).count;
};

const warnings = z.object({ warnings: z.array(z.string()) });
const warned = async (content: object) => {
  const read = await session.data(`${DATA}/rule/get_by_id`, undefined, { id: await rule(content) });
  const { temperature: pointId } = plant;
  const ruleExt = { content: { condition: hot, ...content } };
  const tried = await session.data(`${DATA}/rule/preview`, { pointId, ruleExt });
  return [read, tried].map((answer) => warnings.parse(answer).warnings);
};

describe('a time for which a condition must hold', () => {
  it('is warned of where values are farther apart: one is enough without a longest gap', async () => {
    const window = { mode: 'LAST', duration: 'PT10M' };
    for (const value of [70, 71, 70]) await after(15, value);
    expect(await warned({ window })).toEqual([['SPARSE'], ['SPARSE']]);
    for (const other of [
      { ...window, maxGap: 'PT3M' },
      { ...window, duration: 'PT20M' },
      undefined,
    ])
      expect(await warned({ window: other })).toEqual([[], []]);
    for (let more = 0; more < 20; more += 1) await after(1, 70);
    expect(await warned({ window })).toEqual([[], []]);
  });

  it('is warned of for several points where the values of each are farther apart', async () => {
    const window = { mode: 'LAST', duration: 'PT10M' };
    const set = { all: [hot, { point: 'target', operator: '<', threshold: 5 }] };
    const formula = { formula: 'value - target', operator: '>', threshold: 5 };
    const both = async () => [
      await warned({ condition: set, window }),
      await warned({ condition: formula, window }),
    ];
    for (const value of [70, 71, 70]) await after(15, value);
    // Of the other point it is not known.
    expect(await both()).toEqual([
      [[], []],
      [[], []],
    ]);
    for (const value of [20, 21]) await after(15, value, plant.target);
    const sparse = [['SPARSE'], ['SPARSE']];
    expect(await both()).toEqual([sparse, sparse]);
    expect(await warned({ condition: { all: [hot] }, window })).toEqual(sparse);
    for (let more = 0; more < 20; more += 1) await after(1, 20, plant.target);
    expect(await both()).toEqual([
      [[], []],
      [[], []],
    ]);
    expect(await warned({ condition: { all: [hot] }, window })).toEqual(sparse);
  });

  it('begins anew after a gap that is longer than its window says', async () => {
    const window = { mode: 'LAST', duration: 'PT10M', maxGap: 'PT3M' };
    const ruleId = await rule({ window });
    const any = await rule({ window: { ...window, maxGap: undefined } });
    await after(0, 95);
    await after(2, 95);
    // No value for a quarter of an hour, nor at the end of the time.
    world.clock.shift(9 * MINUTE);
    expect(await stateOf(ruleId)).toBe('PENDING');
    expect(await stateOf(any)).toBe('FIRING');
    await after(6, 96);
    expect(await stateOf(ruleId)).toBe('PENDING');
    for (let minute = 0; minute < 8; minute += 2) await after(2, 95);
    expect(await stateOf(ruleId)).toBe('PENDING');
    // The end of the time is within the gap that is allowed.
    world.clock.shift(2.5 * MINUTE);
    expect(await stateOf(ruleId)).toBe('FIRING');
    await after(1, 20);
    expect(await count({ window })).toBe(1);
  });

  it('is that of a recovery as well', async () => {
    const recovery = { operator: '<', threshold: 80, duration: 'PT10M' };
    const window = { mode: 'LAST', maxGap: 'PT3M' };
    const ruleId = await rule({ window, recovery });
    await after(0, 95);
    await after(1, 70);
    await after(11, 70);
    expect(await stateOf(ruleId)).toBe('FIRING');
    for (let minute = 0; minute < 8; minute += 2) await after(2, 70);
    world.clock.shift(2.5 * MINUTE);
    expect(await stateOf(ruleId)).toBe('RECOVERED');
    expect(await count({ window, recovery })).toBe(1);
  });

  it.each([
    ['nothing holds for a time', { window: { mode: 'LAST', maxGap: 'PT3M' } }],
    [
      'silence is looked for',
      { condition: { operator: 'nodata' }, window: { duration: 'PT9M', maxGap: 'PT3M' } },
    ],
  ])('is refused, 400, with a longest gap where %s', async (_what, content) => {
    const { status, body } = await session.post(`${DATA}/rule/add`, given(content));
    expect(status).toBe(400);
    expect(body.message).toContain('ruleExt.content.window.maxGap: ');
  });
});
