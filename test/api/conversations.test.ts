import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';

import { startLostTurnSweeper } from '../../src/agentic/session/lost-turn.ts';
import { say } from '../support/neighbours/model.ts';
import { startChatWorld } from '../support/people/chat-world.ts';
import { withFacts } from '../support/people/chat.ts';
import type { Session } from '../support/people/session.ts';
import { prepared, started } from '../support/world/prepared.ts';

const chatWorld = started(startChatWorld);
const clientOf = (session: Session) =>
  new OpenAI({
    baseURL: `${session.base}/api/v3/agentic/v1`,
    apiKey: 'unused',
    maxRetries: 0,
    defaultHeaders: { ...session.headers, Authorization: null },
  });
const session = prepared(() => chatWorld.world.admin);
const client = prepared(() => clientOf(session));
const model = 'fake-1';
const user = (content: string) => ({ role: 'user' as const, content });
const assistant = (content: string) => ({ role: 'assistant' as const, content });
const missing = { status: 404, code: 'conversation_not_found' };

async function textsOf(id: string, query: object = { order: 'asc' }): Promise<unknown[]> {
  const texts: unknown[] = [];
  for await (const item of client.conversations.items.list(id, query)) {
    const [part] = item.type === 'message' ? item.content : [];
    texts.push(part && 'text' in part ? part.text : null);
  }
  return texts;
}
const lastSent = () =>
  (chatWorld.model.requests.at(-1)?.messages ?? []).slice(1).map(({ content }) => content);

describe("conversations with OpenAI's own client", () => {
  it('begin, go on by responses, are described, and are deleted with what is in them', async () => {
    const made = await client.conversations.create({ metadata: { topic: 'boilers' } });
    expect(made).toMatchObject({ object: 'conversation', metadata: { topic: 'boilers' } });
    expect(made.id).toMatch(/^conv_[0-9a-f]{24}$/);
    chatWorld.answer(() => say('One device.'));
    const conversation = made.id;
    const first = await client.responses.create({ model, conversation, input: 'which?' });
    expect(first.conversation).toEqual({ id: made.id });
    await client.responses.create({ model, conversation, input: 'and now?' });
    expect(lastSent()).toEqual(['which?', 'One device.', 'and now?']);
    const listed = await session.data('/api/v3/agentic/session/list', { title: 'which?' });
    expect(listed).toMatchObject({ records: [{ conversationId: made.id, title: 'which?' }] });
    expect(await client.conversations.retrieve(made.id)).toEqual(made);
    const changed = await client.conversations.update(made.id, { metadata: { shift: 'night' } });
    expect(changed).toEqual({ ...made, metadata: { shift: 'night' } });
    expect((await client.conversations.update(made.id, { metadata: null })).metadata).toEqual({});
    expect(await client.conversations.delete(made.id)).toEqual({
      id: made.id,
      object: 'conversation.deleted',
      deleted: true,
    });
    await expect(client.conversations.retrieve(made.id)).rejects.toMatchObject(missing);
    await expect(client.conversations.delete(made.id)).rejects.toMatchObject(missing);
    await expect(client.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 });
  });

  it('have their messages as items, page by page, those of the branch that goes on', async () => {
    chatWorld.answer(() => say('Well.'));
    const { id } = await client.conversations.create();
    const ask = (input: string, more: object) => client.responses.create({ model, input, ...more });
    const first = await ask('one', { conversation: id });
    await ask('two', { conversation: id });
    expect(await textsOf(id, { limit: 1 })).toEqual(['Well.', 'two', 'Well.', 'one']);
    expect(await textsOf(id, { limit: 3, order: 'asc' })).toEqual(['one', 'Well.', 'two', 'Well.']);
    await ask('three', { previous_response_id: first.id });
    expect(await textsOf(id)).toEqual(['one', 'Well.', 'three', 'Well.']);
    const page = await client.conversations.items.list(id, { limit: 3, order: 'asc' });
    const [question, answer] = page.data;
    expect(page.has_more).toBe(true);
    expect(first.output[0]).toMatchObject({ id: answer?.id });
    for (const item of [question, answer]) {
      const of = { conversation_id: id };
      expect(await client.conversations.items.retrieve(item?.id ?? '', of)).toEqual(item);
    }
    const unknown = client.conversations.items.retrieve('item_99', { conversation_id: id });
    await expect(unknown).rejects.toMatchObject({ status: 404, code: 'item_not_found' });
    await expect(client.conversations.items.list(id, { after: 'item_x' })).rejects.toMatchObject({
      status: 404,
      param: 'after',
    });
    await expect(client.conversations.items.list(id, { after: '\u0000' })).rejects.toMatchObject({
      status: 400,
    });
    const nul = client.conversations.items.retrieve('\u0000', { conversation_id: id });
    await expect(nul).rejects.toMatchObject({ status: 400 });
  });

  it('take messages that a client stores, which wait for no answer', async () => {
    const items = [user('My pump is P7.'), assistant('Noted.')];
    const made = await client.conversations.create({ items });
    const added = await client.conversations.items.create(made.id, {
      items: [{ id: 'rs_1', type: 'reasoning', summary: [] }, user('And my boiler is B2.')],
    });
    expect(added.data).toMatchObject([{ role: 'user', content: [{ type: 'input_text' }] }]);
    chatWorld.world.clock.shift(10 * 60_000);
    const sweeper = startLostTurnSweeper(chatWorld.world.app);
    await sweeper.stop();
    chatWorld.answer(() => say('B2.'));
    const input = 'which boiler?';
    const response = await client.responses.create({ model, conversation: made.id, input });
    expect(response.output_text).toEqual(withFacts('B2.'));
    expect(lastSent()).toEqual(['My pump is P7.', 'Noted.', 'And my boiler is B2.', input]);
    const refusals = {
      'function_call_output is for': {
        type: 'function_call_output' as const,
        call_id: 'c',
        output: 'x',
      },
      'messages of the role system is for': { role: 'system' as const, content: 'Be kind.' },
      'image_url is for': {
        role: 'user' as const,
        content: [
          {
            type: 'input_image' as const,
            image_url: 'data:image/png;base64,AA==',
            detail: 'auto' as const,
          },
        ],
      },
      'must have a text': user(' '),
    };
    for (const [words, item] of Object.entries(refusals))
      await expect(
        client.conversations.items.create(made.id, { items: [item] }),
      ).rejects.toMatchObject({ status: 400, message: expect.stringContaining(words) });
    const [{ id: first = '' } = {}] = added.data;
    const of = { conversation_id: made.id };
    await expect(client.conversations.items.delete(first, of)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('delete the conversation'),
    });
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, 'v']));
    for (const metadata of [many, { k: 'v'.repeat(513) }, { ['k'.repeat(65)]: 'v' }])
      await expect(client.conversations.update(made.id, { metadata })).rejects.toMatchObject({
        status: 400,
      });
  });

  it('are of their principal alone', async () => {
    const { id } = await client.conversations.create({ items: [user('mine')] });
    const other = clientOf(await chatWorld.world.tenant('another'));
    const tried = [
      () => other.conversations.retrieve(id),
      () => other.conversations.update(id, { metadata: {} }),
      () => other.conversations.delete(id),
      () => other.conversations.items.list(id),
      () => other.conversations.items.create(id, { items: [user('theirs')] }),
      () => other.conversations.items.retrieve('item_1', { conversation_id: id }),
    ];
    for (const one of tried) await expect(one()).rejects.toMatchObject(missing);
    expect(await textsOf(id)).toEqual(['mine']);
  });
});
