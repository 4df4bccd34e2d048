import { afterEach, expect, it } from 'vitest';

import { anthropic } from '../../providers/anthropic/anthropic.ts';
import type { ModelDelta, ModelMessage, ToolCall } from '../../providers/request/provider.ts';
import {
  type AnthropicModel,
  begin,
  block,
  end,
  say,
  startAnthropicModel,
} from '../support/neighbours/anthropic-model.ts';
import { type Reply, stream } from '../support/neighbours/model.ts';
import { TestClock } from '../support/world/clock.ts';

let upstream: AnthropicModel | undefined;
afterEach(async () => {
  await upstream?.stop();
  upstream = undefined;
});

const tools = [{ name: 'look', description: 'Looks.', parameters: { type: 'object' } }];

async function complete(
  reply: Reply,
  messages: readonly ModelMessage[] = [{ role: 'user', content: 'go' }],
): Promise<ModelDelta[]> {
  await upstream?.stop();
  upstream = await startAnthropicModel(() => reply);
  const { baseUrl } = upstream;
  const provider = anthropic({ baseUrl, apiKey: 'k', clock: new TestClock(), egress: null });
  const request = { model: 'claude-a', messages, tools };
  const deltas: ModelDelta[] = [];
  for await (const delta of provider.complete(request, new AbortController().signal))
    deltas.push(delta);
  return deltas;
}

it('gives the thinking before its calls back as it came, before all else of the message', async () => {
  const use = (index: number, id: string) =>
    block(index, { type: 'tool_use', id, name: 'look', input: {} });
  const deltas = await complete(
    stream(
      begin,
      ...block(
        0,
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: 'First' },
        { type: 'thinking_delta', thinking: ' look.' },
        { type: 'signature_delta', signature: 'c2ln' },
      ),
      ...block(1, { type: 'redacted_thinking', data: 'Emx' }),
      ...block(2, { type: 'text', text: 'I look.' }),
      ...use(3, 'a'),
      ...use(4, 'b'),
      ...block(5, { type: 'thinking', thinking: 'Again.', signature: 'c3Vt' }),
      ...use(6, 'c'),
      end('tool_use'),
    ),
  );
  const reasoned = deltas.map((delta) => (delta.type === 'reasoning' ? delta.text : ''));
  expect(reasoned.join('')).toBe('First look.Again.');
  const toolCalls = deltas.flatMap((delta): ToolCall[] =>
    delta.type === 'toolCall' && delta.name
      ? [{ id: '', name: '', arguments: '{}', ...delta }]
      : [],
  );
  const message: ModelMessage = { role: 'assistant', content: 'I look.', toolCalls };
  const results = ['a', 'b', 'c'].map((toolCallId): ModelMessage => ({
    role: 'tool',
    toolCallId,
    content: '{}',
  }));
  await complete(say('ok'), [{ role: 'user', content: 'go' }, message, ...results]);
  const sent = upstream?.requests[0];
  const used = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} });
  expect(sent?.messages[1]?.content).toEqual([
    { type: 'thinking', thinking: 'First look.', signature: 'c2ln' },
    { type: 'redacted_thinking', data: 'Emx' },
    { type: 'text', text: 'I look.' },
    used('a'),
    used('b'),
    { type: 'thinking', thinking: 'Again.', signature: 'c3Vt' },
    used('c'),
  ]);
});
