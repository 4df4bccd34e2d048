import { afterEach, describe, expect, it } from 'vitest';

import { anthropic } from '../../providers/anthropic/anthropic.ts';
import type { ModelDelta, ModelMessage, ModelRequest } from '../../providers/request/provider.ts';
import {
  type AnthropicModel,
  begin,
  block,
  end,
  event,
  say,
  startAnthropicModel,
} from '../support/neighbours/anthropic-model.ts';
import { refuse, type Reply, stream } from '../support/neighbours/model.ts';
import { TestClock } from '../support/world/clock.ts';

let upstream: AnthropicModel | undefined;
afterEach(async () => {
  await upstream?.stop();
  upstream = undefined;
});

const tool = { name: 'look', description: 'Looks.', parameters: { type: 'object' } };
const user = (content: string): ModelMessage => ({ role: 'user', content });
const system = (content: string): ModelMessage => ({ role: 'system', content });
const said = (content: string): ModelMessage => ({ role: 'assistant', content });
const called = (content: string, ...calls: [id: string, name: string, args: string][]) => ({
  role: 'assistant' as const,
  content,
  toolCalls: calls.map(([id, name, args]) => ({ id, name, arguments: args })),
});
const result = (toolCallId: string, content: string): ModelMessage => ({
  role: 'tool',
  toolCallId,
  content,
});

async function complete(reply: Reply, more: Partial<ModelRequest> = {}): Promise<ModelDelta[]> {
  upstream = await startAnthropicModel(() => reply);
  const { baseUrl } = upstream;
  const provider = anthropic({ baseUrl, apiKey: 'k', clock: new TestClock(), egress: null });
  const request = { model: 'claude-a', messages: [user('hello')], tools: [], ...more };
  const deltas: ModelDelta[] = [];
  for await (const delta of provider.complete(request, new AbortController().signal)) {
    deltas.push(delta);
  }
  return deltas;
}

/** What the vendor is sent for a request; its fake refuses what the vendor refuses. */
async function sentFor(more: Partial<ModelRequest>) {
  await complete(say('ok'), more);
  return upstream?.requests[0];
}

const text = (words: string) => ({ type: 'text', text: words });

describe('a request to Anthropic', () => {
  it('with tools marks the ends of tools, rules and messages, which the vendor then caches', async () => {
    const cache_control = { type: 'ephemeral' };
    const named = (name: string) => ({ name, description: 'Looks.', parameters: {} });
    const asked = {
      messages: [system('rules'), system('more'), user('hello')],
      tools: [named('one'), named('two')],
    };
    const sent = await sentFor(asked);
    expect(sent?.tools?.map((each) => each.cache_control)).toEqual([undefined, cache_control]);
    expect(sent?.system).toEqual([text('rules'), { ...text('more'), cache_control }]);
    expect(sent?.messages.at(-1)?.content).toEqual([{ ...text('hello'), cache_control }]);
    await upstream?.stop();
    const plain = await sentFor({ ...asked, parameters: [{ messages: ['no_cache'] }] });
    expect(JSON.stringify(plain)).not.toContain('cache_control');
  });

  it('has the required limit also where nobody named one, and never a temperature', async () => {
    expect(await sentFor({ temperature: 0.2 })).toEqual({
      model: 'claude-a',
      max_tokens: 4096,
      stream: true,
      messages: [{ role: 'user', content: [text('hello')] }],
    });
    await upstream?.stop();
    expect(await sentFor({ maxTokens: 9, stream: false })).toMatchObject({
      max_tokens: 9,
      stream: false,
    });
    expect(upstream?.versions).toEqual(['2026-10-21']);
  });

  it('lifts the system messages out, wherever they stand', async () => {
    const messages = [system('rules'), user('a'), said('b'), system('more'), user('c')];
    expect(await sentFor({ messages })).toMatchObject({
      system: [text('rules'), text('more')],
      messages: [
        { role: 'user', content: [text('a')] },
        { role: 'assistant', content: [text('b')] },
        { role: 'user', content: [text('c')] },
      ],
    });
  });

  it('makes one message of neighbours of one role, and none of empty text', async () => {
    const messages = [said('before'), user('a'), user('  '), user('b'), said(''), user('c')];
    const sent = await sentFor({ messages: [system(' '), ...messages] });
    expect(sent?.system).toBeUndefined();
    expect(sent?.messages).toEqual([{ role: 'user', content: [text('a'), text('b'), text('c')] }]);
  });

  it('goes on with the beginning of an answer without the space at its end, which is refused', async () => {
    const sent = await sentFor({ messages: [user('a'), said('It is ')] });
    expect(sent?.messages.at(-1)).toEqual({ role: 'assistant', content: [text('It is')] });
  });

  it('answers all calls of a round in one message, empty results included', async () => {
    const messages = [
      user('go'),
      called('I look.', ['call_1', 'look', '{"a":1}'], ['call_2', 'look', '']),
      result('call_1', '{"x":1}'),
      result('call_2', ''),
    ];
    expect(await sentFor({ messages, tools: [tool] })).toMatchObject({
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            text('I look.'),
            { type: 'tool_use', id: 'call_1', name: 'look', input: { a: 1 } },
            { type: 'tool_use', id: 'call_2', name: 'look', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: [text('{"x":1}')] },
            { type: 'tool_result', tool_use_id: 'call_2', content: [] },
          ],
        },
      ],
      tools: [{ name: 'look', description: 'Looks.', input_schema: { type: 'object' } }],
    });
  });

  it.each(['{"a":', '[1]', 'null', '7', '"x"', '{"a":1}}'])(
    'sends an object for the broken arguments %s',
    async (args) => {
      const messages = [user('go'), called('', ['c', 'look', args]), result('c', '{"error":"x"}')];
      expect((await sentFor({ messages, tools: [tool] }))?.messages[1]?.content).toEqual([
        { type: 'tool_use', id: 'c', name: 'look', input: {} },
      ]);
    },
  );

  it('makes names and ids fit that a model made up', async () => {
    const id = 'ü.'.repeat(80);
    const messages = [user('go'), called('', [id, 'no such/tool', '{}']), result(id, 'x')];
    const [, asked, answered] = (await sentFor({ messages, tools: [tool] }))?.messages ?? [];
    expect(asked?.content[0]).toMatchObject({ name: 'no_such_tool', id: '_'.repeat(128) });
    expect(answered?.content[0]).toMatchObject({ tool_use_id: '_'.repeat(128) });
  });

  it('defines the tools of the history in the round that may call none', async () => {
    const messages = [user('go'), called('', ['c', 'look', '{}']), result('c', 'x')];
    expect(await sentFor({ messages, tools: [] })).toMatchObject({
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    });
  });
});

const finish = (deltas: ModelDelta[]) => deltas.at(-1);
const words = (deltas: ModelDelta[]) =>
  deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('');
const args = (deltas: ModelDelta[], index: number) =>
  deltas
    .map((d) => (d.type === 'toolCall' && d.index === index ? (d.arguments ?? '') : ''))
    .join('');

describe('an answer of Anthropic', () => {
  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'content_filter'],
    ['something_new', 'stop'],
    ['constructor', 'stop'],
  ])('that stops at %s finished with %s', async (theirs, ours) => {
    const well = block(0, { type: 'text', text: 'Well.' });
    const deltas = await complete(stream(begin, ...well, end(theirs)));
    expect(finish(deltas)).toMatchObject({ reason: ours });
  });

  it('counts cached tokens as prompt, and the last count of the answer', async () => {
    expect(finish(await complete(say('hi')))).toMatchObject({
      usage: { promptTokens: 10, completionTokens: 5 },
    });
  });

  it('says the reason of a refusal only where it says nothing else', async () => {
    const details = { stop_details: { type: 'refusal', explanation: 'Not that.' } };
    expect(words(await complete(stream(begin, end('refusal', details))))).toBe('Not that.');
    await upstream?.stop();
    const start = { type: 'text', text: 'I will not.' };
    const both = stream(begin, ...block(0, start), end('refusal', details));
    expect(words(await complete(both))).toBe('I will not.');
  });

  it('is understood among blocks and events nobody knows yet', async () => {
    const deltas = await complete(
      stream(
        begin,
        event('ping'),
        event('weather', { index: 0, delta: 'sunny' }),
        ...block(0, { type: 'thinking', thinking: '' }, { type: 'thinking_delta', thinking: 'hm' }),
        ...block(1, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
        ...block(
          2,
          { type: 'text', text: 'a' },
          { type: 'text_delta', text: 'b' },
          { type: 'citations_delta', citation: {} },
          { type: 'text_delta', text: 5 },
        ),
        end('end_turn'),
      ),
    );
    expect(words(deltas)).toBe('ab');
    expect(deltas.some(({ type }) => type === 'toolCall')).toBe(false);
  });

  it('may give arguments in fragments, whole, or not at all', async () => {
    const use = (index: number, input: unknown, ...json: string[]) =>
      block(
        index,
        { type: 'tool_use', id: `t${index}`, name: 'look', input },
        ...json.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      );
    const deltas = await complete(
      stream(
        begin,
        ...use(4, {}, '', '{"a"', ':1}'),
        ...use(5, { b: 2 }),
        ...use(7, {}),
        event('content_block_start', {
          index: 9,
          content_block: { type: 'tool_use', id: 't9', name: 'look' },
        }),
        end('tool_use'),
      ),
    );
    expect([0, 1, 2, 3].map((index) => args(deltas, index))).toEqual([
      '{"a":1}',
      '{"b":2}',
      '{}',
      '{}',
    ]);
  });

  it('may give every block the index 0, and hold 128 calls at most', async () => {
    const use = (id: string, input: object, ...json: string[]) =>
      block(
        0,
        { type: 'tool_use', id, name: 'look', input },
        ...json.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      );
    const unended = use('u', { d: 3 }).slice(0, 1);
    const deltas = await complete(
      stream(begin, ...use('a', { d: 1 }), ...use('b', {}, '{"d"', ':2}'), ...unended, end('x')),
    );
    expect([0, 1, 2].map((index) => args(deltas, index))).toEqual([
      '{"d":1}',
      '{"d":2}',
      '{"d":3}',
    ]);
    await upstream?.stop();
    const many = Array.from({ length: 300 }, (_, at) => use(`t${at}`, {}, '{}'));
    const heard = (await complete(stream(begin, ...many.flat(), end('tool_use')))).flatMap(
      (delta) => (delta.type === 'toolCall' ? delta.index : []),
    );
    expect(new Set(heard).size).toBe(128);
  });

  it('ends at its last event, whatever follows', async () => {
    const deltas = await complete(
      stream(
        begin,
        ...block(0, { type: 'text', text: 'Well.' }),
        end('end_turn'),
        'data: {"broken\n\n',
        say.name,
      ),
    );
    expect(finish(deltas)).toMatchObject({ type: 'finish', reason: 'stop' });
  });

  it('may be one JSON message with calls', async () => {
    const message = {
      type: 'message',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 't', name: 'look', input: { a: 1 } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 2 },
    };
    const deltas = await complete(refuse(200, {}, JSON.stringify(message)));
    expect(words(deltas)).toBe('I look.');
    expect(args(deltas, 0)).toBe('{"a":1}');
    expect(finish(deltas)).toMatchObject({ reason: 'tool_calls', usage: { promptTokens: 1 } });
  });
});
