import { randomUUID } from 'node:crypto';

import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { Action, ACTIONS, actionsIn, LIFE_MS } from '../support/people/actions.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard, onboardVirtual, report } from '../tools/agent.ts';

const world = startedWorld();
const session = prepared(() => world.admin);
const other = prepared(() => world.tenant('other'));
const actions = prepared(() => actionsIn(world, session));
const virtual = prepared(() => onboardVirtual(world, 'plant'));

describe('a proposal', () => {
  it('is PENDING for ten minutes, with a frozen card and no command', async () => {
    const target = await actions.site();
    await report(world, session, target, [19.5]);
    const card = await actions.proposeIn(target, '21.50');
    expect(card).toMatchObject({
      status: 'PENDING',
      pendingConfirmation: true,
      deviceId: target.deviceId,
      pointId: target.pointId,
      unit: '°C',
      currentValue: '19.5',
      proposedValue: '21.5',
      limits: { min: 5, max: 30, verdict: 'WITHIN' },
      proposedVia: 'oauth',
      commandId: null,
      decidedBy: null,
    });
    expect(card.actionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(Date.parse(card.expiresAt) - Date.parse(card.createTime)).toBe(LIFE_MS);
    expect(card.summary).toContain('Not executed');
    expect(await actions.commandsOf(card.actionId)).toEqual([]);
    expect(await actions.auditOf(card.actionId)).toMatchObject([
      { action: 'action:propose', detailExt: { digest: card.digest, via: 'oauth' } },
    ]);
  });

  it('is the same action while it waits, also when it comes twice at the same moment', async () => {
    const target = await actions.site();
    const twice = await Promise.all([
      actions.proposeIn(target),
      actions.proposeIn(target),
      actions.proposeIn(target),
    ]);
    expect(new Set(twice.map(({ actionId }) => actionId)).size).toBe(1);
    expect((await actions.proposeIn(target, '21.0')).actionId).toBe(twice[0]?.actionId);
    expect((await actions.proposeIn(target, '22')).actionId).not.toBe(twice[0]?.actionId);
  });

  it('is the same action from whatever conversation or client it comes, and says so', async () => {
    const target = await actions.site();
    const first = await actions.proposeIn(target, '21', { conversationId: 'c-1' });
    const model = { ...agentIn(session), via: 'model', clientId: 'c-2' } as const;
    for (const again of [
      await actions.proposeIn(target, '21.0'),
      await actions.proposeIn(target, '21', { conversationId: 'c-3' }),
      await actions.proposeIn(target, '21', {}, model),
    ]) {
      expect(again.actionId).toBe(first.actionId);
      expect(again.repeated).toBe(true);
      expect(again.summary).toContain('proposed before');
    }
    expect(first.repeated).toBe(false);
    const answers = await Promise.all(
      [1, 2, 3].map(() => actions.decide('confirm', first.actionId)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await actions.commandsOf(first.actionId)).toHaveLength(1);
    expect((await actions.proposeIn(target, '21')).actionId).not.toBe(first.actionId);
  });

  it('names the value that waits for the same point, also of another principal', async () => {
    const target = await actions.site();
    const first = await actions.proposeIn(target, '21');
    expect(first.others).toEqual([]);
    const second = await actions.proposeIn(target, '22', {}, { ...agentIn(session), name: 'bob' });
    expect(second.others).toEqual([
      { kind: 'PROPOSED', id: first.actionId, value: '21', by: 'agent' },
    ]);
    expect(second.summary).toContain('Another proposal by “agent” for this point waits: 21 °C');
    const principalId = '778';
    const theirs = await actions.proposeIn(target, '21', {}, { ...agentIn(session), principalId });
    expect(theirs.actionId).not.toBe(first.actionId);
    expect(theirs.others.map(({ value }) => value)).toEqual(['21', '22']);
  });

  it('says how old the current value is, and that the point has the proposed one already', async () => {
    const target = await actions.site();
    const blind = await actions.proposeIn(target, '21');
    expect(blind).toMatchObject({ currentAge: 'never read' });
    await report(world, session, target, [21]);
    world.clock.shift(240_000);
    const card = await actions.proposeIn(target, '21.00');
    expect(card.actionId).toBe(blind.actionId);
    const seen = await actions.proposeIn(target, '22');
    expect(seen).toMatchObject({ currentValue: '21', currentAge: '4 min old' });
    expect(seen.summary).toContain('(now 21 °C, 4 min old)');
    expect(seen.summary).not.toContain('already');
    await actions.decide('reject', blind.actionId);
    const same = await actions.proposeIn(target, '21');
    expect(same.summary).toContain('The point has this value already');
  });

  it('is refused like the write it would become', async () => {
    const target = await actions.site();
    const theirs = await onboard(other, 'theirs');
    await expect(actions.proposeIn(target, '31')).rejects.toMatchObject({ status: 422 });
    await expect(actions.proposeIn(target, 'warm')).rejects.toMatchObject({ status: 422 });
    await expect(actions.proposeIn({ ...target, deviceId: theirs.deviceId })).rejects.toMatchObject(
      {
        status: 404,
        message: 'Device does not exist',
      },
    );
  });

  it('is limited to five that wait in a conversation and fifty of a principal', async () => {
    const target = await actions.site();
    const agent = { ...agentIn(session), principalId: '777' };
    const inTalk = (talk: number, value: number) =>
      actions.proposeIn(target, String(value), { conversationId: `talk-${talk}` }, agent);
    for (let talk = 0; talk < 10; talk += 1) {
      for (let count = 0; count < 5; count += 1) await inTalk(talk, 6 + talk + count / 10);
      if (talk === 0) await expect(inTalk(0, 25)).rejects.toMatchObject({ status: 429 });
    }
    await expect(inTalk(10, 25)).rejects.toMatchObject({ status: 429 });
  });
});

describe('200', () => {
  it('confirms: one command to the device, its receipt while waiting, verified', async () => {
    const card = await actions.proposeIn(virtual, '23');
    const { status, body } = await actions.decide('confirm', card.actionId, {
      digest: card.digest,
      comment: 'go ahead',
      wait_ms: 10_000,
    });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      actionId: card.actionId,
      status: 'EXECUTED',
      pendingConfirmation: false,
      comment: 'go ahead',
      decidedName: expect.any(String),
      command: { status: 'SUCCESS', verification: 'VERIFIED' },
      receipt: {
        status: 'SUCCESS',
        verification: 'VERIFIED',
        requestValue: '23',
        source: 'AGENTIC',
      },
    });
    const { commandId } = Action.parse(body.data);
    expect(await actions.commandsOf(card.actionId)).toMatchObject([
      { commandId, requestValue: '23' },
    ]);
    expect((await actions.auditOf(card.actionId)).map(({ action }) => action)).toEqual([
      'action:propose',
      'action:confirm',
    ]);
  });

  it('repeats the answer for the same decision, without a second command', async () => {
    const card = await actions.proposeIn(virtual, '24');
    const first = await actions.decide('confirm', card.actionId, { wait_ms: 10_000 });
    const again = await actions.decide('confirm', card.actionId, { wait_ms: 10_000 });
    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
    expect(await actions.commandsOf(card.actionId)).toHaveLength(1);
  });

  it('takes the id as query parameter and in camel case', async () => {
    const { actionId } = await actions.proposeIn(await actions.site());
    const rejected = await session.post(`${ACTIONS}/reject`, undefined, { action_id: actionId });
    expect(rejected.status).toBe(200);
    expect((await session.post(`${ACTIONS}/reject`, { actionId })).status).toBe(200);
  });

  it('rejects: no command, the reason kept', async () => {
    const card = await actions.proposeIn(await actions.site());
    const { status, body } = await actions.decide('reject', card.actionId, { reason: 'too warm' });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ status: 'REJECTED', comment: 'too warm', commandId: null });
    expect(await actions.decide('reject', card.actionId)).toMatchObject({ status, body });
    expect(await actions.commandsOf(card.actionId)).toEqual([]);
  });

  it('lists what waits, in the tenant or in one conversation', async () => {
    const card = await actions.proposeIn(await actions.site(), '20', { conversationId: 'listed' });
    const mine = await session.get(`${ACTIONS}/pending`, { conversation_id: 'listed' });
    const { repeated: _, ...waiting } = card;
    expect(mine.body.data).toEqual([waiting]);
    const all = z.array(Action).parse((await session.get(`${ACTIONS}/pending`)).body.data);
    expect(all.length).toBeLessThanOrEqual(100);
    const theirs = await other.get(`${ACTIONS}/pending`, { conversation_id: 'listed' });
    expect(theirs.body.data).toEqual([]);
    await actions.decide('reject', card.actionId);
    const left = await session.get(`${ACTIONS}/pending`, { conversation_id: 'listed' });
    expect(left.body.data).toEqual([]);
  });

  it('tells the truth of a command that found no driver', async () => {
    const card = await actions.proposeIn(await actions.site());
    const { body } = await actions.decide('confirm', card.actionId, { wait_ms: 5_000 });
    expect(body.data).toMatchObject({ status: 'FAILED', receipt: { status: 'FAILED' } });
    expect((await actions.actionOf(card.actionId)).status).toBe('FAILED');
  });

  it('makes one command of many confirmations at the same moment', async () => {
    const card = await actions.proposeIn(virtual, '25');
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => actions.decide('confirm', card.actionId)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const ids = answers.map(({ body }) => Action.parse(body.data).commandId);
    expect(new Set(ids).size).toBe(1);
    expect(await actions.commandsOf(card.actionId)).toHaveLength(1);
  });

  it('lets one of a confirmation and a rejection at the same moment win', async () => {
    const { actionId } = await actions.proposeIn(await actions.site());
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => actions.decide(n % 2 ? 'confirm' : 'reject', actionId)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const { status } = await actions.actionOf(actionId);
    expect(await actions.commandsOf(actionId)).toHaveLength(status === 'REJECTED' ? 0 : 1);
  });
});

describe('400', () => {
  it.each([
    {},
    { action_id: 'x' },
    { action_id: 7 },
    { action_id: randomUUID(), wait_ms: 60_000 },
    { action_id: randomUUID(), comment: 'a\0' },
  ])('refuses %j', async (body) => {
    expect((await session.post(`${ACTIONS}/confirm`, body)).status).toBe(400);
  });
});
