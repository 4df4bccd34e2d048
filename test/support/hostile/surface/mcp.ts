import type { Tool } from '../../../../src/kernel/app/app.ts';
import { inputSchema } from '../../../../src/kernel/input/json-schema.ts';
import { tools } from '../../../../tools/index.ts';
import { bearerFor } from '../../people/bearer.ts';
import { isBare, json, leaksOrFails } from '../answers.ts';
import { newAttacker } from '../attacker.ts';
import { garbage, rawGarbage } from '../garbage.ts';
import { flat, type Got, HostileClient, type Sent } from '../http.ts';
import { inParallel } from '../pool.ts';
import type { Random } from '../random.ts';
import { bodyFor } from '../route-body.ts';
import type { Surface } from '../surface.ts';
import { hostileValue, jsonOf, mutated, mutatedFields, mutatedText } from '../values.ts';
import { described, shown } from './rest.ts';

export const WIDTH = 6;
/** A token lives a quarter of an hour. */
export const PER_TOKEN = 500;
export const META = 'io.modelcontextprotocol';
const METHODS = [
  'tools/call',
  'tools/call',
  'tools/call',
  'tools/list',
  'initialize',
  'ping',
  'server/discover',
  'notifications/initialized',
  'notifications/cancelled',
  'logging/setLevel',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/get',
  'completion/complete',
  'subscriptions/listen',
  'tasks/get',
  'skills/list',
  'skills/get',
  'sampling/createMessage',
];

/** What the SDK itself answers with -32603 although the caller is wrong: a shape, and one stream too many. */
const SDKS_OWN = /"message":"(?:Subscription limit reached|\[\\n)/;

/** `/mcp` in both protocol eras, with a token that may do everything a token may. */
export const mcp: Surface = {
  name: 'MCP',
  async attack({ world, random, tally, inputs, until }) {
    const client = new HostileClient(world.base);
    const { session, own } = await newAttacker(world);
    const bodies = new Map(tools.map((tool) => [tool.name, argumentsFor(tool, own)]));
    for (let sent = 0; sent < inputs && performance.now() < until; sent += PER_TOKEN) {
      const token = await bearerFor(session, { scope: 'svc:read svc:read-device svc:propose' });
      await inParallel(Math.min(PER_TOKEN, inputs - sent), WIDTH, async () => {
        if (random.chance(0.02)) {
          const bytes = rawGarbage('/mcp', `authorization: Bearer ${token}\r\n`, random);
          const got = await client.raw(bytes);
          return tally.count(got.status, got.ms, wrongMcp(got, 'POST'), shown(bytes));
        }
        const tool = random.pick(tools).name;
        const one = message(random, { token, tool, args: bodies.get(tool)?.(random) ?? {} });
        const got = await client.send(one);
        const ms = Math.max(0, got.ms - waitIn(one));
        tally.count(outcomeOf(got), ms, wrongMcp(got, one.method), described(one));
      });
    }
    client.close();
  },
};

/** How long (ms) a call asks to wait for something to happen. */
const waitIn = ({ body }: Sent): number =>
  Number(/"waitS":(\d{1,2})\b/.exec(String(body ?? ''))?.[1] ?? 0) * 1_000;

const argumentsFor = (tool: Tool, own: Parameters<typeof bodyFor>[2]) =>
  bodyFor(inputSchema(tool), { center: 'tools', path: `/${tool.name}`, input: tool.input }, own);

type Call = {
  token: string;
  tool: string;
  args: Record<string, unknown>;
  /** Of 2026-07-28 or of a revision before; either when absent. */
  isNew?: boolean;
};

export function message(random: Random, { token, tool, args, ...call }: Call): Sent {
  const method = random.pick(METHODS);
  const isNew = call.isNew ?? random.chance(0.5);
  const version = isNew ? '2026-07-28' : '2025-06-18';
  const meta = {
    [`${META}/protocolVersion`]: version,
    [`${META}/clientInfo`]: { name: 'x', version: '1' },
    [`${META}/clientCapabilities`]: {},
  };
  const given = random.chance(0.7) ? mutatedFields(random, args, 1) : args;
  const params = {
    ...(method === 'tools/call' ? { name: tool, arguments: given } : {}),
    ...(method === 'initialize'
      ? { protocolVersion: version, capabilities: {}, clientInfo: { name: 'x', version: '1' } }
      : {}),
    ...(isNew ? { _meta: meta } : {}),
  };
  const whole: Record<string, unknown> = { jsonrpc: '2.0', id: random.upTo(1e6), method, params };
  if (random.chance(0.25)) {
    const field = random.pick(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);
    whole[field] = mutated(random, whole[field]);
  }
  if (random.chance(0.1)) whole['params'] = mutatedFields(random, params, 2);
  const body = random.chance(0.9)
    ? whole
    : random.pick<() => unknown>([
        () => Array.from({ length: 50 }, () => whole),
        () => [whole, null, 1, []],
        () => [],
        () => hostileValue(random),
        () => ({ ...whole, params: { ...params, arguments: { name: 'x'.repeat(1_000_000) } } }),
      ])();
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    ...(isNew
      ? { 'mcp-protocol-version': version, 'mcp-method': method }
      : random.chance(0.5)
        ? { 'mcp-protocol-version': version }
        : {}),
    ...(isNew && method === 'tools/call' ? { 'mcp-name': tool } : {}),
  };
  if (random.chance(0.1)) {
    return garbage({ method: 'POST', path: '/mcp', headers: flat(headers), body }, random);
  }
  const odd = random.chance(0.15) ? oddHeaders(random, headers) : headers;
  return {
    method: 'POST',
    path: '/mcp',
    headers: ['content-type', 'application/json', ...flat(odd)],
    body: jsonOf(body),
  };
}

function oddHeaders(random: Random, headers: Record<string, string>): Record<string, string> {
  const name = random.pick([...Object.keys(headers), 'mcp-session-id', 'last-event-id', 'origin']);
  const text = mutatedText(random, headers[name] ?? 'https://evil.example');
  return { ...headers, [name]: text.replaceAll(/[^ -~]/g, '?') };
}

/** JSON-RPC answers, one or many, as JSON or as events. */
function answersIn({ text, type }: Got): unknown[] {
  if (!type.includes('event-stream')) return [json(text)].flat();
  return text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => json(line.slice(5)));
}

export function outcomeOf(got: Got): string {
  const code = /"error":\{"code":(-?\d+)/.exec(got.text)?.[1];
  const failed = got.text.includes('"isError":true') ? ' isError' : '';
  return `${got.status}${code === undefined ? '' : ` ${code}`}${failed}`;
}

export function wrongMcp(got: Got, method: string): string | null {
  const failure = leaksOrFails(got);
  if (failure !== null) return failure;
  if (/-32603|reason inside the platform/.test(got.text) && !SDKS_OWN.test(got.text))
    return `a fault of ours: ${got.text}`;
  if (method !== 'POST' || isBare(got) || got.text === '') return null;
  const isProtocol = answersIn(got).every(
    (answer) =>
      typeof answer === 'object' &&
      answer !== null &&
      ('jsonrpc' in answer || 'error' in answer || 'ok' in answer),
  );
  return isProtocol ? null : `no JSON-RPC but ${got.status} ${got.text.slice(0, 200)}`;
}
