import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { testEnvironment } from '../support/world/environment.ts';
import { startServer } from '../support/world/server.ts';

/** A bound for a hanging start only. */
const START_MS = 100_000;
vi.setConfig({ testTimeout: START_MS + 10_000 });

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

/** docs/specification/trust.md 6. */
it.each([
  ['pre', ''],
  ['pro', ''],
  ['pre', 'svc-default-hmac-secret'],
  ['pro', 'svc-default-hmac-secret'],
])('the service does not start in %s with the secret "%s"', (SVC_ENV, AUTH_HMAC_SECRET) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, ['src/main.ts', 'serve'], {
    env: { PATH: process.env['PATH'], ...environment({ SVC_ENV, AUTH_HMAC_SECRET }) },
    encoding: 'utf8',
    timeout: START_MS,
  });
  expect(status).toBeGreaterThan(0);
  expect(stderr + stdout).toMatch(/illegal state/i);
});

/** docs/specification/trust.md 7. */
it('an empty secret elsewhere starts with a prominent warning', async () => {
  const server = await startServer(environment({ AUTH_HMAC_SECRET: '' }));
  try {
    expect(await server.line(/AUTH_HMAC_SECRET/)).toMatch(/WARNING.*not signed/);
  } finally {
    await server.stop();
  }
});

/** Whatever is wrong is said on standard error, by the name of the setting and without its secrets. */
it.each([
  ['SVC_PORT', 'sesame'],
  ['SVC_SECRET_KEY', 'sesame'],
  ['DATABASE_URL', 'mysql://u:sesame@127.0.0.1/svc'],
  ['DATABASE_URL', 'postgres://u:sesame@127.0.0.1:1/svc'],
  ['AGENTIC_FALLBACK_OPENAI_TEMPERATURE', '2.1'],
  ['AGENTIC_MEMORY_SCHEMA_INIT', 'sesame'],
  ['LWM2M_HOST', '192.0.2.1'],
  ['SVC_DATA_DIR', '/dev/null'],
])('the service does not start with %s=%s and says why', (name, value) => {
  const { status, stderr } = spawnSync(process.execPath, ['src/main.ts', 'serve'], {
    env: { PATH: process.env['PATH'], ...environment({ [name]: value }) },
    encoding: 'utf8',
    timeout: START_MS,
  });
  expect(status).toBeGreaterThan(0);
  expect(stderr).toContain(name);
  expect(stderr).not.toContain('sesame');
});

it('a setting nobody knows is named at the start', async () => {
  const given = { SVC_LOG_LEVEL: 'warn', AGENTIC_TOOL_CALING_ENABLED: 'false' };
  const server = await startServer(environment(given));
  try {
    const warning = await server.line(/misspelt/);
    expect(warning).toContain('there is no setting AGENTIC_TOOL_CALING_ENABLED');
  } finally {
    await server.stop();
  }
});
