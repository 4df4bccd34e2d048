import { expect, it } from 'vitest';
import { z } from 'zod';

import manifest from '../../package.json' with { type: 'json' };
import { bearerFor } from '../support/people/bearer.ts';
import { asking } from '../support/people/mcp-2026.ts';
import { startedWorld } from '../support/world/prepared.ts';

/** What the registry asks of a server.json (schema of 2025-12-11) that a server without packages has. */
const ServerJson = z.strictObject({
  $schema: z.literal(
    'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  ),
  name: z.string().regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().max(255),
  remotes: z.array(z.strictObject({ type: z.literal('streamable-http'), url: z.url() })).length(1),
});

const world = startedWorld();

it.each(['/server.json', '/.well-known/mcp/server.json'])(
  '%s describes it to a registry',
  async (path) => {
    const response = await fetch(`${world.base}${path}`);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const { version, remotes } = ServerJson.parse(await response.json());
    expect(version).toBe(manifest.version);
    expect(remotes[0]?.url).toBe(`${world.base}/mcp`);
  },
);

/** Schema v1 of the server card extension (SEP-2127), as far as a server without headers and variables has it. */
const ServerCard = ServerJson.extend({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'),
  remotes: z
    .array(
      z.strictObject({
        type: z.literal('streamable-http'),
        url: z.url(),
        supportedProtocolVersions: z.array(z.string()),
      }),
    )
    .length(1),
});

it.each(['/mcp/server-card', '/.well-known/mcp/server-card.json'])(
  '%s describes it to a client that has not connected, as it is when it has',
  async (path) => {
    const headers = {
      accept: 'application/mcp-server-card+json',
      origin: 'https://agents.example',
    };
    const response = await fetch(`${world.base}${path}`, { headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/mcp-server-card\+json/);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('cache-control')).toContain('max-age');
    const { version, remotes } = ServerCard.parse(await response.json());
    expect(version).toBe(manifest.version);
    expect(remotes[0]?.url).toBe(`${world.base}/mcp`);
    const ask = asking(world.base, await bearerFor(world.admin, { scope: 'svc:read' }));
    const { supportedVersions } = z
      .looseObject({ supportedVersions: z.array(z.string()) })
      .parse((await ask('server/discover')).result);
    const [newest] = remotes[0]?.supportedProtocolVersions ?? [];
    expect(supportedVersions).toContain(newest);
  },
);

it('a client that knows the host alone finds the card', async () => {
  const response = await fetch(`${world.base}/.well-known/ai-catalog.json`);
  expect(response.headers.get('content-type')).toMatch(/^application\/ai-catalog\+json/);
  const { entries } = z
    .strictObject({
      specVersion: z.literal('1.0'),
      entries: z.array(
        z.strictObject({
          identifier: z.string().regex(/^urn:air:[\w.-]+:mcp:svc$/),
          type: z.literal('application/mcp-server-card+json'),
          url: z.url(),
        }),
      ),
    })
    .parse(await response.json());
  expect(ServerCard.parse(await (await fetch(entries[0]?.url ?? '')).json())).toBeDefined();
});

it('/llms.txt leads to addresses that answer, and to tools and prompts that there are', async () => {
  const response = await fetch(`${world.base}/llms.txt`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
  const text = await response.text();
  expect(text).toMatch(/^# .+\n\n> /);
  expect(text).not.toMatch(/[{}]/);
  for (const [url = ''] of text.matchAll(/http[^\s)]+/g))
    expect([200, 401], url).toContain((await fetch(url)).status);
  const names = [...world.app.tools, ...world.app.prompts].map(({ name }) => name);
  const [, prompts = ''] = /^- Prompts: (.+)\.$/m.exec(text) ?? [];
  const tools = text.match(/\b(?:lookup|write)[A-Z]\w+/g) ?? [];
  expect(names).toEqual(expect.arrayContaining([...tools, ...prompts.split(', ')]));
});
