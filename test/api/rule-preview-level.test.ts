import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { scanHeld } from '../../src/alarm/watch/held.ts';
import { onboardQuiet, type Plant } from '../support/devices/plant.ts';
import { Id } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data';
const MINUTE = 60_000;

const Episode = z.object({ from: z.string(), to: z.string().nullable(), level: z.string() });
const Found = z.object({ count: z.number(), episodes: z.array(Episode) });
const Preview = Found.extend({ stored: Found });

const HOT = { condition: { field: 'value', operator: '>', threshold: 90 } };

const world = startedWorld();

describe('a preview of a rule', () => {
  let plant: Plant;
  let seq = 0;
  beforeEach(async () => {
    plant = await onboardQuiet(world, world.admin);
  });

  /** A temperature that is measured so many minutes after the last. */
  const measure = async (minutes: number, calValue: string): Promise<void> => {
    world.clock.shift(minutes * MINUTE);
    const { deviceId, driverId, temperature: pointId } = plant;
    const value = { deviceId, pointId, rawValue: calValue, calValue, numValue: Number(calValue) };
    const values = [
      { ...value, originTime: world.clock.now(), seq: (seq += 1), quality: 0 as const },
    ];
    const from = { tenantId: world.admin.tenantId, driverCode: 'VirtualDriver', node: 'test' };
    await world.bus.handled('svc.e.value', { ...from, driverId, values }, 'VirtualDriver');
  };
  const rule = async (content: object): Promise<string> =>
    Id.parse(
      await world.admin.data(`${DATA}/rule/add`, {
        ruleName: fresh('tried'),
        alarmTargetTypeFlag: 'POINT',
        entityId: plant.temperature,
        ruleExt: { content },
      }),
    );
  /** What it would have raised, and what the rule did raise; oldest first. */
  const tried = async (content: object, ruleId: string) => {
    const asked = { pointId: plant.temperature, ruleExt: { content }, ruleId };
    const { stored, ...found } = Preview.parse(
      await world.admin.data(`${DATA}/rule/preview`, asked),
    );
    return { would: found.episodes.toReversed(), did: stored.episodes.toReversed() };
  };

  it('with a hold time is what the scan raises where nothing comes', async () => {
    const content = { ...HOT, window: { duration: 'PT5M' } };
    const ruleId = await rule(content);
    await measure(0, '99');
    world.clock.shift(5 * MINUTE);
    await scanHeld(world.app, 'value');
    await measure(55, '20');
    const { would, did } = await tried(content, ruleId);
    expect(would).toHaveLength(1);
    expect(would).toEqual(did);
  });

  it('says the level that each alarm would have had', async () => {
    const content = { ...HOT, severity: 'P2', levels: [{ severity: 'P0', threshold: 96 }] };
    const ruleId = await rule(content);
    for (const value of ['91', '97.5', '85', '93', '60', '98', '92', '50']) await measure(1, value);
    const { would, did } = await tried(content, ruleId);
    expect(would.map(({ level }) => level)).toEqual(['P0', 'P2', 'P0']);
    // The level of an alarm falls with its value.
    expect(did.map(({ level }) => level)).toEqual(['P0', 'P2', 'P2']);
  });
});
