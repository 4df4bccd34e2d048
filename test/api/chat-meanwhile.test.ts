import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { call, say } from '../support/neighbours/model.ts';
import { ACTIONS } from '../support/people/actions.ts';
import { inTurn, results, startChatWorld } from '../support/people/chat-world.ts';
import { chat, chatAnswer, chatFrames, Chunk, question } from '../support/people/chat.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { onboard } from '../tools/agent.ts';

const AGENTIC = '/api/v3/agentic';

const chatWorld = started(startChatWorld);
const session = prepared(() => chatWorld.world.admin);

/** A turn whose model answers only when `meanwhile` has ended. */
async function turn(conversationId: string, meanwhile: () => Promise<unknown>): Promise<void> {
  const asked = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  chatWorld.answer(() => async (res) => {
    asked.resolve();
    await over.promise;
    await say('This took a while.')(res);
  });
  const answered = chat(session, 'take your time', { conversationId });
  await asked.promise;
  chatWorld.answer(() => say('Quickly.'));
  await meanwhile();
  over.resolve();
  expect((await answered).text).toBe('This took a while.');
}

const remove = (conversationId: string) =>
  session.data(`${AGENTIC}/session/delete`, { conversationId });
const Said = z.array(z.looseObject({ role: z.string(), content: z.string() }));
const said = async (conversationId: string) => {
  const { status, body } = await session.get(`${AGENTIC}/message/list`, {
    conversation_id: conversationId,
  });
  return status === 200 ? Said.parse(body.data).map(({ content }) => content) : status;
};

describe('a conversation that is deleted while the model answers', () => {
  it('stays deleted', async () => {
    await turn('deleted', () => remove('deleted'));
    expect(await said('deleted')).toEqual([]);
    const again = await chat(session, 'and now?', { conversationId: 'deleted' });
    expect(again.text).toBe('Quickly.');
    expect(await said('deleted')).toEqual(['and now?', 'Quickly.']);
  });

  it('leaves nothing in another of the same id that has begun by then', async () => {
    await turn('again', async () => {
      await remove('again');
      await chat(session, 'a new talk', { conversationId: 'again' });
    });
    expect(await said('again')).toEqual(['a new talk', 'Quickly.']);
  });
});

describe('a proposal that no longer waits when the answer ends', () => {
  const Proposed = z.looseObject({ actionId: z.string() });
  /** A turn whose model proposes a write; `meanwhile` follows before it goes on. */
  async function proposing(
    meanwhile: (actionId: string) => Promise<unknown>,
    words = 'So much for that.',
  ): Promise<void> {
    const { deviceId, pointId } = await onboard(session, fresh('while'));
    chatWorld.answer((sent) => async (res) => {
      if (inTurn(sent) === 0)
        return call(['writePointValue', { deviceId, pointId, value: 21 }])(res);
      const { actionId } = Proposed.parse(results(sent)[0]);
      const isFirst = results(sent).length === 1;
      const next = isFirst ? await meanwhile(actionId) : null;
      return next === 'withdraw'
        ? call(['withdrawAction', { actionId, reason: 'wrong' }])(res)
        : say(words)(res);
    });
  }
  const confirm = (actionId: string) => session.data(`${ACTIONS}/confirm`, { actionId });
  const withdrawn =
    /^So much for that\.\n\n> At \S+Z: .* was not set to 21 °C: withdrawn .*Nothing was written\./;
  const confirmed = /^So much for that\.\n\n> At \S+Z: .*confirmed by “admin”/;

  it.each([
    ['withdrawn by the model', async () => 'withdraw', 'WITHDRAWN', withdrawn],
    ['confirmed meanwhile', confirm, 'FAILED', confirmed],
  ])('is told as it is: %s', async (_, meanwhile, status, expected) => {
    await proposing(meanwhile);
    const { text, pending, events, conversationId } = await chat(session, 'set it to 21');
    expect(text).toMatch(expected);
    expect(pending).toEqual([]);
    const types = events.map(({ type }) => type);
    expect(types).not.toContain('action.pending');
    expect(events).toContainEqual(expect.objectContaining({ type: 'action.decided', status }));
    expect(events.at(-1)).toMatchObject({ type: 'turn.end', stop: 'answered' });
    expect(String(await said(conversationId))).toContain(text);
  });

  it('is told before the card of another that waits, streamed too', async () => {
    const { deviceId, pointId } = await onboard(session, fresh('while'));
    const write = (value: number) => ['writePointValue', { deviceId, pointId, value }] as const;
    chatWorld.answer((sent) => {
      const [first, , ended] = results(sent);
      if (first === undefined) return call(write(21), write(22));
      const { actionId } = Proposed.parse(first);
      return ended === undefined ? call(['withdrawAction', { actionId }]) : say('One is left.');
    });
    const { data } = await chatFrames(session, 'set it');
    const chunks = data.slice(0, -1).map((part) => Chunk.parse(JSON.parse(part)));
    const card = chunks.findIndex(({ x_svc }) => x_svc?.type === 'action.pending');
    const texts = chunks.map(({ choices }) => choices[0]?.delta.content ?? '');
    expect(chunks[card]?.x_svc?.card).toMatchObject({ proposedValue: '22' });
    expect(texts.slice(0, card).join('')).toMatch(/^One is left\.\n\n> At \S+Z: .*withdrawn .*\n$/);
    expect(
      texts
        .slice(card)
        .join('')
        .match(/Waiting for confirmation/g),
    ).toHaveLength(1);
    expect(chunks.at(-1)?.x_svc).toMatchObject({ type: 'turn.end', stop: 'pending' });
  });

  it('is told so in a response too', async () => {
    await proposing(async () => 'withdraw');
    const response = await fetch(`${session.base}${AGENTIC}/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...session.headers },
      body: JSON.stringify({ input: 'set it to 21' }),
    });
    expect(await response.json()).toMatchObject({
      output: [{ content: [{ text: expect.stringMatching(withdrawn) }] }],
      x_svc: { pending_actions: [] },
    });
  });

  it('is told once where the model claims that it was done', async () => {
    await proposing(async () => 'withdraw', 'Done: it was set to 21.');
    const { text } = await chat(session, 'set it to 21');
    expect(text).toMatch(/^Done: it was set to 21\.\n\n> At \S+Z: .*withdrawn/);
    expect(text.match(/> At /g)).toHaveLength(1);
  });
});

describe('a preference that is changed while the model answers', () => {
  it('holds from the next turn on', async () => {
    await chat(session, 'hello', { conversationId: 'changed', temperature: 1.5, max_tokens: 99 });
    await turn('changed', () =>
      session.data(`${AGENTIC}/session/update`, {
        conversationId: 'changed',
        sessionExt: { temperature: 0.2 },
      }),
    );
    await chat(session, 'hello', { conversationId: 'changed' });
    expect(chatWorld.model.requests.at(-1)).toMatchObject({ temperature: 0.2, max_tokens: 99 });
  });
});

describe('agents that are switched off while the model answers', () => {
  it('get nothing more in that answer either, and the reason in the next', async () => {
    const turnTo = (mode: string) => session.data('/api/v3/auth/mcp/switch/set', { mode });
    const heard: string[] = [];
    chatWorld.answer(() => async (res) => {
      await turnTo('OFF');
      chatWorld.answer((sent) => {
        heard.push(JSON.stringify(sent.messages.at(-1)));
        return say('It did not work.');
      });
      await call(['searchDevices', {}])(res);
    });
    const cut = await chatAnswer(session, question('what is there?'));
    expect(heard.join()).not.toContain('deviceName');
    expect(JSON.stringify([cut, heard])).toContain('Agents are switched off in this tenant');
    const refused = await chatAnswer(session, question('and now?'));
    expect(refused).toMatchObject({ status: 403 });
    expect(JSON.stringify(refused)).toContain('Agents are switched off in this tenant');
    await turnTo('ON');
  });
});

describe('an answer that broke off or said nothing', () => {
  it('is shown to the model as one that broke off, never as an empty message', async () => {
    chatWorld.answer(() => (res) => void res.destroy());
    const conversationId = 'silent';
    expect((await chatAnswer(session, question('one', { conversationId }))).status).toBe(503);
    chatWorld.answer(() => say(''));
    expect((await chatAnswer(session, question('two', { conversationId }))).status).toBe(503);
    chatWorld.answer(() => say('Three.'));
    await chat(session, 'three', { conversationId });
    expect(
      chatWorld.model.requests
        .at(-1)
        ?.messages.slice(1)
        .map(({ content }) => content),
    ).toEqual([
      'one',
      'This answer broke off here.',
      'two',
      'This answer broke off here.',
      'three',
    ]);
  });
});
