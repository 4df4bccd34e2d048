import { spawnSync } from 'node:child_process';

import { describe, expect, it } from 'vitest';

const main = new URL('../../driver/simulator/main.ts', import.meta.url).pathname;
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
});
