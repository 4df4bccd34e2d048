import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { call, frame, say } from '../support/neighbours/model.ts';
import { addProvider } from '../support/neighbours/providers.ts';
import { type ChatWorld, inTurn, startChatWorld } from '../support/people/chat-world.ts';
import type { Session } from '../support/people/session.ts';
import { eventually } from '../support/world/eventually.ts';
import { onboard, type Site } from '../tools/agent.ts';

const PNG = `data:image/png;base64,${Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1').toString('base64')}`;
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'warm outside?' }];
const Extended = z.object({ x_svc: z.object({ pending_actions: z.array(z.looseObject({})) }) });

let chatWorld: ChatWorld;
let session: Session;
let site: Site;
let client: OpenAI;
beforeAll(async () => {
  chatWorld = await startChatWorld();
  session = chatWorld.world.admin;
  site = await onboard(session, 'plant');
  const providerId = await addProvider(session, { name: 'o', baseUrl: chatWorld.model.baseUrl });
  const seeing = { providerId, model: 'fake-1', vision: true };
  await session.data('/api/v3/agentic/model/config/add', seeing);
  client = new OpenAI({
    baseURL: `${session.base}/api/v3/agentic`,
    apiKey: 'unused',
    maxRetries: 0,
    defaultHeaders: { ...session.headers, Authorization: null },
  });
});
afterAll(() => chatWorld.stop());
beforeEach(() => chatWorld.answer(() => say('All is well.')));

const model = 'fake-1';
/** The platform's tool first, then the client's, then the answer. */
const agentic = () =>
  chatWorld.answer((sent) => {
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
    expect(await runner.finalContent()).toBe('Warm and sunny.');
    expect(asked).toEqual(['here']);
  });

  it('gets a structured output', async () => {
    chatWorld.answer((sent) =>
      sent['response_format'] ? say('{"warm":true}') : say('It is warm.'),
    );
    const response_format = zodResponseFormat(z.object({ warm: z.boolean() }), 'state');
    const { choices } = await client.chat.completions.parse({ model, messages, response_format });
    expect(choices[0]?.message.parsed).toEqual({ warm: true });
    const streamed = client.chat.completions.stream({ model, messages, response_format });
    const { choices: final } = await streamed.finalChatCompletion();
    expect(final[0]?.message.parsed).toEqual({ warm: true });
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
    expect(choices[0]?.message.content).toBe('All is well.');
    expect(chatWorld.model.requests.at(-1)?.messages.at(-1)?.parts).toContainEqual({
      type: 'image_url',
      image_url: { url: PNG },
    });
  });

  it('stops the model when it leaves', async () => {
    const left = chatWorld.model.left();
    chatWorld.answer(() => (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(
        frame({ choices: [{ index: 0, delta: { content: 'Well' }, finish_reason: null }] }),
      );
    });
    const streamed = await client.chat.completions.create({ model, messages, stream: true });
    for await (const chunk of streamed) if (chunk.choices[0]?.delta.content) break;
    await eventually(
      async () => chatWorld.model.left(),
      (count) => count > left,
    );
  });

  it('comes through a pending action to its receipt, with tools of its own', async () => {
    const { deviceId, pointId } = site;
    chatWorld.answer((sent) => {
      const said = inTurn(sent);
      if (said === 0) return call(['getWeather', { place: 'here' }]);
      if (said === 2) return call(['writePointValue', { deviceId, pointId, value: 22.5 }]);
      return say('I have proposed it.');
    });
    const asked: string[] = [];
    const runner = client.chat.completions.runTools({ model, messages, tools: [weather(asked)] });
    const completion = await runner.finalChatCompletion();
    expect(completion.choices[0]?.message.content).toContain('nothing has been written');
    const [card] = Extended.parse(completion).x_svc.pending_actions;
    const body = { actionId: card?.['actionId'], digest: card?.['digest'] };
    await session.data('/api/v3/agentic/action/reject', { actionId: body.actionId });
    chatWorld.answer(() => say('It was rejected.'));
    const { conversationId } = z.looseObject({ conversationId: z.string() }).parse(card);
    const headers = { 'x-conversation-id': conversationId };
    await client.chat.completions.create({ model, messages }, { headers });
    const [system] = chatWorld.model.requests.at(-1)?.messages ?? [];
    expect(system?.content).toContain(`action ${String(body.actionId)} is REJECTED`);
  });
});
