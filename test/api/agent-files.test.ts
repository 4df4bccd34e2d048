import { expect, it } from 'vitest';
import { z } from 'zod';

import manifest from '../../package.json' with { type: 'json' };
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
