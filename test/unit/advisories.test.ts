import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

import { expect, it } from 'vitest';

import { verdictOn } from '../advisories.ts';

it('a registry without a list of advisories is named as such, and is no failure', async () => {
  const registry = createServer((_request, response) => {
    response.writeHead(405).end();
  }).listen(0, '127.0.0.1');
  await once(registry, 'listening');
  const address = registry.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  try {
    const child = spawn(process.execPath, ['test/advisories.ts'], {
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        npm_config_registry: `http://127.0.0.1:${port}/`,
        npm_config_fetch_retries: '0',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const printed = text(child.stdout);
    const [code] = await once(child, 'exit');
    expect([code, (await printed).trim()]).toEqual([
      0,
      'No list of advisories was had from this registry: nothing was compared.',
    ]);
  } finally {
    registry.close();
  }
});

it('an advisory names its package, and a grave one fails', () => {
  const vulnerability = (severity: string) =>
    JSON.stringify({
      vulnerabilities: { pg: { name: 'pg', severity, range: '<8.1.0', isDirect: true } },
    });
  expect(verdictOn(vulnerability('high'))).toEqual({
    lines: ['high pg <8.1.0 (of package.json)'],
    isGrave: true,
  });
  expect(verdictOn(vulnerability('low'))).toMatchObject({ isGrave: false });
  expect(verdictOn(JSON.stringify({ vulnerabilities: {} })).lines).toEqual([
    'No package of the lock file has a known advisory.',
  ]);
});
