import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';

import { startedWorld } from '../support/world/prepared.ts';

const run = promisify(execFile);
const identity = { name: 'platform-tests', version: '1.0.0' };

/** The tools in the list; the others are found through it. */
const direct = () => world.app.tools.filter(({ listed }) => listed === 'direct');
let key: string;
const world = startedWorld();
beforeAll(async () => {
  const made = await world.admin.data('/api/v3/auth/key/add', {
    keyName: 'stdio',
    audience: 'mcp',
    scopes: ['svc:read', 'svc:read-device', 'svc:propose'],
  });
  key = z.looseObject({ key: z.string() }).parse(made).key;
});

const command = (secret: string, ...more: string[]) => ({
  command: process.execPath,
  args: ['src/main.ts', 'mcp', '--stdio', '--url', `${world.base}/mcp`, ...more],
  env: { PATH: process.env['PATH'] ?? '', SVC_MCP_KEY: secret },
});

it.each([{ mode: 'legacy' as const }, { mode: { pin: '2026-07-28' } as const }])(
  'a client that starts its server uses the platform over the bridge: $mode',
  { timeout: 60_000 },
  async (versionNegotiation) => {
    const client = new Client(identity, { versionNegotiation });
    await client.connect(new StdioClientTransport(command(key)));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(direct().map(({ name }) => name));
    const heard: number[] = [];
    const answer = await client.callTool(
      { name: 'searchDrivers', arguments: {} },
      { onprogress: ({ progress }) => heard.push(progress) },
    );
    expect(answer.structuredContent).toMatchObject({ total: expect.any(Number) });
    await expect(client.callTool({ name: 'noSuchTool' })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  },
);

it(
  'so does a client of the first library, with the key in a file',
  { timeout: 60_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-key-'));
    const file = join(folder, 'key');
    await writeFile(file, `${key}\n`);
    const client = new OldClient(identity);
    await client.connect(new OldTransport(command('', '--key-file', file)));
    expect((await client.listTools()).tools.length).toBe(direct().length);
    await client.close();
    await rm(folder, { recursive: true });
  },
);

it('a wrong key is an error that says so', { timeout: 60_000 }, async () => {
  const client = new OldClient(identity);
  const connecting = client.connect(new OldTransport(command('svc_wrong')));
  await expect(connecting).rejects.toThrow(/401/);
  await client.close();
});

it('without a key it ends and says where it looks', { timeout: 60_000 }, async () => {
  const { args } = command('');
  const env = { PATH: process.env['PATH'] ?? '' };
  const ended = run(process.execPath, args, { env });
  await expect(ended).rejects.toMatchObject({ stderr: expect.stringContaining('SVC_MCP_KEY') });
});

it('connect prints the address for each client', { timeout: 60_000 }, async () => {
  const env = { PATH: process.env['PATH'] ?? '', SVC_BASE_URL: 'http://127.0.0.1:8123' };
  const { stdout } = await run(process.execPath, ['src/main.ts', 'connect'], { env });
  for (const client of [
    'Claude Code',
    'Claude Desktop',
    'Cursor',
    'VS Code',
    'Codex',
    'opencode',
    'Gemini',
    'Qwen Code',
    'openai',
  ])
    expect(stdout).toContain(client);
  // One for each client, and one more for each that logs in by itself or with a key.
  expect(stdout.match(/http:\/\/127\.0\.0\.1:8123\/mcp/g)).toHaveLength(9 + 5);
  // Nothing that needs a checkout on the machine of the client.
  expect(stdout).not.toContain('npm');
});
