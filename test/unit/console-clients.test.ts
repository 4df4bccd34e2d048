import { expect, it } from 'vitest';

import { clientsFor } from '../../src/console/clients.ts';

const desktop = (url: string): unknown => {
  const [, , text = '{}'] = clientsFor(url).find(([client]) => client === 'Claude Desktop') ?? [];
  return JSON.parse(text);
};

it.each([
  ['http://127.0.0.1:8000/mcp', []],
  ['http://localhost:8000/mcp', []],
  ['https://plant.example/mcp', []],
  ['http://plant.local:8000/mcp', ['--allow-http']],
  ['http://[::1]:8000/mcp', ['--allow-http']],
])('Claude Desktop starts a bridge that takes %s, in any folder', (url, more) => {
  expect(desktop(url)).toEqual({
    mcpServers: { svc: { command: 'npx', args: ['-y', 'mcp-remote', url, ...more] } },
  });
});
