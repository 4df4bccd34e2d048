import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { say } from '../support/neighbours/model.ts';
import { startChatWorld } from '../support/people/chat-world.ts';
import { chat, chatAnswer, question } from '../support/people/chat.ts';
import { attach } from '../support/people/upload.ts';
import { prepared, started } from '../support/world/prepared.ts';

const Messages = z.array(
  z.looseObject({ messageIndex: z.number(), content: z.string(), versions: z.array(z.number()) }),
);
const Found = z.array(
  z.looseObject({
    conversationId: z.string(),
    messageIndex: z.number().nullable(),
    excerpt: z.string(),
  }),
);

const chatWorld = started(() => startChatWorld({ SVC_AGENTIC_HISTORY_WINDOW_SIZE: '30' }));
const session = prepared(() => chatWorld.world.admin);

let count = 0;
beforeEach(() => {
  count = 0;
  chatWorld.answer(() => {
    count += 1;
    return say(`Answer ${count}.`);
  });
});

const list = async (conversationId: string) =>
  Messages.parse(
    (await session.get('/api/v3/agentic/message/list', { conversation_id: conversationId })).body
      .data,
  );
const said = async (conversationId: string) =>
  (await list(conversationId)).map(({ content }) => content);
/** What the model was last sent, without the rules. */
const sent = () =>
  (chatWorld.model.requests.at(-1)?.messages ?? []).slice(1).map(({ content }) => content);
const select = (conversationId: string, messageIndex: number) =>
  session.data('/api/v3/agentic/session/branch/select', { conversationId, messageIndex });

describe('a question that is edited', () => {
  it('begins a branch that forgets what came after it, and both can be gone on with', async () => {
    const conversationId = 'edited';
    await chat(session, 'one', { conversationId });
    await chat(session, 'two', { conversationId });
    await chat(session, 'three', { conversationId });
    await chat(session, 'two again', { conversationId, x_svc: { edit: 3 } });
    expect(sent()).toEqual(['one', 'Answer 1.', 'two again']);
    expect(await said(conversationId)).toEqual(['one', 'Answer 1.', 'two again', 'Answer 4.']);
    expect((await list(conversationId)).map(({ versions }) => versions)).toEqual([
      [],
      [],
      [3, 7],
      [],
    ]);
    await select(conversationId, 3);
    expect(await said(conversationId)).toEqual([
      'one',
      'Answer 1.',
      'two',
      'Answer 2.',
      'three',
      'Answer 3.',
    ]);
    await chat(session, 'four', { conversationId });
    expect(sent()).toEqual(['one', 'Answer 1.', 'two', 'Answer 2.', 'three', 'Answer 3.', 'four']);
    await select(conversationId, 8);
    expect(await said(conversationId)).toEqual(['one', 'Answer 1.', 'two again', 'Answer 4.']);
  });

  it('may be the first one', async () => {
    const conversationId = 'edited-first';
    await chat(session, 'one', { conversationId });
    await chat(session, 'other', { conversationId, x_svc: { edit: 1 } });
    expect(sent()).toEqual(['other']);
    expect((await list(conversationId)).map(({ versions }) => versions)).toEqual([[1, 3], []]);
    await select(conversationId, 1);
    expect(await said(conversationId)).toEqual(['one', 'Answer 1.']);
  });
});

describe('a question that is answered again', () => {
  it('keeps both answers, and is asked with its files and the history before it', async () => {
    const conversationId = 'again';
    await chat(session, 'one', { conversationId });
    const { id } = await attach(session, conversationId, 'a note', 'a.txt');
    await chat(session, 'two', { conversationId, attachments: [id] });
    await chat(session, 'not read', { conversationId, x_svc: { regenerate: 3 } });
    expect(sent().slice(0, 3)).toEqual(['one', 'Answer 1.', 'two']);
    expect(JSON.stringify(sent())).toContain('a note');
    expect(await said(conversationId)).toEqual(['one', 'Answer 1.', 'two', 'Answer 3.']);
    expect((await list(conversationId)).map(({ versions }) => versions)).toEqual([
      [],
      [],
      [],
      [4, 5],
    ]);
    await select(conversationId, 4);
    expect(await said(conversationId)).toEqual(['one', 'Answer 1.', 'two', 'Answer 2.']);
  });
});

it.each([
  ['an answer', { edit: 2 }, 422],
  ['a message that is not there', { regenerate: 99 }, 404],
  ['two places', { edit: 1, regenerate: 1 }, 400],
])('a branch at %s is refused, and nothing is kept', async (_what, x_svc, status) => {
  const conversationId = 'refused';
  if ((await list(conversationId)).length === 0) await chat(session, 'one', { conversationId });
  const before = await said(conversationId);
  const answer = await chatAnswer(session, question('x', { conversationId, x_svc }));
  expect(answer.status).toBe(status);
  expect(await said(conversationId)).toEqual(before);
});

it('a branch of another person is selected as little as a missing one', async () => {
  const answer = await session.post('/api/v3/agentic/session/branch/select', {
    conversationId: 'none',
    messageIndex: 1,
  });
  expect(answer.status).toBe(404);
});

describe('turns of one conversation', () => {
  it('run one after the other: each is asked with the answer before it', async () => {
    const conversationId = 'ordered';
    await Promise.all(['a', 'b', 'c'].map((text) => chat(session, text, { conversationId })));
    const texts = await said(conversationId);
    expect(texts.map((text) => text.startsWith('Answer'))).toEqual([
      false,
      true,
      false,
      true,
      false,
      true,
    ]);
    expect(sent()).toEqual(texts.slice(0, 5));
  });
});

describe('conversations', () => {
  it('are found by words of a message, in any branch and letter case, and by their title', async () => {
    chatWorld.answer(() => say('The chiller holds 100% of 7 °C_set.'));
    await chat(session, 'How cold is the brine tank?', { conversationId: 'brine' });
    const search = async (words: string) =>
      Found.parse(await session.data('/api/v3/agentic/session/search', { words }));
    expect(await search('CHILLER holds')).toMatchObject([
      { conversationId: 'brine', messageIndex: 2, excerpt: 'The chiller holds 100% of 7 °C_set.' },
    ]);
    expect(await search('cold brine')).toMatchObject([
      { conversationId: 'brine', messageIndex: 1 },
    ]);
    expect(await search('chiller nothing')).toEqual([]);
    // Signs of patterns are signs.
    expect(await search('0% C_s')).toHaveLength(1);
    expect(await search('h_lds')).toEqual([]);
  });

  it('are exported as Markdown and as JSON with all branches, as a file', async () => {
    const conversationId = 'exported';
    await chat(session, 'one <b>', { conversationId });
    await chat(session, 'x', { conversationId, x_svc: { regenerate: 1 } });
    const file = async (format: string) => {
      const query = new URLSearchParams({ conversation_id: conversationId, format }).toString();
      const url = `${session.base}/api/v3/agentic/session/export?${query}`;
      const response = await fetch(url, { headers: session.headers });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-disposition')).toMatch(
        /^attachment; filename="one b\.(md|json)"$/,
      );
      return response.text();
    };
    const markdown = await file('markdown');
    expect(markdown).toContain('# one <b>');
    expect(markdown).toContain('Answer 2.');
    expect(markdown).not.toContain('Answer 1.');
    expect(JSON.parse(await file('json'))).toMatchObject({
      conversationId,
      messages: [
        { messageIndex: 1, parentIndex: 0, onBranch: true },
        { messageIndex: 2, parentIndex: 1, onBranch: false, content: 'Answer 1.' },
        { messageIndex: 3, parentIndex: 1, onBranch: true, content: 'Answer 2.' },
      ],
    });
  });
});

describe('an attachment', () => {
  it('is downloaded as a file that no browser shows', async () => {
    const { id } = await attach(session, 'files', '<script>alert(1)</script>', 'page.html');
    const url = `${session.base}/api/v3/agentic/attachment/download?id=${id}`;
    const response = await fetch(url, { headers: session.headers });
    expect(await response.text()).toBe('<script>alert(1)</script>');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'attachment; filename=page.html',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    const missing = await fetch(`${session.base}/api/v3/agentic/attachment/download?id=999999`, {
      headers: session.headers,
    });
    expect(missing.status).toBe(404);
  });
});
