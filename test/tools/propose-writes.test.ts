import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { confirm } from '../../src/agentic/decision/decision.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard, onboardVirtual, type Site, toolNamed } from './agent.ts';

const Answer = z.looseObject({
  actionId: z.string(),
  status: z.string(),
  say: z.string(),
  writes: z.array(z.looseObject({ pointName: z.string() })),
});

const world = startedWorld();
const boiler = prepared(() => onboardVirtual(world, 'boiler'));
const pump = prepared(() => onboardVirtual(world, 'pump'));

const call = (name: string, input: unknown) =>
  toolNamed(name).run(world.app, agentIn(world.admin), input);
const propose = async (writes: readonly object[], more: object = {}) =>
  Answer.parse(await call('proposeWrites', { writes, ...more }));
const idsOf = ({ deviceId, pointId }: Site) => ({ deviceId, pointId });

describe('proposeWrites', () => {
  it('says a whole sentence, whatever else waits for the same points', async () => {
    const names = ['north', 'south'].map((name) => `${name} ${'x'.repeat(24)}`);
    const sites = await Promise.all(names.map((name) => onboardVirtual(world, name)));
    const writes = (value: number) => sites.map((site) => ({ ...idsOf(site), value }));
    for (let value = 10; value < 15; value += 1) await propose(writes(value));
    const answer = await propose(writes(15));
    expect(answer.say).toMatch(/ \d+ more notes are on the card\.$/);
    const texts = toolNamed('proposeWrites').untrusted?.texts(answer) ?? [];
    expect(texts.filter(({ isFree }) => isFree)).toEqual([]);
  });

  it('proposes all as one, by names, and writes nothing', async () => {
    const answer = await propose(
      [
        { pointId: 'Boiler set-point', value: 21 },
        { deviceId: 'pump device', pointId: 'set-point', value: '22.0' },
      ],
      { reason: 'warm start' },
    );
    expect(answer).toMatchObject({
      pendingConfirmation: true,
      status: 'PENDING',
      writes: [
        {
          deviceName: 'boiler device',
          pointName: 'boiler set-point',
          unit: '°C',
          currentValue: '20',
          proposedValue: '21',
          limits: { min: 5, max: 30 },
        },
        { deviceName: 'pump device', proposedValue: '22' },
      ],
      done: false,
      reviewUrl: `${world.app.config.baseUrl}/console/review/${answer.actionId}`,
    });
    // Nothing of a write that is not made: no empty field, no outcome.
    expect(answer.writes[0]).not.toHaveProperty('status');
    expect(countTokens(JSON.stringify(answer))).toBeLessThanOrEqual(600);
    const commands = await call('searchCommands', { deviceId: boiler.deviceId });
    expect(JSON.stringify(commands)).not.toContain('WRITE');
    await call('withdrawAction', { actionId: answer.actionId });
  });

  it('says how each write ended where the proposal is looked up', async () => {
    const { nextCursor: cursor } = await call('waitForEvents', {});
    const { actionId } = await propose([
      { ...idsOf(boiler), value: 23 },
      { ...idsOf(pump), value: 23 },
    ]);
    const news = { cursor, deviceId: pump.deviceId, kinds: ['action'], waitS: 0 };
    expect(await call('waitForEvents', news)).toMatchObject({
      events: [{ what: 'PROPOSED', actionId, say: expect.stringContaining('2. “pump set-point”') }],
    });
    const human = { ...agentIn(world.admin), via: 'login', principalType: 'USER' } as const;
    const { digest } = z
      .object({ digest: z.string() })
      .parse(
        (await world.admin.get('/api/v3/agentic/action/get', { action_id: actionId })).body.data,
      );
    await confirm(world.app, human, { actionId, digest, comment: '', waitMs: 15_000 });
    const ended = await call('lookupActionById', { actionId });
    expect(ended).toMatchObject({
      status: 'EXECUTED',
      done: true,
      writes: [
        {
          pointName: 'boiler set-point',
          proposedValue: '23',
          status: 'EXECUTED',
          say: expect.stringContaining('became 23 °C'),
          commandId: expect.any(String),
        },
        { pointName: 'pump set-point', status: 'EXECUTED' },
      ],
    });
    const found = await call('searchActions', { deviceId: pump.deviceId, status: 'EXECUTED' });
    expect(found['records']).toMatchObject([{ actionId, say: ended['say'] }]);
    const changes = await call('searchChanges', { deviceId: pump.deviceId, kind: 'proposed' });
    const [line] = z.array(z.looseObject({})).parse(changes['records']);
    expect(line).toMatchObject({
      actionId,
      what: 'propose 2 writes: “boiler device” · “boiler set-point” → 23 °C; “pump device” · “pump set-point” → 23 °C',
    });
    expect(line).not.toHaveProperty('to');
    const written = await call('searchChanges', { deviceId: pump.deviceId, kind: 'written' });
    expect(written['records']).toMatchObject([{ actionId, to: '23', result: 'EXECUTED' }]);
  });

  it('names the write that cannot be, with its limits or what is near', async () => {
    const good = { ...idsOf(boiler), value: 21 };
    await expect(propose([good, { ...idsOf(pump), value: 31 }])).rejects.toThrow(
      'Write 2 of 2: The value 31 °C is out of limits: “pump set-point” takes 5 °C to 30 °C',
    );
    await expect(propose([good, { pointId: 'turbine speed', value: 21 }])).rejects.toThrow(
      /^Write 2 of 2: A point “turbine speed” does not exist; searchPoints lists/,
    );
    await expect(propose([good, good])).rejects.toThrow('same point as write 1');
  });

  it('answers for a foreign device exactly as for a missing one', async () => {
    const theirs = await onboard(await world.tenant('other'), 'theirs');
    const good = { ...idsOf(boiler), value: 21 };
    const messages = await Promise.all(
      [theirs.deviceId, '999999999'].map((deviceId) =>
        propose([good, { deviceId, pointId: theirs.pointId, value: 21 }]).catch(String),
      ),
    );
    expect(messages[0]).toContain('Write 2 of 2: Device does not exist; searchDevices lists');
    expect(messages[0]).toBe(messages[1]);
  });

  it.each([
    ['none', []],
    ['one', [{}]],
    ['21', Array.from({ length: 21 }, () => ({}))],
    ['an unknown key in', [{}, { confirm: true }]],
  ])('refuses %s of them', async (_, more) => {
    const writes = more.map((one) => ({ ...idsOf(boiler), value: 21, ...one }));
    await expect(propose(writes)).rejects.toThrow(z.ZodError);
  });
});
