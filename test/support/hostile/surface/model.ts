import {
  call,
  frame,
  type Reply,
  refuse,
  say,
  startModel,
  stream,
} from '../../neighbours/model.ts';
import { ImpatientClock } from '../../world/shifted-clock.ts';
import { newAttacker } from '../attacker.ts';
import { converse } from '../conversation.ts';
import { createRandom, type Random, seedFor } from '../random.ts';
import type { Surface } from '../surface.ts';
import { hostileValue, jsonOf, mutated, mutatedFields, mutatedText } from '../values.ts';

/** What a model provider answers to the platform. */
export const model: Surface = {
  name: 'model answers',
  async beside() {
    const random = createRandom(seedFor('replies'));
    // The platform is furnished by a model that behaves.
    let isHostile = false;
    const fake = await startModel(() => (isHostile ? hostileReply(random) : say('hello')));
    return {
      environment: {
        AGENTIC_FALLBACK_OPENAI_BASE_URL: fake.baseUrl,
        AGENTIC_FALLBACK_OPENAI_API_KEY: 'k',
        AGENTIC_FALLBACK_OPENAI_MODEL: 'fake-1',
      },
      // A model that stalls costs its hundredth.
      clock: new ImpatientClock(30_000, 100),
      async attack(site) {
        const { session } = await newAttacker(site.world);
        isHostile = true;
        await converse(site, session);
        isHostile = false;
      },
      stop: () => fake.stop(),
    };
  },
};

const delta = (choice: object) => frame({ id: 'c1', choices: [{ index: 0, delta: choice }] });
const END = `${frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}data: [DONE]\n\n`;
const HEAD = { 'content-type': 'text/event-stream' };

/** One answer of a model gone bad; about half the time an answer that ends the turn well. */
function hostileReply(random: Random): Reply {
  if (random.chance(0.35)) return say(mutatedText(random, 'all is well'));
  const toolName = random.pick([
    'searchDevices',
    'writePointValue',
    'noSuchTool',
    '__proto__',
    '',
    'x'.repeat(5_000),
  ]);
  const text = `${delta({ role: 'assistant', content: 'héllo 👋' })}${END}`;
  const bytes = Buffer.from(text);
  return random.pick<() => Reply>([
    // Split anywhere, also inside a character.
    () => {
      const at = random.upTo(bytes.length);
      return stream(bytes.subarray(0, at), bytes.subarray(at));
    },
    () => stream(...Array.from(bytes, (byte) => Buffer.from([byte]))),
    () => stream(text.slice(0, random.upTo(text.length))),
    () => stream(mutatedText(random, text)),
    () => stream('data: {"choices":[\n\n', END),
    () => stream('data: [DONE]\n\n'),
    () => stream(END, END, delta({ content: 'after the end' })),
    () => stream(text.replaceAll('\n', '\r\n')),
    () => stream(text.replaceAll('\n', '\r')),
    () => stream('\uFEFF', text),
    () => stream('event: error\ndata: {"error":{"message":"no"}}\n\n'),
    () => stream(frame(hostileValue(random)), END),
    () => stream(frame({ choices: mutated(random, [{ delta: { content: 'x' } }]) }), END),
    () => stream(delta(mutatedFields(random, { content: 'x', role: 'assistant' }, 1)), END),
    () => stream(delta({ content: hostileValue(random) }), END),
    () => stream(delta({ content: 'x'.repeat(900_000) }), END),
    () => stream('data: ', 'x'.repeat(1_200_000), '\n\n', END),
    () => stream(...Array.from({ length: 12 }, () => delta({ content: 'y'.repeat(900_000) })), END),
    () => stream(random.bytes(500)),
    () => stream(frame({ choices: [], usage: mutated(random, { prompt_tokens: 1e300 }) }), text),
    () => call([toolName, mutatedText(random, '{"deviceId":"1","pointId":"2","value":"3"}')]),
    () => call([toolName, jsonOf(hostileValue(random))]),
    () => call(...Array.from({ length: 40 }, (): [string, string] => [toolName, '{}'])),
    () =>
      stream(
        delta({
          tool_calls: mutated(random, [{ index: 0, id: 'a', function: { name: toolName } }]),
        }),
        delta({
          tool_calls: [{ index: random.pick([127, 128, -1, 1e9]), function: { arguments: '{' } }],
        }),
        frame({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
        'data: [DONE]\n\n',
      ),
    // Many calls, of which a vendor gives each the same index, or none.
    () =>
      stream(
        ...Array.from({ length: 300 }, (_, at) => {
          const part = { index: random.pick([0, null, 'x']), id: `c${random.upTo(at + 1)}` };
          return delta({
            tool_calls: [{ ...part, function: { name: toolName, arguments: '{}' } }],
          });
        }),
        END,
      ),
    () => refuse(random.pick([400, 401, 403, 404, 413, 422, 429, 500, 502, 503, 529])),
    () =>
      refuse(429, {
        'retry-after': random.pick([
          '-1',
          'x',
          '1e99',
          'Thu, 01 Jan 1970 00:00:00 GMT',
          'Fri, 31 Dec 9999 23:59:59 GMT',
          'Xxx, 99 Foo 0000 99:99:99 GMT',
        ]),
      }),
    () => refuse(302, { location: 'http://127.0.0.1:1/' }),
    () =>
      refuse(200, {}, random.pick(['', '{', 'null', '[]', '<html>', jsonOf(hostileValue(random))])),
    () => refuse(500, {}, 'x'.repeat(500_000)),
    () => (res) => void res.destroy(),
    () => (res) => {
      res.writeHead(200, HEAD);
      res.write(delta({ content: 'half' }), () => res.destroy());
    },
    () => (res) => {
      res.writeHead(200, { ...HEAD, 'content-encoding': 'gzip' });
      res.end(text);
    },
    () => (res) => {
      res.socket?.end(
        'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\nzz',
      );
    },
    () => (res) => {
      res.socket?.end('nonsense\r\n\r\n');
    },
    // Stalls: before the head, and in the middle.
    () => () => {},
    () => (res) => {
      res.writeHead(200, HEAD);
      res.write(delta({ content: 'wait' }));
    },
  ])();
}
