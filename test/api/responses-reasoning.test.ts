import { createOpenAI } from '@ai-sdk/openai';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';

import { frame, type Reply, stream } from '../support/neighbours/model.ts';
import { inTurn, startChatWorld } from '../support/people/chat-world.ts';
import { withFacts } from '../support/people/chat.ts';
import { prepared, started } from '../support/world/prepared.ts';

const chatWorld = started(startChatWorld);
const session = prepared(() => chatWorld.world.admin);
const reached = prepared(() => ({
  baseURL: `${session.base}/api/v3/agentic/v1`,
  apiKey: 'unused',
}));
const client = prepared(
  () =>
    new OpenAI({
      ...reached,
      maxRetries: 0,
      defaultHeaders: { ...session.headers, Authorization: null },
    }),
);
const model = 'fake-1';
const input = 'which?';

const chunk = (delta: object, finish: string | null = null) =>
  frame({ id: 'c1', choices: [{ index: 0, delta, finish_reason: finish }] });
const called = (id: string, name: string) =>
  chunk({ tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: '{}' } }] });
const DONE = 'data: [DONE]\n\n';
const think = (...words: string[]) => words.map((word) => chunk({ reasoning_content: word }));

/** Thinks, calls a tool of the platform, thinks again and answers. */
const thinker = (sent: Parameters<typeof inTurn>[0]): Reply =>
  inTurn(sent) === 0
    ? stream(
        ...think('Where', ' is it?'),
        called('a', 'searchDevices'),
        chunk({}, 'tool_calls'),
        DONE,
      )
    : stream(...think('There.'), chunk({ content: 'One device.' }), chunk({}, 'stop'), DONE);
const THOUGHT = 'Where is it?\n\nThere.';

describe('what a model reasons before its answer', () => {
  it('is an item of its response, streamed or not, and is stored with none', async () => {
    chatWorld.answer(thinker);
    const streamed = client.responses.stream({ model, input });
    const deltas: string[] = [];
    streamed.on('response.reasoning_summary_text.delta', ({ delta }) => deltas.push(delta));
    const whole = await streamed.finalResponse();
    for (const response of [whole, await client.responses.create({ model, input })]) {
      expect(response.output).toMatchObject([
        { type: 'reasoning', summary: [{ type: 'summary_text', text: THOUGHT }] },
        { type: 'message' },
      ]);
      expect(response.output_text).toEqual(withFacts('One device.'));
      const read = await client.responses.retrieve(response.id);
      expect(read.output).toMatchObject([{ type: 'message', id: response.output[1]?.id }]);
    }
    expect(deltas.join('')).toBe(THOUGHT);
    // What a client gives back of it is not sent on.
    const again = whole.output.flatMap((item) =>
      item.type === 'reasoning' || item.type === 'message' ? [item] : [],
    );
    const asked = { role: 'user' as const, content: input };
    await client.responses.create({
      model,
      input: [asked, ...again, { ...asked, content: 'and?' }],
    });
    const sent = JSON.stringify(chatWorld.model.requests.at(-2)?.messages);
    expect(sent).toContain('One device.');
    expect(sent).not.toContain('Where is it?');
  });

  it('begins another item after a text, and comes before calls of its client', async () => {
    chatWorld.answer(() =>
      stream(
        ...think('First.'),
        chunk({ content: 'Let me look.' }),
        ...think('Second.'),
        called('b', 'getWeather'),
        chunk({}, 'tool_calls'),
        DONE,
      ),
    );
    const tools = [
      {
        type: 'function',
        name: 'getWeather',
        parameters: { type: 'object', properties: {} },
        strict: false,
      } as const,
    ];
    const streamed = client.responses.stream({ model, input, tools });
    const types = (output: OpenAI.Responses.ResponseOutputItem[]) => output.map(({ type }) => type);
    const order = ['reasoning', 'message', 'reasoning', 'function_call'];
    expect(types((await streamed.finalResponse()).output)).toEqual(order);
    const whole = await client.responses.create({ model, input, tools });
    expect(types(whole.output)).toEqual(order);
  });

  it('is the reasoning of the AI SDK', async () => {
    chatWorld.answer(thinker);
    const provider = createOpenAI({ ...reached, headers: { ...session.headers } });
    const asked = { model: provider.responses(model), prompt: input, maxRetries: 0 };
    expect((await generateText(asked)).reasoningText).toBe(THOUGHT);
    expect(await streamText(asked).reasoningText).toBe(THOUGHT);
  });
});
