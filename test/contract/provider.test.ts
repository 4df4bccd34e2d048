import { afterEach, describe, expect, it } from 'vitest';

import { providers } from '../../providers/index.ts';
import type {
  ModelDelta,
  ModelMessage,
  ModelRequest,
  Provider,
} from '../../providers/request/provider.ts';
import * as anthropic from '../support/neighbours/anthropic-model.ts';
import { startAnthropicModel } from '../support/neighbours/anthropic-model.ts';
import { call, type FakeModel, say, startModel } from '../support/neighbours/model.ts';
import { TestClock } from '../support/world/clock.ts';

const tool = (name: string) => ({
  name,
  description: `${name} of the platform`,
  parameters: { type: 'object', properties: {}, additionalProperties: false },
});

let upstream: FakeModel<unknown> | undefined;
afterEach(async () => {
  await upstream?.stop();
  upstream = undefined;
});

/** Each member, made so that it answers in words when it may not, or need not, call a tool. */
const members: Record<keyof typeof providers, (clock: TestClock) => Promise<Provider>> = {
  'openai-compatible': async (clock) => {
    upstream = await startModel(({ tools, messages }) =>
      tools && messages.at(-1)?.role === 'user' ? call(['searchDevices', {}]) : say('I see none.'),
    );
    return providers['openai-compatible']({
      baseUrl: upstream.baseUrl,
      apiKey: 'key',
      clock,
      egress: null,
    });
  },
  anthropic: async (clock) => {
    upstream = await startAnthropicModel(({ tools, messages }) =>
      tools && messages.at(-1)?.content.every(({ type }) => type === 'text')
        ? anthropic.call(['searchDevices', {}])
        : anthropic.say('I see none.'),
    );
    return providers.anthropic({ baseUrl: upstream.baseUrl, apiKey: 'key', clock, egress: null });
  },
  scripted: async (clock) => providers.scripted({ baseUrl: '', apiKey: '', clock, egress: null }),
};

const question: ModelMessage = { role: 'user', content: 'list devices' };
const ask = (messages: ModelMessage[], tools: string[] = []): ModelRequest => ({
  model: 'any',
  messages: [{ role: 'system', content: 'rules' }, ...messages],
  tools: tools.map(tool),
});

async function all(provider: Provider, request: ModelRequest): Promise<ModelDelta[]> {
  const deltas: ModelDelta[] = [];
  for await (const delta of provider.complete(request, new AbortController().signal)) {
    deltas.push(delta);
  }
  return deltas;
}

describe.each(Object.entries(members))('provider %s', (_name, open) => {
  it('answers in words and ends with one finish that counts tokens', async () => {
    const provider = await open(new TestClock());
    const deltas = await all(provider, ask([question]));
    expect(deltas.filter(({ type }) => type === 'text').length).toBeGreaterThan(1);
    expect(deltas.filter(({ type }) => type === 'finish')).toHaveLength(1);
    expect(deltas.at(-1)).toMatchObject({
      type: 'finish',
      reason: 'stop',
      usage: { promptTokens: expect.any(Number), completionTokens: expect.any(Number) },
    });
  });

  it('asks for an offered tool with an id, a name and arguments that are JSON', async () => {
    const provider = await open(new TestClock());
    const deltas = await all(provider, ask([question], ['searchDevices']));
    const fragments = deltas.filter((delta) => delta.type === 'toolCall');
    expect(fragments[0]).toMatchObject({ index: 0, id: expect.any(String), name: 'searchDevices' });
    expect(JSON.parse(fragments.map((part) => part.arguments ?? '').join(''))).toBeTypeOf('object');
    expect(deltas.at(-1)).toMatchObject({ type: 'finish', reason: 'tool_calls' });
  });

  it('goes on from the tool results it is given', async () => {
    const provider = await open(new TestClock());
    const deltas = await all(
      provider,
      ask(
        [
          question,
          {
            role: 'assistant',
            content: '',
            toolCalls: [{ id: 'call_1', name: 'searchDevices', arguments: '{}' }],
          },
          { role: 'tool', toolCallId: 'call_1', content: '{"total":0,"returned":0,"records":[]}' },
        ],
        ['searchDevices'],
      ),
    );
    expect(deltas.some(({ type }) => type === 'toolCall')).toBe(false);
    expect(deltas.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
  });

  it('throws the reason of a signal that is aborted, and leaves no timer behind', async () => {
    const clock = new TestClock();
    const provider = await open(clock);
    const reason = new Error('the client left');
    const run = async () => {
      for await (const _ of provider.complete(ask([question]), AbortSignal.abort(reason)));
    };
    await expect(run()).rejects.toBe(reason);
    await all(provider, ask([question]));
    expect(clock.pending).toBe(0);
  });
});

describe('a request in the dialect of OpenAI', () => {
  it('has one system message, at its beginning', async () => {
    const provider = await members['openai-compatible'](new TestClock());
    await all(provider, ask([{ role: 'system', content: 'Be brief.' }, question]));
    expect(upstream?.requests[0]).toMatchObject({
      messages: [{ role: 'system', content: 'rules\n\nBe brief.' }, question],
    });
  });
});
