import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { markdownOf } from '../../src/agentic/action/card/words/markdown.ts';
import { byId } from '../../src/agentic/propose/action.ts';
import { fieldInZone, sentenceInZone } from '../../src/kernel/sentence/time-zone.ts';
import { resources } from '../../tools/resource/index.ts';
import { plantTimeIn } from '../../tools/shape/plant-time.ts';
import { Reported, Sentence } from '../../tools/shape/text.ts';
import { tasks } from '../../tools/task.ts';
import { onboard as onboardPlant } from '../support/devices/plant.ts';
import { actionsIn } from '../support/people/actions.ts';
import { happens } from '../support/runs/happenings.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from './agent.ts';

/** No summer time: the offset is the same on every day of the year. */
const ZONE = 'Asia/Kolkata';
const Proposed = z.looseObject({ actionId: z.string() });

const offsetsIn = (said: unknown): string[] => [
  ...new Set(
    Array.from(
      JSON.stringify(said).matchAll(
        /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)/g,
      ),
      ([, offset = '']) => offset,
    ),
  ),
];

describe('every time that an agent reads has the offset of the plant', () => {
  const world = startedWorld();
  const plant = prepared(() => onboardPlant(world.admin));
  const agent = () => ({ ...agentIn(world.admin), timezone: ZONE });
  const ask = (name: string, input: object = {}) => toolNamed(name).run(world.app, agent(), input);

  it('in proposals, receipts, lists, the handover, resources, tasks and questions', async () => {
    const { decide } = actionsIn(world, world.admin);
    const point = { deviceId: plant.deviceId, pointId: plant.target };
    const done = Proposed.parse(await ask('writePointValue', { ...point, value: 19 }));
    expect((await decide('confirm', done.actionId, { wait_ms: 10_000 })).status).toBe(200);
    const proposed = Proposed.parse(await ask('writePointValue', { ...point, value: 20 }));
    const { actionId } = proposed;
    const createTime = new Date(world.clock.now() - 86_400_000).toISOString();
    const values = [{ ...point, value: '18', createTime }];
    await world.admin.data('/api/v3/data/point_value/import', { values });
    const span = { from: createTime, to: createTime, reason: 'a trial' };
    await world.admin.data('/api/v3/data/point_value/delete', { ...point, ...span });
    await happens(world, { tenantId: world.admin.tenantId, message: 'It is too warm' });
    const answers = {
      proposed,
      receipt: await ask('lookupActionById', { actionId: done.actionId }),
      waiting: await ask('lookupActionById', { actionId }),
      latest: await ask('getLatestPointValue', point),
      commands: await ask('searchCommands', { kind: 'issued' }),
      handover: await ask('getHandover'),
      actions: await ask('searchActions'),
      alarms: await ask('searchAlarms'),
      changes: await ask('searchChanges'),
      device: await ask('lookupDeviceById', { deviceId: plant.deviceId }),
      task: await tasks
        .find(({ name }) => name === 'writePointValue')
        ?.get(world.app, agent(), actionId, () => true),
      repeated: await toolNamed('writePointValue').reply?.(
        world.app,
        agent(),
        { ...point, value: 21 },
        {
          has: () => true,
          takesTasks: false,
          answers: {},
          state: undefined,
          signal: AbortSignal.timeout(60_000),
          progress() {},
          log() {},
        },
      ),
      pending: await resources
        .find(({ uri }) => uri === 'svc://action/{actionId}')
        ?.read(world.app, agent(), { actionId }),
    };
    for (const [what, answer] of Object.entries(answers)) {
      const own = readByModel(answer);
      expect([what, offsetsIn(own)]).toEqual([what, offsetsIn(own).length > 0 ? ['+05:30'] : []]);
    }
    expect(offsetsIn(answers.proposed)).toEqual(['+05:30']);
    expect(offsetsIn(answers.receipt)).toEqual(['+05:30']);
    const log = JSON.stringify(answers.changes);
    expect(log).toMatch(/deletion “.+? · .+?”, \S+\+05:30 – \S+\+05:30/);
    expect(offsetsIn(answers.latest)).toEqual(['+05:30']);
    expect(offsetsIn(readByModel(answers.task))).toEqual(['+05:30']);
    const card = await byId(world.app, agent(), { actionId });
    const at = '2026-11-27T18:30:00+05:30';
    const block = markdownOf(card, { base: world.base, at, zone: ZONE });
    expect(offsetsIn(block)).toEqual(['+05:30']);
  });
});

/** Without what the program reads: the times of a task, and what it draws in the zone of the screen. */
const readByModel = (answer: unknown): unknown => {
  const {
    createdAt: _created,
    lastUpdatedAt: _updated,
    view: _view,
    ...rest
  } = z.looseObject({}).parse(answer);
  return rest;
};

describe('only what the platform writes is put into the zone', () => {
  const AT = '2026-11-27T13:00:00Z';
  const THERE = '2026-11-27T18:30:00+05:30';

  it.each([
    [`until ${AT}.`, `until ${THERE}.`],
    [`“until ${AT}” of “x” until ${AT}`, `“until ${AT}” of “x” until ${THERE}`],
    [`cut “until ${AT}`, `cut “until ${AT}`],
    ['no time', 'no time'],
  ])('in a sentence: %s', (sentence, expected) => {
    expect(sentenceInZone(sentence, ZONE)).toBe(expected);
  });

  it.each([
    [AT, THERE],
    [`${AT} or so`, `${AT} or so`],
    ['7', '7'],
  ])('in a field: %s', (field, expected) => expect(fieldInZone(field, ZONE)).toBe(expected));

  it('to the second, in UTC too, as sentences have it', () =>
    expect(fieldInZone('2026-11-27T13:00:00.706Z')).toBe(AT));

  it('not in what a device said', () => {
    const schema = z.object({
      at: z.string().nullable(),
      value: Reported(),
      say: Sentence.optional(),
      rows: z.array(z.tuple([Reported(), z.string()])),
      more: z.union([z.object({ to: z.string() }), z.null()]),
    });
    const said = { at: AT, value: AT, say: `At ${AT}`, rows: [[AT, AT]], more: { to: AT } };
    expect(plantTimeIn(schema)(said, ZONE)).toEqual({
      at: THERE,
      value: AT,
      say: `At ${THERE}`,
      rows: [[AT, THERE]],
      more: { to: THERE },
    });
    expect(plantTimeIn(schema)(said, undefined)).toEqual(said);
  });
});
