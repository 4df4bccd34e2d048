import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { call, say } from '../support/neighbours/model.ts';
import { inTurn, startChatWorld } from '../support/people/chat-world.ts';
import { withFacts } from '../support/people/chat.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { onboardVirtual } from '../tools/agent.ts';

const Events = z.object({
  x_svc: z.object({ events: z.array(z.looseObject({ type: z.string() })) }),
});

const chatWorld = started(startChatWorld);
const session = prepared(() => chatWorld.world.admin);
const client = prepared(
  () =>
    new OpenAI({
      baseURL: `${session.base}/api/v3/agentic/v1`,
      apiKey: 'unused',
      maxRetries: 0,
      defaultHeaders: { ...session.headers, Authorization: null },
    }),
);

const model = 'fake-1';
const lastSent = () => chatWorld.model.requests.at(-1)?.messages ?? [];
const contentsOf = async ({ conversation }: OpenAI.Responses.Response) => {
  const query = { conversation_id: conversation?.id ?? '' };
  const messages = await session.data('/api/v3/agentic/message/list', undefined, query);
  return z
    .array(z.looseObject({ content: z.string() }))
    .parse(messages)
    .map(({ content }) => content);
};

describe('items of a response', () => {
  it('may be a reasoning of nulls, as some clients resend it', async () => {
    chatWorld.answer(() => say('Well.'));
    const reasoning = { type: 'reasoning', id: 'rs', summary: [], content: null };
    const body = {
      model,
      input: [
        { role: 'user', content: 'one' },
        { ...reasoning, encrypted_content: null, status: null },
        { role: 'user', content: 'two' },
      ],
    };
    const answer = await client.post<OpenAI.Responses.Response>('/responses', { body });
    expect(answer.status).toBe('completed');
    expect(lastSent().at(-1)).toMatchObject({ role: 'user', content: 'two' });
  });

  it('go on from an item that a request names, in the conversation of its response', async () => {
    chatWorld.answer(() => say('One device.'));
    const first = await client.responses.create({ model, input: 'which?' });
    const [answer] = first.output;
    const again = (id: string) =>
      client.responses.create({
        model,
        input: [
          { role: 'developer', content: 'Be kind.' },
          { role: 'user', content: 'which?' },
          { type: 'item_reference', id },
          { role: 'user', content: 'and now?' },
        ],
      });
    chatWorld.answer(() => say('The same.'));
    const second = await again(answer?.type === 'message' ? answer.id : '');
    expect(second).toMatchObject({
      output_text: withFacts('The same.'),
      previous_response_id: null,
    });
    expect(second.conversation).toEqual(first.conversation);
    expect(lastSent()[0]?.content).toContain('Be kind.');
    expect(await contentsOf(first)).toEqual(['which?', 'One device.', 'and now?', 'The same.']);
    await expect(again('msg_000000000000000000000000')).rejects.toMatchObject({
      status: 404,
      code: 'item_not_found',
      param: 'input',
    });
  });

  it('cite the values behind their figures, streamed and at once', async () => {
    const { deviceId, pointId } = await onboardVirtual(chatWorld.world, 'cited');
    chatWorld.answer((sent) => {
      if (inTurn(sent) === 0) return call(['readPointValue', { deviceId, pointId }]);
      const told: unknown = JSON.parse(sent.messages.at(-1)?.content ?? '{}');
      const { value } = z.looseObject({ value: z.string() }).parse(told);
      return say(`It is ${Number(value).toFixed(1)} now.`);
    });
    const body = { model, input: 'how warm?', store: false };
    const streamed = client.responses.stream(body);
    const added: unknown[] = [];
    streamed.on('response.output_text.annotation.added', (event) => added.push(event));
    for (const response of [await streamed.finalResponse(), await client.responses.create(body)]) {
      const [answer] = response.output;
      const [part] = answer?.type === 'message' ? answer.content : [];
      if (part?.type !== 'output_text') throw new Error('no text was answered');
      expect(part.annotations).toMatchObject([
        { type: 'url_citation', start_index: 6, url: expect.stringContaining(deviceId) },
      ]);
      expect(Events.parse(response).x_svc.events).toContainEqual(
        expect.objectContaining({ type: 'citation', device_id: deviceId, point_id: pointId }),
      );
    }
    expect(added).toMatchObject([{ annotation_index: 0, annotation: { type: 'url_citation' } }]);
  });

  const asked = async (...items: object[]) => {
    chatWorld.answer(() => say('Well.'));
    const input = [{ role: 'user', content: 'one' }, ...items, { role: 'user', content: 'two' }];
    const response = await fetch(`${session.base}/api/v3/agentic/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...session.headers },
      body: JSON.stringify({ model, store: false, input }),
    });
    return { status: response.status, body: await response.text() };
  };

  it.each([
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } },
    { type: 'file_search_call', id: 'fs_1', queries: ['pump'], results: null },
    { type: 'computer_call', call_id: 'c', action: { type: 'click' } },
    { type: 'code_interpreter_call', id: 'ci_1', code: '1', outputs: [] },
    { type: 'mcp_list_tools', id: 'm', server_label: 'x', tools: [] },
    { type: 'mcp_call', id: 'm', name: 'x', arguments: '{}', output: 'y' },
    { type: 'compaction', encrypted_content: 'x' },
    { type: 'reasoning', id: 'rs', summary: [], content: null, encrypted_content: null },
  ])('of what another one ran are left out: $type', async (item) => {
    expect((await asked(item)).status).toBe(200);
    expect(lastSent().map(({ role }) => role)).toEqual(['system', 'user', 'user']);
  });

  it('of a custom tool are a call and its output', async () => {
    const call_id = 'call_custom';
    const { status } = await asked(
      { type: 'custom_tool_call', call_id, name: 'patch', input: '*** Begin' },
      { type: 'custom_tool_call_output', call_id, output: 'done' },
    );
    expect(status).toBe(200);
    const sent = JSON.stringify(lastSent());
    expect([sent.includes('"name":"patch"'), sent.includes('done')]).toEqual([true, true]);
  });

  it('have answers with parts of thoughts, and with nothing', async () => {
    const role = 'assistant';
    const parts = [
      { type: 'reasoning_text', text: 'Hm.' },
      { type: 'output_text', text: 'Right.', annotations: [] },
    ];
    expect((await asked({ role, content: parts })).status).toBe(200);
    const sent = JSON.stringify(lastSent());
    expect([sent.includes('Right.'), sent.includes('Hm.')]).toEqual([true, false]);
    expect((await asked({ role, content: null })).status).toBe(200);
  });

  it('of an unknown type are refused by its name', async () => {
    const { status, body } = await asked({ type: 'dream_call', id: 'd' });
    expect(status).toBe(400);
    expect(body).toContain('dream_call');
  });

  it('may be thousands', async () => {
    const many = Array.from({ length: 2_000 }, (_, at) => [
      { role: 'assistant', content: `answer ${at}` },
      { role: 'user', content: `question ${at}` },
    ]).flat();
    expect((await asked(...many)).status).toBe(200);
  });
});
