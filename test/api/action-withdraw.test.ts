import { describe, expect, it } from 'vitest';

import { withdraw } from '../../src/agentic/decision/withdraw.ts';
import { ACTIONS, actionsIn, LIFE_MS } from '../support/people/actions.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from '../tools/agent.ts';

const world = startedWorld();
const session = prepared(() => world.admin);
const actions = prepared(() => actionsIn(world, session));

const proposed = async () => (await actions.proposeIn(await actions.site())).actionId;
const agent = () => agentIn(session);

describe('withdrawing an action', () => {
  it('ends an own proposal: it cannot be confirmed any more, and says so', async () => {
    const actionId = await proposed();
    const answer = await toolNamed('withdrawAction').run(world.app, agent(), {
      actionId,
      reason: 'wrong boiler',
    });
    expect(answer).toMatchObject({
      actionId,
      status: 'WITHDRAWN',
      done: false,
      say: expect.stringMatching(
        /was not set to 21 °C: withdrawn by its proposer “agent” .*saying “wrong boiler”\. Nothing was written\.$/,
      ),
    });
    expect((await actions.decide('confirm', actionId)).status).toBe(409);
    expect(await actions.commandsOf(actionId)).toEqual([]);
    expect((await actions.auditOf(actionId)).map(({ action }) => action)).toEqual([
      'action:propose',
      'action:withdraw',
    ]);
  });

  it('answers the same again', async () => {
    const actionId = await proposed();
    const first = await withdraw(world.app, agent(), { actionId, reason: '' });
    expect(await withdraw(world.app, agent(), { actionId, reason: '' })).toEqual(first);
  });

  it('over REST is for the principal that proposed it', async () => {
    const { deviceId, pointId } = await actions.site();
    const me = { ...agent(), principalId: '4711' };
    const { actionId } = await actions.proposeIn(
      { ...(await actions.site()), deviceId, pointId },
      '21',
      {},
      me,
    );
    const refused = await session.post(`${ACTIONS}/withdraw`, { action_id: actionId });
    expect(refused.status).toBe(403);
    expect(await actions.actionOf(actionId)).toMatchObject({ status: 'PENDING' });
    const own = await proposed();
    const taken = await session.post(`${ACTIONS}/withdraw`, { action_id: own, reason: 'no' });
    expect(taken).toMatchObject({ status: 200, body: { data: { status: 'WITHDRAWN' } } });
  });

  it('is 404 for another tenant, 403 without the permission to propose', async () => {
    const actionId = await proposed();
    const theirs = await world.tenant('elsewhere');
    expect((await theirs.post(`${ACTIONS}/withdraw`, { actionId })).status).toBe(404);
    const weak = { ...agent(), permissions: new Set(['svc-center-agentic:action:withdraw']) };
    await expect(withdraw(world.app, weak, { actionId, reason: '' })).rejects.toMatchObject({
      status: 403,
    });
  });

  it('is 409 once it is decided, 410 once it has expired', async () => {
    const rejected = await proposed();
    await actions.decide('reject', rejected);
    await expect(
      withdraw(world.app, agent(), { actionId: rejected, reason: '' }),
    ).rejects.toMatchObject({ status: 409 });
    const late = await proposed();
    world.clock.shift(LIFE_MS + 1);
    await expect(
      withdraw(world.app, agent(), { actionId: late, reason: '' }),
    ).rejects.toMatchObject({ status: 410 });
  });

  it('and confirming it at the same moment has one winner', async () => {
    const actionId = await proposed();
    const [taken, confirmed] = await Promise.allSettled([
      withdraw(world.app, agent(), { actionId, reason: '' }),
      actions.decide('confirm', actionId),
    ]);
    const isTaken = taken.status === 'fulfilled';
    const status = confirmed.status === 'fulfilled' ? confirmed.value.status : 0;
    expect(status).toBe(isTaken ? 409 : 200);
    expect(await actions.commandsOf(actionId)).toHaveLength(isTaken ? 0 : 1);
  });
});
