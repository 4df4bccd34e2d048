import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { withoutFacts } from '../../src/agentic/session/facts.ts';
import { call, say } from '../support/neighbours/model.ts';
import { addProvider } from '../support/neighbours/providers.ts';
import { inTurn, startChatWorld } from '../support/people/chat-world.ts';
import { chatAnswer, Completion } from '../support/people/chat.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { onboard } from '../tools/agent.ts';

/** Clients that send the whole conversation with each question, as Open WebUI and LibreChat do. */
const Messages = z.array(z.looseObject({ content: z.string(), versions: z.array(z.number()) }));

const chatWorld = started(() => startChatWorld({ SVC_AGENTIC_HISTORY_WINDOW_SIZE: '30' }));
const session = prepared(() => chatWorld.world.admin);
const site = prepared(() => onboard(session, 'plant'));

let count = 0;
beforeEach(() => {
  count = 0;
  chatWorld.answer(() => {
    count += 1;
    return say(`Answer ${count}.`);
  });
});

const message = (content: string, at: number) => ({
  role: at % 2 === 0 ? 'user' : 'assistant',
  content,
});

/** Sends these texts, a question first and last, and answers what the client shows then. */
async function send(texts: readonly string[], headers: object = {}, more: object = {}) {
  const body = { messages: texts.map(message), ...more };
  const { status, body: answer } = await chatAnswer(session, body, headers);
  expect(status, JSON.stringify(answer)).toBe(200);
  const { choices, x_svc } = Completion.parse(answer);
  const shown = choices[0].message.content ?? '';
  return { shown: [...texts, shown], x_svc };
}

/** As the model said them. */
const plain = (texts: readonly string[]) => texts.map(withoutFacts);

const openWebUi = (id: string) => ({ 'x-openwebui-chat-id': id });
const listed = async (conversationId: string) => {
  const { body } = await session.get('/api/v3/agentic/message/list', {
    conversation_id: conversationId,
  });
  return Messages.parse(body.data);
};
const said = async (conversationId: string) =>
  (await listed(conversationId)).map(({ content }) => content);
/** What the model was last sent, without the rules. */
const sent = () =>
  (chatWorld.model.requests.at(-1)?.messages ?? []).slice(1).map(({ content }) => content);

describe('a client that resends its conversation', () => {
  it.each<[string, (id: string) => object]>([
    ['with the id of Open WebUI', openWebUi],
    [
      'with an id, and the header that says so',
      (id) => ({ 'x-conversation-id': id, 'x-conversation-resent': 'true' }),
    ],
  ])('begins a branch by what it leaves out or changes: %s', async (what, headersOf) => {
    const id = `branches ${what.length}`;
    const headers = headersOf(encodeURIComponent(id));
    const stored = 'x-conversation-id' in headers ? id : encodeURIComponent(id);
    const first = await send(['my pump is P7'], headers);
    const second = await send([...first.shown, 'which pump?'], headers);
    expect(sent()).toEqual(['my pump is P7', 'Answer 1.', 'which pump?']);

    // Try again: the last question once more, without its answer.
    await send(second.shown.slice(0, 3), headers);
    expect(sent()).toEqual(['my pump is P7', 'Answer 1.', 'which pump?']);
    expect((await listed(stored)).map(({ versions }) => versions)).toEqual([[], [], [], [4, 5]]);

    // Edit: the first question in other words.
    const edited = await send(['my pump is P9'], headers);
    expect(sent()).toEqual(['my pump is P9']);
    await send([...edited.shown, 'which pump?'], headers);
    expect(sent()).toEqual(['my pump is P9', 'Answer 4.', 'which pump?']);

    // Back to what was said before it.
    await send([...second.shown, 'and the valve?'], headers);
    expect(sent()).toEqual(plain([...second.shown, 'and the valve?']));
    expect(await said(stored)).toEqual(plain([...second.shown, 'and the valve?', 'Answer 6.']));
  });

  it('with an id alone begins one too, once an answer shows that it resends', async () => {
    const headers = { 'x-conversation-id': 'by-answer' };
    const first = await send(['one'], headers);
    await send([...first.shown, 'two'], headers);
    await send([...first.shown, 'two, in other words'], headers);
    expect(sent()).toEqual(['one', 'Answer 1.', 'two, in other words']);
    // A client that sends its question alone goes on where the conversation is.
    await send(['three'], headers);
    expect(sent()).toEqual(['one', 'Answer 1.', 'two, in other words', 'Answer 3.', 'three']);
  });

  it('goes on where it is when it has dropped the oldest messages, or changed a question', async () => {
    const headers = openWebUi('dropped');
    const first = await send(['one'], headers);
    const second = await send([...first.shown, 'two'], headers);
    const third = await send([...second.shown.slice(2), 'three'], headers);
    expect(sent()).toEqual(plain([...second.shown, 'three']));
    await send(
      ['one, with documents', ...second.shown.slice(1), ...third.shown.slice(2), 'four'],
      headers,
    );
    expect(sent()).toEqual(plain([...second.shown, 'three', 'Answer 3.', 'four']));
    expect((await listed('dropped')).every(({ versions }) => versions.length === 0)).toBe(true);
  });

  it('keeps the answers of two models apart', async () => {
    const providerId = await addProvider(session, {
      name: 'two models',
      baseUrl: chatWorld.model.baseUrl,
    });
    for (const model of ['first', 'second'])
      await session.data('/api/v3/agentic/model/config/add', { model, providerId });
    const headers = openWebUi('two-models');
    const ask = (model: string, texts: readonly string[]) => send(texts, headers, { model });
    const [a, b] = await Promise.all([ask('first', ['hello']), ask('second', ['hello'])]);
    expect(sent()).toEqual(['hello']);
    expect(a.shown).not.toEqual(b.shown);
    await ask('first', [...a.shown, 'more']);
    expect(sent()).toEqual(plain([...a.shown, 'more']));
    await ask('second', [...b.shown, 'more']);
    expect(sent()).toEqual(plain([...b.shown, 'more']));
  });

  it('brings along what is stored nowhere: a fork, and an answer that its person changed', async () => {
    const first = await send(['one'], openWebUi('original'));
    const fork = await send([...first.shown, 'two'], openWebUi('forked'));
    expect(sent()).toEqual(['one', 'Answer 1.', 'two']);
    expect(await said('forked')).toEqual(['one', 'Answer 1.', 'two', 'Answer 2.']);
    await send([...fork.shown, 'three'], openWebUi('forked'));
    expect(sent()).toEqual(plain([...fork.shown, 'three']));
    await send(['one', 'Answer 1, corrected.', 'two'], openWebUi('forked'));
    expect(sent()).toEqual(['one', 'Answer 1, corrected.', 'two']);
    expect(await said('forked')).toEqual(['one', 'Answer 1, corrected.', 'two', 'Answer 4.']);
  });
});

describe('proposals of a client that resends its conversation', () => {
  const propose = (value: number) => {
    const write = { deviceId: site.deviceId, pointId: site.pointId, value };
    chatWorld.answer((asked) =>
      inTurn(asked) === 0 ? call(['writePointValue', JSON.stringify(write)]) : say('Proposed.'),
    );
  };
  const status = async (actionId: string | undefined) => {
    const { body } = await session.get('/api/v3/agentic/action/get', {
      action_id: actionId ?? '',
    });
    return z.looseObject({ status: z.string() }).parse(body.data).status;
  };

  it('are withdrawn when their question is changed', async () => {
    propose(30);
    const first = await send(['set it to 30'], openWebUi('corrected'));
    propose(20);
    const second = await send(['set it to 20'], openWebUi('corrected'));
    expect(await status(first.x_svc.pending_actions[0]?.actionId)).toBe('WITHDRAWN');
    expect(await status(second.x_svc.pending_actions[0]?.actionId)).toBe('PENDING');
  });

  it('and that names none are those of the conversation that it resends', async () => {
    propose(25);
    const first = await send(['set it to 25']);
    const { conversation_id: id, pending_actions: pending } = first.x_svc;
    expect(pending).toHaveLength(1);
    chatWorld.answer(() => say('It waits.'));
    const second = await send([...first.shown, 'what became of it?']);
    expect(second.x_svc.conversation_id).toBe(id);
    expect(chatWorld.model.requests.at(-1)?.messages[0]?.content).toContain('is PENDING');
    expect(await said(id ?? '')).toHaveLength(4);
    // The same words of another person behind a key are another conversation.
    const other = await send([...first.shown, 'and now?'], {}, { user: 'somebody' });
    expect(other.x_svc.conversation_id).toBeNull();
  });
});
