import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  generateObject,
  generateText,
  isStepCount,
  type ModelMessage,
  streamObject,
  streamText,
  tool,
} from 'ai';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { call, frame, refuse, say, stream } from '../support/neighbours/model.ts';
import { startSdkWorld } from '../support/neighbours/sdk-world.ts';
import { inTurn, results } from '../support/people/chat-world.ts';
import { withFacts } from '../support/people/chat.ts';
import { eventually } from '../support/world/eventually.ts';
import { started } from '../support/world/prepared.ts';

const sdk = started(startSdkWorld);

beforeEach(() => sdk.chatWorld.answer(() => say('All is well.')));

/** The three ways in which the library speaks to a vendor like OpenAI. */
const ways = {
  'its provider for compatible vendors': () =>
    createOpenAICompatible({
      name: 'svc',
      baseURL: sdk.baseURL,
      apiKey: sdk.apiKey,
      includeUsage: true,
      supportsStructuredOutputs: true,
    })(sdk.model),
  "its provider for OpenAI's chat": () =>
    createOpenAI({ baseURL: sdk.baseURL, apiKey: sdk.apiKey }).chat(sdk.model),
  "its provider for OpenAI's responses": () =>
    createOpenAI({ baseURL: `${sdk.baseURL}/v1`, apiKey: sdk.apiKey })(sdk.model),
};
const prompt = 'Is it warm outside?';
const schema = z.object({ warm: z.boolean() });

const weather = (asked: string[]) => ({
  getWeather: tool({
    description: 'Weather of a place',
    inputSchema: z.object({ place: z.string() }),
    execute: async ({ place }) => {
      asked.push(place);
      return { sky: 'sunny' };
    },
  }),
});
/** What the model got last, after the prompt of the platform. */
const heard = () =>
  (sdk.chatWorld.model.requests.at(-1)?.messages ?? []).slice(1).map(({ content }) => content);
/** The platform's tool first, then the client's, then the answer. */
const agentic = () =>
  sdk.chatWorld.answer((sent) => {
    const said = inTurn(sent);
    if (said === 0) return call(['searchDevices', {}]);
    return said === 2 ? call(['getWeather', { place: 'here' }]) : say('Warm and sunny.');
  });

describe.each(Object.entries(ways))('the AI SDK of Vercel, unchanged, with %s', (_way, open) => {
  it('gets a whole answer, and what it used', async () => {
    const { text, usage, finishReason } = await generateText({ model: open(), prompt });
    expect({ text, finishReason }).toEqual({
      text: withFacts('All is well.'),
      finishReason: 'stop',
    });
    expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  });

  it('gets a streamed answer as it comes, and what it used', async () => {
    const streamed = streamText({ model: open(), prompt });
    const parts: string[] = [];
    for await (const part of streamed.textStream) parts.push(part);
    expect(parts.join('')).toEqual(withFacts('All is well.'));
    expect(parts.length).toBeGreaterThan(1);
    expect(await streamed.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  });

  it.each([
    ['streamed', true],
    ['at once', false],
  ])('runs its tools beside those of the platform: %s', async (_how, streams) => {
    agentic();
    const asked: string[] = [];
    const given = { model: open(), prompt, tools: weather(asked), stopWhen: isStepCount(5) };
    const text = streams ? await streamText(given).text : (await generateText(given)).text;
    expect(text).toEqual(withFacts('Warm and sunny.'));
    expect(asked).toEqual(['here']);
    expect(results(sdk.chatWorld.model.requests.at(-1)).at(-1)).toEqual({ sky: 'sunny' });
  });

  it('goes on with what it was answered before', async () => {
    const messages: ModelMessage[] = [{ role: 'user', content: prompt }];
    sdk.chatWorld.answer(() => say('All is well.'));
    messages.push(...(await generateText({ model: open(), messages })).response.messages);
    messages.push({ role: 'user', content: 'And tomorrow?' });
    sdk.chatWorld.answer(() => say('Likewise.'));
    const streamed = streamText({ model: open(), messages });
    expect(await streamed.text).toEqual(withFacts('Likewise.'));
    expect(heard()).toEqual([prompt, 'All is well.', 'And tomorrow?']);
    messages.push(...(await streamed.response).messages, { role: 'user', content: 'Then?' });
    expect((await generateText({ model: open(), messages })).text).toEqual(withFacts('Likewise.'));
    expect(heard().slice(-3)).toEqual(['And tomorrow?', 'Likewise.', 'Then?']);
  });

  it('runs a tool that the model announces', async () => {
    const calls = { name: 'getWeather', arguments: '{"place":"here"}' };
    const choice = (delta: object, finish_reason: string | null = null) =>
      frame({ choices: [{ index: 0, delta, finish_reason }] });
    const announced = stream(
      choice({ content: 'Let me see.' }),
      choice({ tool_calls: [{ index: 0, id: 'call_0', type: 'function', function: calls }] }),
      choice({}, 'tool_calls'),
      'data: [DONE]\n\n',
    );
    sdk.chatWorld.answer((sent) => (inTurn(sent) === 0 ? announced : say('Sunny.')));
    const asked: string[] = [];
    const messages: ModelMessage[] = [{ role: 'user', content: prompt }];
    const given = { model: open(), tools: weather(asked), stopWhen: isStepCount(3) };
    const first = await generateText({ ...given, messages });
    expect({ text: first.text, asked }).toEqual({ text: withFacts('Sunny.'), asked: ['here'] });
    expect(heard().filter((text) => text === 'Let me see.')).toHaveLength(1);
    messages.push(...first.response.messages, { role: 'user', content: 'And tomorrow?' });
    sdk.chatWorld.answer(() => say('Likewise.'));
    expect((await generateText({ ...given, messages })).text).toEqual(withFacts('Likewise.'));
    expect(heard().slice(-2)).toEqual([expect.stringMatching(/Sunny\.$/), 'And tomorrow?']);
  });

  it('gets an object of its schema, also as it comes', async () => {
    sdk.chatWorld.answer((sent) =>
      sent['response_format'] ? say('{"warm":true}') : say('It is warm.'),
    );
    const { object } = await generateObject({ model: open(), prompt, schema });
    expect(object).toEqual({ warm: true });
    const partial: unknown[] = [];
    for await (const part of streamObject({ model: open(), prompt, schema }).partialObjectStream)
      partial.push(part);
    expect(partial.at(-1)).toEqual({ warm: true });
  });

  it('stops the model when it is aborted', async () => {
    const left = sdk.chatWorld.model.left();
    sdk.chatWorld.answer(() => (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(
        frame({ choices: [{ index: 0, delta: { content: 'Well' }, finish_reason: null }] }),
      );
    });
    const leaving = new AbortController();
    const streamed = streamText({ model: open(), prompt, abortSignal: leaving.signal });
    for await (const _ of streamed.textStream) leaving.abort();
    await eventually(
      async () => sdk.chatWorld.model.left(),
      (count) => count > left,
    );
  });

  it('learns in its own form of a model that fails', async () => {
    sdk.chatWorld.answer(() => refuse(500));
    const failing = generateText({ model: open(), prompt, maxRetries: 0 });
    await expect(failing).rejects.toMatchObject({ statusCode: 503 });
    const errors: unknown[] = [];
    const streamed = streamText({
      model: open(),
      prompt,
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    });
    await streamed.consumeStream();
    expect(errors).not.toEqual([]);
  });

  it.each([
    ['streamed', true, 21],
    ['at once', false, 22],
  ])('comes through a pending action to its receipt: %s', async (_how, streams, value) => {
    const asked: string[] = [];
    const given = { model: open(), prompt, tools: weather(asked), stopWhen: isStepCount(5) };
    sdk.chatWorld.answer((sent) =>
      inTurn(sent) === 0 ? call(['getWeather', { place: 'here' }]) : sdk.proposal(sent, value),
    );
    const { text, answers } = streams ? await asItComes(given) : await atOnce(given);
    expect(asked).toEqual(['here']);
    expect(text).toContain('nothing has been written');
    const { actionId, conversationId } = await sdk.confirmed(answers);
    const headers = { 'x-conversation-id': conversationId };
    const next = await atOnce({ ...given, headers });
    expect(next.text).toEqual(withFacts('It is written.'));
    sdk.expectReceipt(actionId, value);
  });
});

type Given = Parameters<typeof generateText>[0];

async function atOnce(given: Given) {
  const { text, steps } = await generateText({ ...given, include: { responseBody: true } });
  return { text, answers: steps.map(({ response }) => response.body) };
}

async function asItComes(given: Given) {
  const result = streamText({ ...given, include: { rawChunks: true } });
  const answers: unknown[] = [];
  for await (const part of result.fullStream) if (part.type === 'raw') answers.push(part.rawValue);
  return { text: await result.text, answers };
}
