import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { call, frame, say, stream as fragments } from '../support/neighbours/model.ts';
import { addProvider } from '../support/neighbours/providers.ts';
import { startSdkWorld } from '../support/neighbours/sdk-world.ts';
import { inTurn } from '../support/people/chat-world.ts';
import { withFacts } from '../support/people/chat.ts';
import { eventually } from '../support/world/eventually.ts';
import { started } from '../support/world/prepared.ts';

const PNG = `data:image/png;base64,${Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1').toString('base64')}`;
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'warm outside?' }];

let client: OpenAI;
const sdk = started(startSdkWorld);
beforeAll(async () => {
  const { session, chatWorld, baseURL, apiKey } = sdk;
  const providerId = await addProvider(session, { name: 'o', baseUrl: chatWorld.model.baseUrl });
  const seeing = { providerId, model, vision: true };
  await session.data('/api/v3/agentic/model/config/add', seeing);
  client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
});

beforeEach(() => sdk.chatWorld.answer(() => say('All is well.')));

const model = 'fake-1';
/** The platform's tool first, then the client's, then the answer. */
const agentic = () =>
  sdk.chatWorld.answer((sent) => {
    const said = inTurn(sent);
    if (said === 0) return call(['searchDevices', {}]);
    return said === 2 ? call(['getWeather', { place: 'here' }]) : say('Warm and sunny.');
  });

const weather = (asked: string[]) => ({
  type: 'function' as const,
  function: {
    name: 'getWeather',
    description: 'Weather of a place',
    parameters: { type: 'object' as const, properties: { place: { type: 'string' } } },
    parse: (text: string) => z.object({ place: z.string() }).parse(JSON.parse(text)),
    function: ({ place }: { place: string }) => {
      asked.push(place);
      return 'sunny';
    },
  },
});

describe("OpenAI's own client, unchanged", () => {
  it.each([
    ['streamed', true],
    ['at once', false],
  ])('runs its tools beside those of the platform: %s', async (_how, stream) => {
    agentic();
    const asked: string[] = [];
    const tools = [weather(asked)];
    const runner = stream
      ? client.chat.completions.runTools({ model, messages, tools, stream: true })
      : client.chat.completions.runTools({ model, messages, tools });
    expect(await runner.finalContent()).toEqual(withFacts('Warm and sunny.'));
    expect(asked).toEqual(['here']);
  });

  it('gets a structured output', async () => {
    sdk.chatWorld.answer((sent) =>
      sent['response_format'] ? say('{"warm":true}') : say('It is warm.'),
    );
    const response_format = zodResponseFormat(z.object({ warm: z.boolean() }), 'state');
    const { choices } = await client.chat.completions.parse({ model, messages, response_format });
    expect(choices[0]?.message.parsed).toEqual({ warm: true });
    const streamed = client.chat.completions.stream({ model, messages, response_format });
    const { choices: final } = await streamed.finalChatCompletion();
    expect(final[0]?.message.parsed).toEqual({ warm: true });
  });

  it('gets a refusal in place of a structured output, streamed and not', async () => {
    const part = (delta: object, finish_reason: string | null = null) =>
      frame({ choices: [{ index: 0, delta, finish_reason }] });
    sdk.chatWorld.answer(() =>
      fragments(
        part({ role: 'assistant', content: '' }),
        part({ refusal: 'I cannot' }),
        part({ refusal: ' do that.' }),
        part({}, 'stop'),
        'data: [DONE]\n\n',
      ),
    );
    const State = z.object({ ok: z.boolean() });
    const asked = { model, messages, response_format: zodResponseFormat(State, 'state') };
    const whole = await client.chat.completions.parse(asked);
    const streamed = await client.chat.completions.stream(asked).finalChatCompletion();
    for (const { choices } of [whole, streamed])
      expect(choices[0]?.message).toMatchObject({
        refusal: 'I cannot do that.',
        parsed: null,
      });
    expect(whole.choices[0]?.message.content).toBeNull();
    const text = { format: zodTextFormat(State, 'state') };
    const refused = { type: 'refusal', refusal: 'I cannot do that.' };
    const stream = client.responses.stream({ model, input: 'do it', text, store: false });
    let delta = '';
    stream.on('response.refusal.delta', (event) => (delta += event.delta));
    for (const { output } of [
      await client.responses.create({ model, input: 'do it', text, store: false }),
      await stream.finalResponse(),
    ])
      expect(output).toMatchObject([{ type: 'message', content: [refused] }]);
    expect(delta).toBe(refused.refusal);
    const { choices } = await client.chat.completions.create({ model, messages });
    expect(choices[0]?.message).toMatchObject({
      content: withFacts('I cannot do that.'),
      refusal: null,
    });
  });

  it('shows an image', async () => {
    const { choices } = await client.chat.completions.create({
      model,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: PNG } },
          ],
        },
      ],
    });
    expect(choices[0]?.message.content).toEqual(withFacts('All is well.'));
    expect(sdk.chatWorld.model.requests.at(-1)?.messages.at(-1)?.parts).toContainEqual({
      type: 'image_url',
      image_url: { url: PNG },
    });
  });

  it('resends a refusal', async () => {
    const refused: OpenAI.ChatCompletionAssistantMessageParam = {
      role: 'assistant',
      content: [{ type: 'refusal', refusal: 'No.' }],
    };
    await client.chat.completions.create({ model, messages: [...messages, refused, ...messages] });
    const sent = sdk.chatWorld.model.requests.at(-1)?.messages.map(({ content }) => content);
    expect(sent?.at(-2)).toBe('No.');
  });

  it('stops the model when it leaves', async () => {
    const left = sdk.chatWorld.model.left();
    sdk.chatWorld.answer(() => (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(
        frame({ choices: [{ index: 0, delta: { content: 'Well' }, finish_reason: null }] }),
      );
    });
    const streamed = await client.chat.completions.create({ model, messages, stream: true });
    for await (const chunk of streamed) if (chunk.choices[0]?.delta.content) break;
    await eventually(
      async () => sdk.chatWorld.model.left(),
      (count) => count > left,
    );
  });

  it.each([
    ['streamed', true],
    ['at once', false],
  ])('comes through a pending action to its receipt: %s', async (_how, stream) => {
    const value = stream ? 22.5 : 23.5;
    sdk.chatWorld.answer((sent) =>
      inTurn(sent) === 0 ? call(['getWeather', { place: 'here' }]) : sdk.proposal(sent, value),
    );
    const asked: string[] = [];
    const tools = [weather(asked)];
    const answers: unknown[] = [];
    const runner = stream
      ? client.chat.completions
          .runTools({ model, messages, tools, stream: true })
          .on('chunk', (chunk) => answers.push(chunk))
      : client.chat.completions
          .runTools({ model, messages, tools })
          .on('chatCompletion', (completion) => answers.push(completion));
    expect(await runner.finalContent()).toContain('nothing has been written');
    expect(asked).toEqual(['here']);
    const { actionId, conversationId } = await sdk.confirmed(answers);
    const headers = { 'x-conversation-id': conversationId };
    const { choices } = await client.chat.completions.create({ model, messages }, { headers });
    expect(choices[0]?.message.content).toEqual(withFacts('It is written.'));
    sdk.expectReceipt(actionId, value);
  });

  it('learns that its proposal was rejected', async () => {
    sdk.chatWorld.answer((sent) => sdk.proposal(sent, 24.5));
    const completion = await client.chat.completions.create({ model, messages });
    const { actionId, conversationId } = await sdk.rejected([completion]);
    const headers = { 'x-conversation-id': conversationId };
    await client.chat.completions.create({ model, messages }, { headers });
    const [system] = sdk.chatWorld.model.requests.at(-1)?.messages ?? [];
    expect(system?.content).toContain(`action ${actionId} is REJECTED`);
  });
});
