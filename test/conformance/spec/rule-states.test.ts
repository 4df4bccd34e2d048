import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { evaluate } from '../../../src/alarm/rule/evaluate.ts';
import { onboardQuiet } from '../../support/devices/plant.ts';
import { fresh } from '../../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../../support/world/prepared.ts';

const DATA = '/api/v3/data';
const MINUTE = 60_000;
const States = z.object({
  records: z.array(
    z.looseObject({ entityStateFlag: z.number(), triggerCount: z.string(), alarmId: z.string() }),
  ),
});
const NAMES = ['pending', 'firing', 'recovered', 'closed'];

/** What happens to a rule that wants more than 90 for two minutes: a value each minute, or a person. */
type Event = 'high' | 'low' | 'confirm';

/** docs/specification/alarms.md, States of a rule. */
const table: readonly [from: string, path: readonly Event[], event: Event, to: string][] = [
  ['none', [], 'low', 'none'],
  ['none', [], 'high', 'pending'],
  ['pending', ['high'], 'high', 'pending'],
  ['pending', ['high'], 'low', 'closed'],
  ['pending', ['high', 'high'], 'high', 'firing'],
  ['firing', ['high', 'high', 'high'], 'high', 'firing'],
  ['firing', ['high', 'high', 'high'], 'low', 'recovered'],
  ['firing', ['high', 'high', 'high'], 'confirm', 'firing'],
  ['firing', ['high', 'high', 'high', 'confirm'], 'low', 'closed'],
  ['recovered', ['high', 'high', 'high', 'low'], 'low', 'recovered'],
  ['recovered', ['high', 'high', 'high', 'low'], 'high', 'pending'],
  ['recovered', ['high', 'high', 'high', 'low'], 'confirm', 'closed'],
  ['closed', ['high', 'low'], 'low', 'closed'],
  ['closed', ['high', 'low'], 'high', 'pending'],
];

describe('the state of a rule on an entity', () => {
  const world = startedWorld();
  const plant = prepared(() => onboardQuiet(world, world.admin));

  const ruleOf = async (): Promise<string> => {
    const condition = { field: 'value', operator: '>', threshold: 90 };
    const content = { condition, window: { duration: 'PT2M' } };
    return z.string().parse(
      await world.admin.data(`${DATA}/rule/add`, {
        ruleName: fresh('two minutes'),
        alarmTargetTypeFlag: 'POINT',
        entityId: plant.temperature,
        ruleExt: { content },
      }),
    );
  };
  const stateOf = async (ruleId: string) =>
    States.parse(await world.admin.data(`${DATA}/rule/state/list`, { ruleId })).records[0];
  const nameOf = async (ruleId: string) => {
    const state = await stateOf(ruleId);
    return state ? NAMES[state.entityStateFlag] : 'none';
  };

  const happen = async (ruleId: string, event: Event, minute: number): Promise<void> => {
    if (event === 'confirm') {
      const id = (await stateOf(ruleId))?.alarmId;
      await world.admin.data(`${DATA}/dashboard/alert/confirm`, { source: 'point', id });
      return;
    }
    const { deviceId, driverId, temperature: pointId } = plant;
    const values = { value: event === 'high' ? '95' : '10' };
    const at = world.clock.now() - 60 * MINUTE + minute * MINUTE;
    await evaluate(world.app, world.admin.tenantId, 'POINT', [
      { entityId: pointId, deviceId, driverId, pointId, values, at },
    ]);
  };

  it.each(table)('%s after %j, then %s: %s', async (from, path, event, to) => {
    const ruleId = await ruleOf();
    for (const [minute, earlier] of path.entries()) await happen(ruleId, earlier, minute);
    expect(await nameOf(ruleId)).toBe(from);
    await happen(ruleId, event, path.length);
    expect(await nameOf(ruleId)).toBe(to);
    await world.admin.data(`${DATA}/rule/delete`, { id: ruleId });
  });
});
