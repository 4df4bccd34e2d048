import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { call, refuse, say } from '../support/neighbours/model.ts';
import { inTurn, results, startChatWorld } from '../support/people/chat-world.ts';
import { withFacts } from '../support/people/chat.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { onboard } from '../tools/agent.ts';

const weather = {
  type: 'function',
  name: 'getWeather',
  description: 'Weather of a place',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  strict: true,
} as const;
const Extension = z.object({
  x_svc: z.object({
    conversation_id: z.string().nullable(),
    events: z.array(z.looseObject({ type: z.string() })),
    pending_actions: z.array(z.looseObject({ status: z.string(), proposedValue: z.string() })),
  }),
});

/** What the platform did itself, in events of the vendor. */
const Shown = z.looseObject({ x_svc: z.array(z.looseObject({ type: z.string() })).optional() });

const chatWorld = started(startChatWorld);
const session = prepared(() => chatWorld.world.admin);
const site = prepared(() => onboard(session, 'plant'));
const client = prepared(
  () =>
    new OpenAI({
      baseURL: `${session.base}/api/v3/agentic/v1`,
      apiKey: 'unused',
      maxRetries: 0,
      defaultHeaders: { ...session.headers, Authorization: null },
    }),
);

beforeEach(() => chatWorld.answer(() => say('All is well.')));

/** The texts of the branch of its conversation that goes on. */
const listed = async ({ conversation }: OpenAI.Responses.Response) => {
  const query = { conversation_id: conversation?.id ?? '' };
  const messages = await session.data('/api/v3/agentic/message/list', undefined, query);
  return z
    .array(z.looseObject({ content: z.string() }))
    .parse(messages)
    .map(({ content }) => content);
};
const lastSent = () => chatWorld.model.requests.at(-1)?.messages ?? [];
const model = 'fake-1';

describe("responses with OpenAI's own client", () => {
  it('answer at once, and go on from a response by its id', async () => {
    const first = await client.responses.create({
      model,
      input: 'hello',
      instructions: 'Be kind.',
    });
    expect(first).toMatchObject({ object: 'response', status: 'completed', model, error: null });
    expect(first.output_text).toEqual(withFacts('All is well.'));
    expect(first.usage).toMatchObject({ input_tokens: 10, output_tokens: 5, total_tokens: 15 });
    expect(lastSent()[0]?.content).toContain('Be kind.');
    const second = await client.responses.create({
      model,
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'and now?' }] }],
      previous_response_id: first.id,
    });
    expect(second.previous_response_id).toBe(first.id);
    expect(second.conversation).toEqual(first.conversation);
    expect(
      lastSent()
        .slice(1)
        .map(({ content }) => content),
    ).toEqual(['hello', 'All is well.', 'and now?']);
  });

  it('branch off where the earlier response is, and each branch goes on from its own', async () => {
    let said = 0;
    chatWorld.answer(() => {
      said += 1;
      return say(`Answer ${said}.`);
    });
    const ask = (input: string, previous_response_id?: string) =>
      client.responses.create({ model, input, previous_response_id: previous_response_id ?? null });
    const heard = () =>
      lastSent()
        .slice(1)
        .map(({ content }) => content);
    const one = await ask('one');
    const two = await ask('two', one.id);
    const three = await ask('three', two.id);
    const other = await ask('other', one.id);
    expect(heard()).toEqual(['one', 'Answer 1.', 'other']);
    await ask('and?', other.id);
    expect(heard()).toEqual(['one', 'Answer 1.', 'other', 'Answer 4.', 'and?']);
    expect(other.conversation).toEqual(one.conversation);
    expect(await listed(one)).toEqual([
      'one',
      'Answer 1.',
      'other',
      'Answer 4.',
      'and?',
      'Answer 5.',
    ]);
    await ask('four', three.id);
    const whole = ['one', 'Answer 1.', 'two', 'Answer 2.', 'three', 'Answer 3.', 'four'];
    // The window is four messages: the whole is in the conversation.
    expect(heard()).toEqual(whole.slice(2));
    expect(await listed(one)).toEqual([...whole, 'Answer 6.']);
  });

  it('branch off at the same moment, and neither reads the other', async () => {
    chatWorld.answer(() => say('Well.'));
    const one = await client.responses.create({ model, input: 'one' });
    const asked = ['left', 'right'];
    const answers = await Promise.all(
      asked.map((input) => client.responses.create({ model, input, previous_response_id: one.id })),
    );
    expect(answers.map(({ output_text }) => output_text)).toEqual([
      withFacts('Well.'),
      withFacts('Well.'),
    ]);
    const heard = chatWorld.model.requests
      .slice(-2)
      .map(({ messages }) => messages.slice(1).map(({ content }) => content));
    expect(new Set(heard.map((texts) => texts.join(' ')))).toEqual(
      new Set(asked.map((input) => `one Well. ${input}`)),
    );
  });

  it('stream the events of the vendor, with the tools of the platform run in between', async () => {
    chatWorld.answer((sent) =>
      inTurn(sent) === 0 ? call(['searchDevices', {}]) : say('One device.'),
    );
    const types: string[] = [];
    const shown: string[] = [];
    let text = '';
    const streamed = await client.responses.create({ model, input: 'which?', stream: true });
    const numbers: number[] = [];
    for await (const event of streamed) {
      types.push(event.type);
      numbers.push(event.sequence_number);
      shown.push(...(Shown.parse(event).x_svc ?? []).map(({ type }) => type));
      if (event.type === 'response.output_text.delta') text += event.delta;
    }
    expect(text).toEqual(withFacts('One device.'));
    expect(numbers).toEqual(numbers.map((_, at) => at));
    expect(types.filter((type) => !type.includes('delta'))).toEqual([
      'response.created',
      ...Array(3).fill('response.in_progress'),
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(shown).toEqual(['turn.start', 'tool.start', 'tool.end', 'facts', 'turn.end']);
    const whole = await client.responses.stream({ model, input: 'which?' }).finalResponse();
    expect(whole.output_text).toEqual(withFacts('One device.'));
  });

  it.each([
    ['streamed', true],
    ['at once', false],
  ])(
    'hand back functions of the client, and take their outputs alone: %s',
    async (_how, streams) => {
      chatWorld.answer((sent) => {
        const said = inTurn(sent);
        if (said === 0) return call(['searchDevices', {}]);
        return said === 2 ? call(['getWeather', {}]) : say('Warm and sunny.');
      });
      const ask = (body: OpenAI.Responses.ResponseCreateParamsNonStreaming) =>
        streams
          ? client.responses.stream({ ...body, stream: true }).finalResponse()
          : client.responses.create(body);
      const first = await ask({ model, input: 'warm outside?', tools: [weather] });
      const [called] = first.output;
      if (called?.type !== 'function_call') throw new Error('no function was called');
      expect(called).toMatchObject({ name: 'getWeather', status: 'completed' });
      const second = await ask({
        model,
        previous_response_id: first.id,
        tools: [weather],
        input: [
          { type: 'function_call_output', call_id: called.call_id, output: '{"sky":"sunny"}' },
        ],
      });
      expect(second.output_text).toEqual(withFacts('Warm and sunny.'));
      expect(results(chatWorld.model.requests.at(-1))).toMatchObject([
        { records: [{ deviceName: 'plant device' }] },
        { sky: 'sunny' },
      ]);
      const conversation = Extension.parse(second).x_svc.conversation_id;
      const { body } = await session.get('/api/v3/agentic/message/list', {
        conversation_id: conversation ?? '',
      });
      expect(body.data).toMatchObject([
        { role: 'user', content: 'warm outside?' },
        { role: 'assistant', content: 'Warm and sunny.', status: 'OK' },
      ]);
    },
  );

  it('take outputs with all items before them, and store nothing when told so', async () => {
    chatWorld.answer((sent) => (inTurn(sent) === 0 ? call(['getWeather', {}]) : say('Sunny.')));
    const body = { model, tools: [weather], store: false };
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'weather?' }];
    const first = await client.responses.create({ ...body, input });
    expect(first.conversation ?? null).toBeNull();
    for (const item of first.output) {
      if (item.type !== 'function_call') continue;
      input.push(item, { type: 'function_call_output', call_id: item.call_id, output: 'sunny' });
    }
    expect((await client.responses.create({ ...body, input })).output_text).toEqual(
      withFacts('Sunny.'),
    );
    await expect(
      client.responses.create({ model, input: 'and?', previous_response_id: first.id }),
    ).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found' });
  });

  it.each(['previous_response_id', 'conversation', 'user', 'model'])(
    'refuse a NUL in %s in words',
    async (param) => {
      const body = { model, input: 'hello', [param]: 'resp_\0' };
      await expect(client.responses.create(body)).rejects.toMatchObject({ status: 400 });
    },
  );

  it('give structured output', async () => {
    chatWorld.answer((sent) =>
      sent['response_format'] ? say('{"warm":true}') : say('It is warm.'),
    );
    const format = zodTextFormat(z.object({ warm: z.boolean() }), 'state');
    const { output_parsed } = await client.responses.parse({
      model,
      input: 'warm?',
      text: { format },
    });
    expect(output_parsed).toEqual({ warm: true });
  });

  it('tell a proposal, of which nothing was written', async () => {
    const { deviceId, pointId } = site;
    chatWorld.answer((sent) =>
      inTurn(sent) === 0
        ? call(['writePointValue', { deviceId, pointId, value: 21.5 }])
        : say('Done!'),
    );
    const answer = await client.responses.create({ model, input: 'set it', store: false });
    expect(answer.output_text).toContain('nothing has been written');
    const { x_svc } = Extension.parse(answer);
    expect(x_svc.pending_actions).toMatchObject([{ status: 'PENDING', proposedValue: '21.5' }]);
    expect(x_svc.conversation_id).toEqual(expect.any(String));
  });

  it('fail in the form of OpenAI', async () => {
    for (const [param, body] of [
      ['model', { model: 'gpt-9', input: 'x' }],
      ['tools', { model, input: 'x', tools: [{ type: 'web_search' }] }],
      ['messages', { model, input: [] }],
      ['background', { model, input: 'x', background: 1 }],
    ] as const) {
      const refused = client.post('/responses', { body });
      await expect(refused, param).rejects.toMatchObject({
        type: 'invalid_request_error',
        param: expect.stringContaining(param),
      });
    }
    chatWorld.answer(() => refuse(500));
    await expect(client.responses.create({ model, input: 'x' })).rejects.toMatchObject({
      status: 503,
    });
    const streamed = await client.responses.create({ model, input: 'x', stream: true });
    const types: string[] = [];
    const reading = (async () => {
      for await (const event of streamed) types.push(event.type);
    })();
    await reading.catch(() => types.push('thrown'));
    expect(types).toContain('response.failed');
  });
});
