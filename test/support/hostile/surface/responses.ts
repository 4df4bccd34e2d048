import { isBare, json, leaksOrFails } from '../answers.ts';
import { newAttacker } from '../attacker.ts';
import { garbage, rawGarbage } from '../garbage.ts';
import { flat, type Got, HostileClient, type Sent } from '../http.ts';
import { inParallel } from '../pool.ts';
import type { Random } from '../random.ts';
import type { Surface } from '../surface.ts';
import { hostileValue, jsonOf, mutated, mutatedFields, mutatedText } from '../values.ts';
import { described, shown } from './rest.ts';

const RESPONSES = '/api/v3/agentic/responses';
const WIDTH = 4;

/** Bodies of the Responses API, answered by the scripted model. */
export const responses: Surface = {
  name: 'responses',
  async attack({ world, random, tally, inputs, until }) {
    const client = new HostileClient(world.base);
    const { session, own } = await newAttacker(world);
    await inParallel(
      inputs,
      WIDTH,
      async () => {
        if (random.chance(0.02)) {
          const lines = Object.entries(session.headers).map(
            ([name, text]) => `${name}: ${text}\r\n`,
          );
          const bytes = rawGarbage(RESPONSES, lines.join(''), random);
          const got = await client.raw(bytes);
          return tally.count(got.status, got.ms, wrongResponse(got, 'POST'), shown(bytes));
        }
        const one = request(random, session.headers, own.conversation);
        const got = await client.send(one);
        tally.count(got.status, got.ms, wrongResponse(got, one.method), described(one));
      },
      until,
    );
    client.close();
  },
};

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
  const failure = leaksOrFails(got);
  if (failure !== null || ['HEAD', 'OPTIONS'].includes(method) || isBare(got)) return failure;
  if (got.type.includes('event-stream')) {
    const ends = /"type":"response\.(?:completed|incomplete|failed)"/;
    return ends.test(got.text) ? null : `a stream that never ends: ${got.text.slice(-200)}`;
  }
  const answer = json(got.text);
  const isKnown =
    typeof answer === 'object' &&
    answer !== null &&
    ('output' in answer || 'error' in answer || 'ok' in answer);
  return isKnown ? null : `no response and no error: ${got.status} ${got.text.slice(0, 200)}`;
}
