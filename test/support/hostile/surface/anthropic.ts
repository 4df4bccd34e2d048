import {
  begin,
  block,
  call,
  end,
  event,
  say,
  startAnthropicModel,
} from '../../neighbours/anthropic-model.ts';
import { type Reply, refuse, stream } from '../../neighbours/model.ts';
import { addProvider } from '../../neighbours/providers.ts';
import { ImpatientClock } from '../../world/shifted-clock.ts';
import { newAttacker } from '../attacker.ts';
import { converse } from '../conversation.ts';
import { createRandom, type Random, seedFor } from '../random.ts';
import type { Surface } from '../surface.ts';
import { hostileValue, jsonOf, mutated, mutatedFields, mutatedText } from '../values.ts';

/** What a model provider of type 1, one that a tenant configured, answers to the platform. */
export const anthropic: Surface = {
  name: 'Anthropic answers',
  async beside() {
    const random = createRandom(seedFor('messages'));
    const fake = await startAnthropicModel(() => hostileReply(random));
    return {
      environment: { SVC_EGRESS_ALLOW: new URL(fake.baseUrl).host },
      clock: new ImpatientClock(30_000, 100),
      async attack(site) {
        const { session } = await newAttacker(site.world);
        await addProvider(session, {
          name: 'hostile',
          providerType: 'ANTHROPIC',
          baseUrl: fake.baseUrl,
          model: 'claude-a',
        });
        await converse(site, session);
      },
      stop: () => fake.stop(),
    };
  },
};

const text = { type: 'text', text: '' };
const words = (value: unknown) => ({ type: 'text_delta', text: value });
const fragment = (value: unknown) => ({ type: 'input_json_delta', partial_json: value });
const HEAD = { 'content-type': 'text/event-stream' };

/** One answer of a model gone bad; about half the time an answer that ends the turn well. */
function hostileReply(random: Random): Reply {
  if (random.chance(0.35)) return say(mutatedText(random, 'all is well'));
  const name = random.pick(['searchDevices', 'writePointValue', 'noSuchTool', '__proto__', '']);
  const good = `${begin}${block(0, text, words('héllo 👋')).join('')}${end('end_turn')}`;
  const bytes = Buffer.from(good);
  const use = { type: 'tool_use', id: 'toolu_1', name, input: {} };
  return random.pick<() => Reply>([
    () => {
      const at = random.upTo(bytes.length);
      return stream(bytes.subarray(0, at), bytes.subarray(at));
    },
    () => stream(...Array.from(bytes, (byte) => Buffer.from([byte]))),
    () => stream(good.slice(0, random.upTo(good.length))),
    () => stream(mutatedText(random, good)),
    () => stream(good.replaceAll('\n', random.pick(['\r\n', '\r']))),
    () => stream('event: message_start\ndata: {"type":\n\n', good),
    () => stream('event: message_stop\n\n', good),
    () => stream(good.replaceAll(/^event:.*\n/gm, '')),
    () => stream(end('end_turn'), good, good),
    () => stream(begin, event('error', { error: hostileValue(random) }), good),
    () => stream(event('message_start', { message: hostileValue(random) }), good),
    () => stream(begin, event('content_block_start', mutatedFields(random, { index: 0 }, 1)), good),
    () =>
      stream(begin, ...block(0, mutatedFields(random, use, 2), fragment('{}')), end('tool_use')),
    () => stream(begin, ...block(random.pick([-1, 1e9, 0]), use), end('tool_use')),
    () => stream(begin, ...block(0, use, fragment(hostileValue(random))), end('tool_use')),
    () => stream(begin, ...block(0, { ...use, input: hostileValue(random) }), end('tool_use')),
    () => stream(begin, ...block(0, text, words(hostileValue(random))), end('end_turn')),
    () => stream(begin, ...block(0, text, words('x'.repeat(900_000))), end('end_turn')),
    () => stream(begin, event('content_block_delta', { delta: { text: 'x'.repeat(1_200_000) } })),
    () =>
      stream(begin, ...Array.from({ length: 12 }, () => event('ping', { x: 'y'.repeat(900_000) }))),
    () =>
      stream(begin, event('message_delta', { delta: { stop_reason: hostileValue(random) } }), good),
    () =>
      stream(begin, event('message_delta', { usage: mutated(random, { output_tokens: 1e300 }) })),
    () => stream(begin, end('refusal', { stop_details: { explanation: hostileValue(random) } })),
    () => stream(random.bytes(500)),
    () => call([name, mutatedText(random, '{"deviceId":"1","pointId":"2","value":"3"}')]),
    () => call([name, jsonOf(hostileValue(random))]),
    () => call(...Array.from({ length: 40 }, (): [string, string] => [name, '{}'])),
    // Many calls, all of them at one index.
    () => {
      const uses = Array.from({ length: 300 }, (_, at) => block(0, { ...use, id: `toolu_${at}` }));
      return stream(begin, ...uses.flat(), end('tool_use'));
    },
    () => refuse(random.pick([400, 401, 402, 403, 404, 409, 413, 422, 429, 500, 504, 529])),
    () => refuse(302, { location: 'http://127.0.0.1:1/' }),
    () => refuse(200, {}, random.pick(['', '{', 'null', '[]', jsonOf(hostileValue(random))])),
    () =>
      refuse(200, {}, jsonOf({ content: mutated(random, [use, text]), stop_reason: 'tool_use' })),
    () => refuse(500, {}, 'x'.repeat(500_000)),
    () => (res) => void res.destroy(),
    () => (res) => {
      res.writeHead(200, HEAD);
      res.write(begin, () => res.destroy());
    },
    // Stalls: before the head, and in the middle.
    () => () => {},
    () => (res) => {
      res.writeHead(200, HEAD);
      res.write(begin);
    },
  ])();
}
