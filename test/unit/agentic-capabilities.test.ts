import { describe, expect, it } from 'vitest';

import type { ModelDelta, ModelRequest, Provider } from '../../providers/request/provider.ts';
import { withCapabilities, DEFAULT_CAPABILITIES } from '../../src/agentic/provider/capabilities.ts';

const request: ModelRequest = {
  model: 'm',
  messages: [
    { role: 'system', content: 'rules' },
    { role: 'user', content: 'go' },
    {
      role: 'assistant',
      content: 'I look.',
      toolCalls: [{ id: 'c', name: 'look', arguments: '{}' }],
    },
    { role: 'tool', toolCallId: 'c', content: '{}' },
    { role: 'assistant', content: '', toolCalls: [{ id: 'd', name: 'look', arguments: '{}' }] },
    { role: 'tool', toolCallId: 'd', content: '{}' },
    { role: 'user', content: 'and now?' },
  ],
  tools: [{ name: 'look', description: 'Looks.', parameters: {} }],
};

/** A model that wants a tool whatever it is asked, and what it was asked. */
function eager() {
  const asked: ModelRequest[] = [];
  const provider: Provider = {
    models: async () => [],
    async *complete(given) {
      asked.push(given);
      yield { type: 'text', text: 'hm' };
      yield { type: 'toolCall', index: 0, id: 'x', name: 'look', arguments: '{}' };
      yield { type: 'finish', reason: 'tool_calls' };
    },
  };
  return { asked, provider };
}

async function all(provider: Provider): Promise<ModelDelta['type'][]> {
  const types: ModelDelta['type'][] = [];
  for await (const { type } of provider.complete(request, new AbortController().signal)) {
    types.push(type);
  }
  return types;
}

describe('a model limited to what it can do', () => {
  it('is left alone where it can do what is usual', () => {
    const { provider } = eager();
    expect(withCapabilities(provider, DEFAULT_CAPABILITIES)).toBe(provider);
  });

  it('hears of no tools where it calls none, also not of earlier calls, and calls none', async () => {
    const { asked, provider } = eager();
    expect(
      await all(withCapabilities(provider, { ...DEFAULT_CAPABILITIES, toolCall: false })),
    ).toEqual(['text', 'finish']);
    expect(asked[0]).toMatchObject({ stream: true, tools: [] });
    expect(asked[0]?.messages).toEqual([
      { role: 'system', content: 'rules' },
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'I look.' },
      { role: 'user', content: 'and now?' },
    ]);
  });

  it('is asked for one piece where it cannot stream, and keeps its tools', async () => {
    const { asked, provider } = eager();
    const types = await all(withCapabilities(provider, { ...DEFAULT_CAPABILITIES, stream: false }));
    expect(types).toEqual(['text', 'toolCall', 'finish']);
    expect(asked).toEqual([{ ...request, stream: false }]);
  });
});
