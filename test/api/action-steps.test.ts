import { randomUUID } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { LIFE_MS } from '../support/people/actions.ts';
import { statusesOf, stepsIn, type To } from '../support/people/steps.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { toolNamed } from '../tools/agent.ts';
import { agentIn, onboard, report } from '../tools/agent.ts';

const world = startedWorld();
const session = prepared(() => world.admin);
const other = prepared(() => world.tenant('other'));
const steps = prepared(() => stepsIn(world, session));
const sites = prepared(
  async () =>
    [
      await onboard(session, 'boiler'),
      await onboard(session, 'pump'),
      await onboard(session, 'valve'),
    ] as const,
);

const toAll = (...values: [string, string, string]): To[] =>
  sites.map((site, index) => [site, values[index] ?? '']);
const rejected = ({ actionId }: { actionId: string }) => steps.decide('reject', actionId);

describe('a proposal of several writes', () => {
  it('is one card with every write, and no command', async () => {
    await report(world, session, sites[1], [20]);
    const card = await steps.proposing(toAll('21', '22.50', '23'), { reason: 'warm start' });
    expect(card).toMatchObject({
      status: 'PENDING',
      actionType: 'proposeWrites',
      digestRequired: true,
      reason: 'warm start',
      commandId: null,
      steps: [
        { pointName: 'boiler set-point', proposedValue: '21', status: 'WAITING' },
        {
          pointName: 'pump set-point',
          unit: '°C',
          currentValue: '20',
          proposedValue: '22.5',
          limits: { min: 5, max: 30, verdict: 'WITHIN' },
          commandId: null,
        },
        { pointName: 'valve set-point', proposedValue: '23', status: 'WAITING' },
      ],
    });
    expect(card.say).toContain('3 writes as one');
    expect(card.say).toContain('Not executed: all wait for a human');
    expect(card.say).toContain('2. “pump set-point” of “pump device” to 22.5 °C');
    expect(await steps.commandsOf(card.actionId)).toEqual([]);
    expect((await steps.proposing(toAll('21', '22.5', '23.0'))).actionId).toBe(card.actionId);
    const turned = await steps.proposing(toAll('21', '22.5', '23').toReversed());
    expect(turned.actionId).not.toBe(card.actionId);
    const [boiler] = sites;
    const single = await steps.proposeIn(boiler, '21');
    expect(single.actionId).not.toBe(card.actionId);
    for (const one of [card, turned, single]) await rejected(one);
  });

  it('names the write that is refused, with its limits', async () => {
    await expect(steps.proposing(toAll('21', '99', '23'))).rejects.toMatchObject({
      status: 422,
      message:
        'Write 2 of 3: The value 99 °C is out of limits: “pump set-point” takes 5 °C to 30 °C',
      detail: { write: 2, maxValue: 30 },
    });
  });

  it('stays within the tenant', async () => {
    const theirs = await onboard(other, 'theirs');
    await expect(
      steps.proposing([...toAll('21', '22', '23'), [theirs, '20']]),
    ).rejects.toMatchObject({ status: 404, message: 'Write 4 of 4: Device does not exist' });
    const card = await steps.proposing(toAll('21', '22', '23'));
    for (const verb of ['confirm', 'reject'] as const) {
      const { digest } = card;
      expect((await steps.decide(verb, card.actionId, { digest }, other)).status).toBe(404);
    }
    await rejected(card);
  });

  it('goes to each point once, and ends with a point that cannot be read back', async () => {
    const [boiler] = sites;
    await expect(
      steps.proposing([...toAll('21', '22', '23'), [boiler, '24']]),
    ).rejects.toMatchObject({
      status: 422,
      message: 'Write 4 of 4: it goes to the same point as write 1',
    });
    const blind = await steps.site();
    const { pointId: id } = blind;
    await session.data('/api/v3/manager/point/update', { id, rwFlag: 'WRITE_ONLY' });
    await expect(
      steps.proposing([
        [blind, '20'],
        [boiler, '21'],
      ]),
    ).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('Write 1 of 2: “s1 set-point” cannot be read back'),
    });
    await rejected(
      await steps.proposing([
        [boiler, '21'],
        [blind, '20'],
      ]),
    );
  });

  it('is the same action by its idempotencyKey, and refused with another order', async () => {
    const idempotencyKey = randomUUID();
    const first = await steps.proposing(toAll('11', '12', '13'), { idempotencyKey });
    await rejected(first);
    const again = await steps.proposing(toAll('11', '12', '13'), { idempotencyKey });
    expect(again).toMatchObject({ actionId: first.actionId, repeated: true, status: 'REJECTED' });
    const turned = toAll('11', '12', '13').toReversed();
    await expect(steps.proposing(turned, { idempotencyKey })).rejects.toMatchObject({
      status: 409,
    });
  });

  it('is named on the card of each of its points, and says what was rejected before', async () => {
    const [, pump, valve] = sites;
    const card = await steps.proposing(toAll('14', '15', '16'));
    const single = await steps.proposeIn(pump, '17');
    expect(single.others).toEqual([
      { kind: 'PROPOSED', id: card.actionId, value: '15', by: 'agent' },
    ]);
    await rejected(single);
    await steps.decide('reject', card.actionId, { reason: 'too cold' });
    const again = await steps.proposeIn(valve, '16');
    expect(again.rejectedBefore).toMatchObject({ why: 'too cold' });
    await rejected(again);
  });
});

describe('confirming several writes', () => {
  it('takes the digest of the card', async () => {
    const card = await steps.proposing(toAll('21', '22', '23'));
    for (const more of [{}, { digest: 'no' }])
      expect((await steps.decide('confirm', card.actionId, more)).status).toBe(412);
    expect(await steps.commandsOf(card.actionId)).toEqual([]);
    await rejected(card);
  });

  it.each([
    ['its value has moved', () => report(world, session, sites[1], [25]), 'value moved'],
    [
      'its scaling changed',
      () => session.data('/api/v3/manager/point/update', { id: sites[1].pointId, multiple: 0.5 }),
      'multiple changed',
    ],
  ])('shows a fresh card where one is not the same any more: %s', async (_, change, words) => {
    const card = await steps.proposing(toAll('21', '22', '23'));
    world.clock.shift(1_000);
    await change();
    const { status, body } = await steps.confirming(card);
    expect(status).toBe(412);
    expect(body.data).toMatchObject({
      changes: [expect.stringMatching(`^write 2: .*${words}`)],
      card: { status: 'PENDING', steps: [{}, { status: 'WAITING' }, {}] },
    });
    expect((await steps.confirming(card)).status).toBe(412);
    expect(await steps.commandsOf(card.actionId)).toEqual([]);
    await rejected(card);
  });
});

describe('several writes that are not confirmed', () => {
  const words = /^3 writes as one were not made: .*Nothing was written\. 1\. /;

  it('are none of them made: rejected', async () => {
    const card = await steps.proposing(toAll('21', '22', '23'));
    await steps.decide('reject', card.actionId, { reason: 'not now' });
    const view = await steps.viewOf(card.actionId);
    expect(view).toMatchObject({ status: 'REJECTED', done: false });
    expect(view.say).toMatch(words);
    expect(view.say).toContain('saying “not now”');
    expect(statusesOf(view)).toEqual(['NOT_SENT', 'NOT_SENT', 'NOT_SENT']);
    expect((await steps.confirming(card)).status).toBe(409);
    expect(await steps.commandsOf(card.actionId)).toEqual([]);
  });

  it('are none of them made: withdrawn', async () => {
    const card = await steps.proposing(toAll('21', '22', '23'));
    const { actionId } = card;
    await toolNamed('withdrawAction').run(world.app, agentIn(session), { actionId });
    const view = await steps.viewOf(actionId);
    expect(view.status).toBe('WITHDRAWN');
    expect(view.say).toMatch(words);
    expect((await steps.confirming(card)).status).toBe(409);
    expect(await steps.commandsOf(actionId)).toEqual([]);
  });

  // Last: it moves the clock past every other action.
  it('are none of them made: expired', async () => {
    const card = await steps.proposing(toAll('21', '22', '23'));
    world.clock.shift(LIFE_MS);
    expect((await steps.confirming(card)).status).toBe(410);
    const view = await steps.viewOf(card.actionId);
    expect(view.status).toBe('EXPIRED');
    expect(view.say).toMatch(words);
    expect(await steps.commandsOf(card.actionId)).toEqual([]);
  });
});
