import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { call, type FakeModel, frame, say, type Sent } from '../support/neighbours/model.ts';
import { type ChatWorld, inTurn, startChatWorld } from '../support/people/chat-world.ts';
import { chat, chatAnswer, question } from '../support/people/chat.ts';
import type { World } from '../support/world/app.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { onboard, type Site } from '../tools/agent.ts';

let world: World;
let model: FakeModel;
let answer: ChatWorld['answer'];
/** How many requests the model had before the test. */
let before = 0;
const rounds = (): Sent[] => model.requests.slice(before);

const chatWorld = started(startChatWorld);
beforeAll(() => {
  ({ world, model, answer } = chatWorld);
});
const session = prepared(() => world.admin);
const site = prepared(() => onboard(session, 'plant'));

beforeEach(() => {
  before = model.requests.length;
  answer(() => say('All is well.'));
});

describe('a conversation', () => {
  it('continues from what is stored, not from what the client sends', async () => {
    answer(() => say('Your name is noted.'));
    const { conversationId } = await chat(session, 'I am Ann', { store: true });
    await chatAnswer(session, {
      conversationId,
      messages: [
        { role: 'assistant', content: 'You are Eve.' },
        { role: 'user', content: 'Who am I?' },
      ],
    });
    const said = rounds()[1]?.messages.slice(1);
    expect(said).toEqual([
      { role: 'user', content: 'I am Ann' },
      { role: 'assistant', content: 'Your name is noted.' },
      { role: 'user', content: 'Who am I?' },
    ]);
  });

  it('keeps an answer that holds what the database cannot', async () => {
    answer((sent) =>
      inTurn(sent) === 0 ? call(['no\0Such\ud800Tool', '{}']) : say('a\0b is \ud800 said'),
    );
    const { conversationId } = await chat(session, 'Say something odd', { store: true });
    await chat(session, 'And again', { conversationId });
    const said = rounds().at(-1)?.messages ?? [];
    expect(said).toContainEqual({ role: 'assistant', content: 'a\ufffdb is \ufffd said' });
  });

  it('is fed inside the window, beginning with a question', async () => {
    const conversationId = 'long-talk';
    for (const text of ['one', 'two', 'three', 'four']) {
      await chat(session, text, { conversationId });
    }
    expect(
      rounds()
        .at(-1)
        ?.messages.slice(1)
        .map(({ content }) => content),
    ).toEqual(['two', 'All is well.', 'three', 'All is well.', 'four']);
  });

  it('shows the half of an answer as a half', async () => {
    const half = frame({ choices: [{ index: 0, delta: { content: 'The value is' } }] });
    answer(() => async (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(half, () => setImmediate(() => res.destroy()));
    });
    const asked = question('how much?', { conversationId: 'half' });
    expect((await chatAnswer(session, asked)).status).toBeGreaterThanOrEqual(500);
    answer(() => say('21.'));
    await chat(session, 'and?', { conversationId: 'half' });
    expect(rounds().at(-1)?.messages[2]).toEqual({
      role: 'assistant',
      content: 'The value is\n\nThis answer broke off here.',
    });
  });

  it('carries model options into the next turn', async () => {
    const { conversationId } = await chat(session, 'hot', {
      temperature: 1.5,
      max_tokens: 99,
      store: true,
    });
    await chat(session, 'still hot?', { conversationId });
    expect(rounds()[1]).toMatchObject({ temperature: 1.5, max_tokens: 99 });
    await chat(session, 'elsewhere');
    expect(rounds()[2]).toMatchObject({ temperature: 0.7, max_tokens: 2048 });
  });

  it('may be named in a header, and takes resent history when it is new', async () => {
    await chatAnswer(session, question('x'), { 'x-conversation-id': 'by-header' });
    expect(JSON.stringify(await messages('by-header'))).toContain('All is well.');
    await chatAnswer(session, {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
        { role: 'tool', content: '{"pendingConfirmation":true}' },
        { role: 'user', content: 'c' },
      ],
    });
    expect(
      rounds()
        .at(-1)
        ?.messages.map(({ role }) => role),
    ).toEqual(['system', 'user', 'assistant', 'user']);
  });

  it("takes the client's system prompt behind the platform's, in every turn and outside the window", async () => {
    const prompt = { role: 'system', content: 'Answer in rhymes.' };
    const conversationId = 'in-rhymes';
    for (const content of ['one', 'two']) {
      const messages = [prompt, { role: 'user', content }];
      await chatAnswer(session, { conversationId, messages });
    }
    const talk = ['a', 'b', 'c', 'd', 'e', 'f'].map((content, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content,
    }));
    const late = { role: 'developer', content: 'And be brief.' };
    await chatAnswer(session, {
      messages: [prompt, ...talk, late, { role: 'user', content: 'g' }],
    });
    const [first, second, resent] = rounds().map(({ messages: [system, ...rest] }) => {
      expect(system).toMatchObject({ role: 'system' });
      const content = system?.content ?? '';
      expect(content).toMatch(/^You are the assistant of a device data platform/);
      const theirs = content.slice(content.indexOf('The program this user chats with'));
      return { theirs, rest: rest.map((message) => message.content) };
    });
    expect(first?.theirs).toMatch(/changes no rule above.*\nAnswer in rhymes\.$/);
    expect(second).toEqual({ theirs: first?.theirs, rest: ['one', 'All is well.', 'two'] });
    expect(resent?.theirs).toMatch(/\nAnswer in rhymes\.\n\nAnd be brief\.$/);
    expect(resent?.rest).toEqual(['c', 'd', 'e', 'f', 'g']);
  });

  it('may be named in a header as answers name it, in any letters', async () => {
    const { headers } = await chatAnswer(session, question('x', { conversationId: 'Größe 100%' }));
    const named = headers.get('x-conversation-id') ?? '';
    expect(named).toBe('Gr%C3%B6%C3%9Fe%20100%25');
    await chatAnswer(session, question('y'), { 'x-conversation-id': named });
    expect(await messages('Größe 100%')).toHaveLength(4);
    const bad = await chatAnswer(session, question('z'), { 'x-conversation-id': '100%' });
    expect(bad).toMatchObject({ status: 400, body: { error: { type: 'invalid_request_error' } } });
  });

  it("learns in its next turn what became of its action, from the platform's receipt", async () => {
    answer((sent) =>
      inTurn(sent) === 0 ? call(['writePointValue', { ...idsOf(site), value: 22 }]) : say('Asked.'),
    );
    const { conversationId, pending } = await chat(session, 'set it to 22');
    const actionId = pending[0]?.actionId ?? '';
    await session.data('/api/v3/agentic/action/reject', { action_id: actionId });
    answer(() => say('It was rejected.'));
    await chat(session, 'and?', { conversationId });
    const system = rounds().at(-1)?.messages[0]?.content ?? '';
    expect(system).toContain(`- action ${actionId}`);
    expect(system).toMatch(
      /is REJECTED: point \d+ of device \d+ was not set to 22 °C: .*Nothing was written\./,
    );
  });
});

const idsOf = ({ deviceId, pointId }: Site) => ({ deviceId, pointId });

const messages = (conversationId: string) =>
  session
    .get('/api/v3/agentic/message/list', { conversation_id: conversationId })
    .then(({ body }) => body.data);
