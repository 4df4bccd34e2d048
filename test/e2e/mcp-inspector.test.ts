import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { bearerFor } from '../support/people/bearer.ts';
import { startedWorld } from '../support/world/prepared.ts';

const run = promisify(execFile);
const CLI = 'node_modules/.bin/mcp-inspector';
const Listed = z.looseObject({
  result: z.looseObject({ tools: z.array(z.looseObject({ name: z.string() })) }),
});

let token: string;
const world = startedWorld();
beforeAll(async () => {
  token = await bearerFor(world.admin, { scope: 'svc:read svc:read-device svc:propose' });
});

const door = (era: string): string[] => [
  '--server-url',
  `${world.base}/mcp`,
  '--transport',
  'http',
  '--header',
  `Authorization: Bearer ${token}`,
  '--protocol-era',
  era,
];

/** What the official inspector prints; throws where it ends with an error. */
const inspect = (era: string, ...words: string[]) =>
  run(process.execPath, [CLI, '--cli', ...door(era), '--format', 'json', ...words], {
    timeout: 60_000,
  });

describe.each(['legacy', 'modern'])('the official inspector in the %s era', (era) => {
  it('finds every tool and nothing to complain of', { timeout: 90_000 }, async () => {
    const { stdout, stderr } = await inspect(era, '--method', 'tools/list', '--strict');
    const { result } = Listed.parse(JSON.parse(stdout));
    const direct = world.app.tools.filter(({ listed }) => listed === 'direct');
    expect(result.tools.map(({ name }) => name)).toEqual(direct.map(({ name }) => name));
    expect(stderr).toBe('');
  });

  it.each(['resources/list', 'resources/templates/list', 'prompts/list'])(
    'lists %s',
    {
      timeout: 90_000,
    },
    async (method) => {
      const { stdout, stderr } = await inspect(era, '--method', method);
      expect(JSON.parse(stdout)).toBeTypeOf('object');
      expect(stderr).toBe('');
    },
  );

  it('calls a tool', { timeout: 90_000 }, async () => {
    const words = ['--method', 'tools/call', '--tool-name', 'searchDevices'];
    const { stdout, stderr } = await inspect(era, ...words, '--tool-args-json', '{}');
    expect(stdout).toContain('structuredContent');
    expect(stderr).toBe('');
  });
});
