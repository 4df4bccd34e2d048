import { afterEach, describe, expect, it } from 'vitest';

import { openAiCompatible } from '../../providers/openai/openai-compatible.ts';
import type { ModelDelta, ModelRequest } from '../../providers/request/provider.ts';
import {
  type FakeModel,
  frame,
  type Reply,
  say,
  startModel,
  stream,
} from '../support/neighbours/model.ts';
import { TestClock } from '../support/world/clock.ts';

let upstream: FakeModel | undefined;
afterEach(async () => {
  await upstream?.stop();
  upstream = undefined;
});

async function complete(
  reply: Reply,
  more: Partial<ModelRequest> = {},
  clock = new TestClock(),
): Promise<ModelDelta[]> {
  await upstream?.stop();
  upstream = await startModel(() => reply);
  const { baseUrl } = upstream;
  const provider = openAiCompatible({ baseUrl, apiKey: 'k', clock, egress: null });
  const request: ModelRequest = {
    model: 'm-1',
    messages: [{ role: 'user', content: 'hello' }],
    tools: [],
    ...more,
  };
  const deltas: ModelDelta[] = [];
  for await (const delta of provider.complete(request, new AbortController().signal)) {
    deltas.push(delta);
  }
  return deltas;
}

describe('the wire of openai-compatible alone', () => {
  it('may miss parts, have others, and have them of the wrong type', async () => {
    const odd = frame({
      id: 7,
      choices: [
        { delta: { content: 5, tool_calls: [{ function: { name: 't', arguments: { a: 1 } } }] } },
      ],
      extra: [],
    });
    const last = { choices: [{ index: 0, delta: { content: 'ok' }, finish_reason: 'unheard_of' }] };
    const deltas = await complete(stream(frame({}), odd, frame({ choices: [] }), frame(last)));
    expect(deltas).toEqual([
      { type: 'toolCall', index: 0, name: 't', arguments: '{"a":1}' },
      { type: 'text', text: 'ok' },
      { type: 'finish', reason: 'stop' },
    ]);
  });

  it('sends model, messages and options, and no tools when there are none', async () => {
    await complete(say('hi'), { temperature: 0.2, maxTokens: 7 });
    expect(upstream?.requests[0]).toEqual({
      model: 'm-1',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'hello' }],
      temperature: 0.2,
      max_tokens: 7,
    });
  });

  it('sends a model that reasons the newer limit and no temperature', async () => {
    const sent = async (reasoning: 'usual' | 'asked') => {
      await complete(say('42'), { model: 'o3', temperature: 0.2, maxTokens: 7, reasoning });
      return upstream?.requests[0];
    };
    const usual = {
      model: 'o3',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'hello' }],
      max_completion_tokens: 7,
    };
    expect(await sent('usual')).toEqual(usual);
    expect(await sent('asked')).toEqual({ ...usual, reasoning_effort: 'medium' });
  });

  it('may be silent for longer where the model reasons before its first word', async () => {
    const clock = new TestClock();
    const slow =
      (seconds: number): Reply =>
      async (res) => {
        await clock.advance(seconds * 1_000);
        await say('42')(res);
      };
    const thinking = { model: 'o3', reasoning: 'usual' } as const;
    expect((await complete(slow(100), thinking, clock)).length).toBeGreaterThan(1);
    await expect(complete(slow(121), thinking, clock)).rejects.toMatchObject({ status: 503 });
    await expect(complete(slow(61), {}, clock)).rejects.toMatchObject({ status: 503 });
    expect(clock.pending).toBe(0);
  });

  it.each(['reasoning_content', 'reasoning'] as const)(
    'hears what a model reasons in %s, and gives it back with its calls alone',
    async (field) => {
      const extra_content = { google: { thought_signature: 'c2ln' } };
      const calling = { index: 0, id: 'a', function: { name: 'look', arguments: '{}' } };
      const chunks = [
        { role: 'assistant', content: '', [field]: 'First' },
        { content: null, [field]: ' look.' },
        { content: 'Looking', [field]: '' },
        { content: ' now', [field]: null },
        { tool_calls: [{ ...calling, extra_content }] },
      ].map((delta) => frame({ choices: [{ index: 0, delta }] }));
      const end = frame({ choices: [{ delta: {}, finish_reason: 'tool_calls' }] });
      const deltas = await complete(stream([...chunks, end].join('')));
      const call = { id: 'a', name: 'look', arguments: '{}', extra: extra_content };
      expect(deltas).toEqual([
        { type: 'reasoning', field, text: 'First look.' },
        { type: 'text', text: 'Looking now' },
        { type: 'toolCall', index: 0, ...call },
        { type: 'finish', reason: 'tool_calls' },
      ]);
      const reasoning = { field, text: 'First look.' };
      await complete(say('ok'), {
        messages: [
          { role: 'user', content: 'hello' },
          { role: 'assistant', content: 'Looking now', toolCalls: [call], reasoning },
          { role: 'tool', toolCallId: 'a', content: '{}' },
          { role: 'assistant', content: 'Seen', reasoning },
        ],
      });
      expect(upstream?.requests[0]?.messages).toEqual([
        { role: 'user', content: 'hello' },
        {
          role: 'assistant',
          content: 'Looking now',
          [field]: 'First look.',
          tool_calls: [
            {
              id: 'a',
              type: 'function',
              function: { name: 'look' },
              extra_content,
            },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: '{}' },
        { role: 'assistant', content: 'Seen' },
      ]);
    },
  );

  it('hears of an empty reasoning where no text comes with it, and of no extra content that is too long', async () => {
    const extra_content = { google: { thought_signature: 'x'.repeat(40_000) } };
    const calling = { index: 0, id: 'a', function: { name: 'look', arguments: '{}' } };
    const delta = { content: null, reasoning_content: '' };
    const deltas = await complete(
      stream(
        frame({ choices: [{ delta }] }),
        frame({ choices: [{ delta: { tool_calls: [{ ...calling, extra_content }] } }] }),
        frame({ choices: [{ delta: {}, finish_reason: 'tool_calls' }] }),
      ),
    );
    expect(deltas).toEqual([
      { type: 'reasoning', field: 'reasoning_content', text: '' },
      { type: 'toolCall', index: 0, id: 'a', name: 'look', arguments: '{}' },
      { type: 'finish', reason: 'tool_calls' },
    ]);
  });

  const part = (index: number | undefined, id: string | undefined, name?: string, args?: string) =>
    ({ index, id, function: { name, arguments: args } }) as const;
  const callsIn = async (...chunks: ReturnType<typeof part>[][]) => {
    const frames = chunks.map((tool_calls) => frame({ choices: [{ delta: { tool_calls } }] }));
    const end = frame({ choices: [{ delta: {}, finish_reason: 'tool_calls' }] });
    const deltas = await complete(stream(...frames, end));
    const calls = new Map<number, string>();
    for (const delta of deltas) {
      if (delta.type !== 'toolCall') continue;
      const { index, id = '', name = '', arguments: text = '' } = delta;
      calls.set(index, `${calls.get(index) ?? ''}${id}${name}${text}`);
    }
    return [...calls.values()];
  };

  it.each([
    ['the index 0 for all', 0],
    ['no index', undefined],
  ])('tells calls apart by their ids where a vendor gives %s', async (_what, index) => {
    const a = part(index, 'a', 'look', '{"d":1}');
    const b = part(index, 'b', 'look', '{"d":2}');
    expect(await callsIn([a], [b])).toEqual(['alook{"d":1}', 'blook{"d":2}']);
    expect(await callsIn([a, b])).toEqual(['alook{"d":1}', 'blook{"d":2}']);
    const begun = [part(index, 'a', 'look', '{'), part(index, 'b', 'look', '{')];
    expect(
      await callsIn(
        ...begun.map((one) => [one]),
        [part(index, undefined, undefined, '"d":2}')],
        [part(index, 'a', undefined, '}')],
      ),
    ).toEqual(['alook{a}', 'blook{"d":2}']);
  });

  it('keeps a call whole whose fragments all bring an id and a name, or ever new ids', async () => {
    const same = (args: string) => [part(0, 'a', 'look', args)];
    expect(await callsIn(same('{'), same('}'))).toEqual(['alook{alook}']);
    const fresh = (id: string, args: string) => [part(0, id, undefined, args)];
    expect(await callsIn([part(0, 'a', 'look')], fresh('b', '{'), fresh('c', '}'))).toEqual([
      'alookb{c}',
    ]);
    expect(await callsIn([part(0, '', 'look', '{')], [part(0, '', '', '}')])).toEqual(['look{}']);
  });

  it('hears of 128 calls at most', async () => {
    const many = Array.from({ length: 300 }, (_, at) => [part(0, `c${at}`, 'look', '{}')]);
    expect(await callsIn(...many)).toHaveLength(128);
  });
});
