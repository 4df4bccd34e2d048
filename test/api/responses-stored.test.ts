import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';

import { call, say } from '../support/neighbours/model.ts';
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
const client = prepared(() => clientOf(chatWorld.world.admin));
const model = 'fake-1';

describe('a stored response', () => {
  it('is read again as it ended, streamed or not', async () => {
    chatWorld.answer(() => say('One device.'));
    const instructions = 'Be short.';
    const made = await client.responses.create({ model, input: 'which?', instructions });
    const read = await client.responses.retrieve(made.id);
    const { x_svc: _x_svc, ...plain } = JSON.parse(JSON.stringify(made));
    expect(read).toEqual({ ...plain, output_text: made.output_text });
    const stream = client.responses.stream({ model, input: 'and?', previous_response_id: made.id });
    const streamed = await stream.finalResponse();
    expect(await client.responses.retrieve(streamed.id)).toMatchObject({
      id: streamed.id,
      status: 'completed',
      previous_response_id: made.id,
      output_text: withFacts('One device.'),
    });
  });

  it('is read with the calls that its client runs', async () => {
    chatWorld.answer(() => call(['getWeather', { city: 'Bonn' }]));
    const tool = {
      type: 'function',
      name: 'getWeather',
      parameters: { type: 'object', properties: {} },
      strict: false,
    } as const;
    const made = await client.responses.create({ model, input: 'how is it?', tools: [tool] });
    expect(made.output).toMatchObject([{ type: 'function_call', name: 'getWeather' }]);
    expect((await client.responses.retrieve(made.id)).output).toEqual(made.output);
  });

  it('says what it was asked, page by page', async () => {
    chatWorld.answer(() => say('Well.'));
    const input = [
      { role: 'developer' as const, content: 'Be kind.' },
      { role: 'user' as const, content: [{ type: 'input_text' as const, text: 'which?' }] },
      { role: 'user' as const, content: 'and now?' },
    ];
    const { id } = await client.responses.create({ model, input });
    const items: unknown[] = [];
    for await (const item of client.responses.inputItems.list(id, { limit: 2, order: 'asc' }))
      items.push(item);
    expect(items).toMatchObject([
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be kind.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'which?' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'and now?' }] },
    ]);
    const latest = await client.responses.inputItems.list(id, { limit: 1 });
    expect(latest).toMatchObject({ data: [{ content: [{ text: 'and now?' }] }], has_more: true });
    await expect(client.responses.inputItems.list(id, { after: 'item_x' })).rejects.toMatchObject({
      status: 404,
      code: 'item_not_found',
    });
    const text = await client.responses.create({ model, input: 'a text' });
    expect((await client.responses.inputItems.list(text.id)).data).toMatchObject([
      { role: 'user', content: [{ type: 'input_text', text: 'a text' }] },
    ]);
    const long = await client.responses.create({ model, input: 'x'.repeat(70_000) });
    expect((await client.responses.retrieve(long.id)).id).toBe(long.id);
    await expect(client.responses.inputItems.list(long.id)).rejects.toThrow('too long');
  });

  it('is forgotten: it is neither read nor continued, and its conversation stays', async () => {
    chatWorld.answer(() => say('Well.'));
    const made = await client.responses.create({ model, input: 'which?' });
    await client.responses.delete(made.id);
    await expect(client.responses.retrieve(made.id)).rejects.toMatchObject({
      status: 404,
      code: 'response_not_found',
    });
    await expect(client.responses.delete(made.id)).rejects.toMatchObject({ status: 404 });
    const next = { model, input: 'and?', previous_response_id: made.id };
    await expect(client.responses.create(next)).rejects.toMatchObject({
      code: 'previous_response_not_found',
    });
    const query = { conversation_id: made.conversation?.id ?? '' };
    const { admin } = chatWorld.world;
    const kept = await admin.data('/api/v3/agentic/message/list', undefined, query);
    expect(JSON.stringify(kept)).toContain('which?');
  });

  it('goes with its conversation, and is none where it is not stored', async () => {
    chatWorld.answer(() => say('Well.'));
    const made = await client.responses.create({ model, input: 'which?' });
    const { admin } = chatWorld.world;
    const conversationId = made.conversation?.id;
    await admin.data('/api/v3/agentic/session/delete', { conversationId });
    await expect(client.responses.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
    const loose = await client.responses.create({ model, input: 'which?', store: false });
    await expect(client.responses.retrieve(loose.id)).rejects.toMatchObject({ status: 404 });
  });

  it('is of its principal alone', async () => {
    chatWorld.answer(() => say('Mine.'));
    const made = await client.responses.create({ model, input: 'which?' });
    const other = clientOf(await chatWorld.world.tenant('another'));
    const missing = { status: 404, code: 'response_not_found' };
    await expect(other.responses.retrieve(made.id)).rejects.toMatchObject(missing);
    await expect(other.responses.inputItems.list(made.id)).rejects.toMatchObject(missing);
    await expect(other.responses.delete(made.id)).rejects.toMatchObject(missing);
    expect((await client.responses.retrieve(made.id)).id).toBe(made.id);
  });

  it.each(['%00', '%ED%A0%80', 'a'.repeat(129)])('is refused under the id %s', async (id) => {
    const { base, headers } = chatWorld.world.admin;
    const path = `${base}/api/v3/agentic/responses/${id}`;
    for (const at of [path, `${path}/input_items`, `${path}?stream=true`])
      expect((await fetch(at, { headers })).status).toBe(400);
  });
});
