import { garbage } from '../garbage.ts';
import { flat, type Got, type Sent } from '../http.ts';
import type { Random } from '../random.ts';
import { hostileValue, jsonOf, mutated, mutatedFields, mutatedText } from '../values.ts';
import { turnSurface, wrongTurn } from './turn.ts';

export const CHAT = '/api/v3/agentic/chat/completions';

/** Bodies of chat completions, answered by the scripted model. */
export const chat = turnSurface({ name: 'chat', path: CHAT, request, wrong: wrongChat });

function request(random: Random, headers: Record<string, string>, conversation: string): Sent {
  const good: Record<string, unknown> = {
    model: 'scripted',
    stream: random.chance(0.5),
    messages: [
      { role: 'system', content: 'be kind' },
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'hi', tool_calls: [{ id: 'x', function: { name: 'x' } }] },
      { role: 'tool', content: '{}', tool_call_id: 'x' },
      {
        role: 'user',
        content: [{ type: 'text', text: random.pick(['hello', 'devices', 'a\nb']) }],
      },
    ],
    temperature: 1,
    max_tokens: 100,
    conversationId: random.pick([conversation, 'none', undefined]),
    x_svc: { conversation_id: 'x' },
    stream_options: { include_usage: true },
    tools: [],
    n: 1,
    response_format: { type: 'json_object' },
  };
  const messages = Array.isArray(good['messages']) ? good['messages'] : [];
  const changed = random.pick<() => unknown>([
    () => mutatedFields(random, good, 1),
    () => mutatedFields(random, good, 1),
    () => ({ ...good, messages: messages.map((one: object) => mutatedFields(random, one, 1)) }),
    () => ({ ...good, messages: mutated(random, messages) }),
    () => ({ ...good, messages: [{ role: 'user', content: mutatedText(random, 'hello there') }] }),
    () => ({ ...good, messages: Array.from({ length: 501 }, () => messages[1]) }),
    () => hostileValue(random),
  ])();
  const target = { method: 'POST', path: CHAT, headers: flat(headers), body: changed };
  if (random.chance(0.15)) return garbage(target, random);
  const named = random.pick([
    [],
    [],
    ['x-conversation-id', '\u00ff'.repeat(50)],
    ['x-conversation-id', 'x'.repeat(2_000)],
    ['x-openwebui-chat-id', "' or 1=1"],
  ]);
  return {
    ...target,
    headers: [...target.headers, 'content-type', 'application/json', ...named],
    body: jsonOf(changed),
  };
}

/** A completion, chunks that end, an error in OpenAI's shape, or the envelope where the path was broken. */
export function wrongChat(got: Got, method: string): string | null {
  return wrongTurn(got, method, { what: 'completion', field: 'choices', end: /\[DONE\]/ });
}
