import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { Code } from '../../driver/coap/endpoint.ts';
import { openTestedEndpoint } from '../support/devices/coap.ts';
import { eventually } from '../support/world/eventually.ts';
import { startProcess } from '../support/world/process.ts';

const main = fileURLToPath(new URL('../../driver/simulator/main.ts', import.meta.url));
const run = (...options: string[]) =>
  spawnSync(process.execPath, [main, ...options], { encoding: 'utf8', timeout: 20_000 });

describe('npm run device', () => {
  it.each([
    ['nothing', []],
    ['an empty endpoint', ['--endpoint', '']],
    ['an unknown option', ['--endpoint', 'a', '--colour', 'red']],
    ['a lifetime that is no number', ['--endpoint', 'a', '--lifetime', 'soon']],
    ['a server port out of range', ['--endpoint', 'a', '--server', '127.0.0.1:70000']],
    ['a server without host', ['--endpoint', 'a', '--server', ':5683']],
  ])('given %s says what is wrong and how it is used', (_what, options) => {
    const { status, stderr } = run(...options);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^.*--?\w+.*\nusage: npm run device -- --endpoint NAME/);
  });

  it('says that it registered, and nothing of each update after that', async () => {
    const server = await openTestedEndpoint({
      handler: async ({ method, path }) =>
        method === 'DELETE'
          ? { code: Code.DELETED }
          : path.length === 1
            ? { code: Code.CREATED, locationPath: ['rd', 'a1'] }
            : { code: Code.CHANGED },
    });
    const [name, at] = ['dev-9', `127.0.0.1:${server.port}`];
    const device = startProcess([main, '--endpoint', name, '--server', at, '--lifetime', '2']);
    try {
      await device.line(/^dev-9 registered at /);
      // The registration, and two updates of it.
      await eventually(
        async () => server.requests.length,
        (count) => count > 2,
      );
    } finally {
      await device.stop();
      await server.close();
    }
    expect(device.output).toEqual([
      expect.stringMatching(/^dev-9 registered at /),
      expect.stringMatching(/^dev-9 de-registered/),
    ]);
  });
});
