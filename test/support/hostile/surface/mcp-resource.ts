import { resources } from '../../../../tools/resource/index.ts';
import { bearerFor } from '../../people/bearer.ts';
import { newAttacker } from '../attacker.ts';
import { flat, HostileClient, type Sent } from '../http.ts';
import { inParallel } from '../pool.ts';
import type { Random } from '../random.ts';
import type { Surface } from '../surface.ts';
import { hostileValue, jsonOf, mutated, mutatedFields, mutatedText } from '../values.ts';
import { META, outcomeOf, PER_TOKEN, WIDTH, wrongMcp } from './mcp.ts';
import { described } from './rest.ts';

const SCHEMES = ['svc://', 'SVC://', 'svc:', 'file:///', 'http://127.0.0.1:1/', 'svc://x@', '//'];

/** Reading and listing resources in both protocol eras, by URIs of every kind. */
export const mcpResources: Surface = {
  name: 'MCP resources',
  async attack({ world, random, tally, inputs, until }) {
    const client = new HostileClient(world.base);
    const { session } = await newAttacker(world);
    for (let sent = 0; sent < inputs && performance.now() < until; sent += PER_TOKEN) {
      const token = await bearerFor(session, { scope: 'svc:read' });
      await inParallel(Math.min(PER_TOKEN, inputs - sent), WIDTH, async () => {
        const one = message(random, token);
        const got = await client.send(one);
        tally.count(outcomeOf(got), got.ms, wrongMcp(got, one.method), described(one));
      });
    }
    client.close();
  },
};

const asText = (value: unknown): string => (typeof value === 'string' ? value : jsonOf(value));

/** A URI of the registry with what is hostile in place of its variables, or one nearly of it. */
function address(random: Random): string {
  const { uri } = random.pick(resources);
  const filled = uri.replaceAll(/\{\w+\}/g, () =>
    random.pick([
      () => String(random.upTo(50)),
      () => crypto.randomUUID(),
      () => asText(hostileValue(random)).slice(0, 5_000),
      () => encodeURIComponent(jsonOf(hostileValue(random)).slice(0, 500)),
      () => `${random.upTo(50)}/../${random.upTo(50)}`,
      () => '%2e%2e%2f',
    ])(),
  );
  if (random.chance(0.3)) return mutatedText(random, filled);
  if (random.chance(0.1)) return filled.replace('svc://', random.pick(SCHEMES));
  return random.chance(0.1) ? `${filled}${random.pick(['/', '?a=1', '#x', '\0', '//'])}` : filled;
}

function message(random: Random, token: string): Sent {
  const isNew = random.chance(0.5);
  const version = isNew ? '2026-07-28' : '2025-11-25';
  const method = random.pick([
    'resources/read',
    'resources/read',
    'resources/read',
    'resources/list',
    'resources/templates/list',
    'resources/subscribe',
  ]);
  const uri = address(random);
  const meta = {
    [`${META}/protocolVersion`]: version,
    [`${META}/clientInfo`]: { name: 'x', version: '1' },
    [`${META}/clientCapabilities`]: {},
  };
  const given = {
    ...(method.endsWith('list')
      ? { cursor: random.chance(0.5) ? String(random.upTo(9)) : hostileValue(random) }
      : { uri: random.chance(0.1) ? mutated(random, uri) : uri }),
    ...(isNew ? { _meta: meta } : {}),
  };
  const params = random.chance(0.1) ? mutatedFields(random, given, 1) : given;
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': version,
    ...(isNew ? { 'mcp-method': method } : {}),
    // What a header cannot say goes without it, as a careless client would send it.
    ...(isNew && method.endsWith('read') && /^[!-~]+$/.test(uri) ? { 'mcp-name': uri } : {}),
  };
  return {
    method: 'POST',
    path: '/mcp',
    headers: ['content-type', 'application/json', ...flat(headers)],
    body: jsonOf({ jsonrpc: '2.0', id: random.upTo(1e6), method, params }),
  };
}
