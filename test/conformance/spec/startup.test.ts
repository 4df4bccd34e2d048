import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { testEnvironment } from '../../support/environment.ts';
import { startServer } from '../../support/server.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-startup-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const environment = (given: Record<string, string>) => ({
  ...testEnvironment,
  SVC_DATA_DIR: directory,
  ...given,
});

/** SPEC.md, Gateway to backend trust 6. */
it.each([
  ['pre', ''],
  ['pro', ''],
  ['pre', 'svc-default-hmac-secret'],
  ['pro', 'svc-default-hmac-secret'],
])('the service does not start in %s with the secret "%s"', (SVC_ENV, AUTH_HMAC_SECRET) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, ['src/main.ts', 'serve'], {
    env: { PATH: process.env['PATH'], ...environment({ SVC_ENV, AUTH_HMAC_SECRET }) },
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect(status).toBeGreaterThan(0);
  expect(stderr + stdout).toMatch(/illegal state/i);
});

/** SPEC.md, Gateway to backend trust 7. */
it('an empty secret elsewhere starts with a prominent warning', async () => {
  const server = await startServer(environment({ AUTH_HMAC_SECRET: '' }));
  try {
    expect(await server.line(/AUTH_HMAC_SECRET/)).toMatch(/WARNING.*not signed/);
  } finally {
    await server.stop();
  }
});
