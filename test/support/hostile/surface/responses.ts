import { garbage } from '../garbage.ts';
import { flat, type Got, type Sent } from '../http.ts';
import type { Random } from '../random.ts';
import { hostileValue, jsonOf, mutated, mutatedFields, mutatedText } from '../values.ts';
import { turnSurface, wrongTurn } from './turn.ts';

const RESPONSES = '/api/v3/agentic/responses';

/** Bodies of the Responses API, answered by the scripted model. */
export const responses = turnSurface({
  name: 'responses',
  path: RESPONSES,
  request,
  wrong: wrongResponse,
});

function request(random: Random, headers: Record<string, string>, conversation: string): Sent {
  const items = [
    { role: 'user', content: 'hello' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] },
    { type: 'function_call', call_id: 'x', name: 'x', arguments: '{}' },
    { type: 'function_call_output', call_id: 'x', output: '{}' },
    { type: 'reasoning', id: 'r' },
    { role: 'user', content: [{ type: 'input_text', text: random.pick(['hello', 'devices']) }] },
  ];
  const good: Record<string, unknown> = {
    model: 'scripted',
    stream: random.chance(0.5),
    input: items,
    instructions: 'be kind',
    max_output_tokens: 100,
    previous_response_id: random.pick([undefined, undefined, 'resp_x', conversation]),
    conversation: random.pick([undefined, undefined, conversation, { id: 'none' }]),
    tools: [{ type: 'function', name: 'x', parameters: {} }],
    tool_choice: 'auto',
    text: { format: { type: 'text' } },
    reasoning: { effort: 'low' },
    store: random.chance(0.5),
    metadata: {},
  };
  const changed = random.pick<() => unknown>([
    () => mutatedFields(random, good, 1),
    () => mutatedFields(random, good, 1),
    () => ({ ...good, input: items.map((one: object) => mutatedFields(random, one, 1)) }),
    () => ({ ...good, input: mutated(random, items) }),
    () => ({ ...good, input: mutatedText(random, 'hello there') }),
    () => ({ ...good, input: Array.from({ length: 501 }, () => items[0]) }),
    () => hostileValue(random),
  ])();
  const target = { method: 'POST', path: RESPONSES, headers: flat(headers), body: changed };
  if (random.chance(0.15)) return garbage(target, random);
  return {
    ...target,
    headers: [...target.headers, 'content-type', 'application/json'],
    body: jsonOf(changed),
  };
}

/** A response, events that end, an error in OpenAI's shape, or the envelope where the path was broken. */
function wrongResponse(got: Got, method: string): string | null {
  const end = /"type":"response\.(?:completed|incomplete|failed)"/;
  return wrongTurn(got, method, { what: 'response', field: 'output', end });
}
