import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { ConfigError, DEFAULT_HMAC_SECRET, readConfig } from '../../src/core/config.ts';

const SECRETS = { SVC_SECRET_KEY: 'k'.repeat(32), AUTH_HMAC_SECRET: 'a secret of our own' };

describe('the environment', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'svc-config-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  const read = (environment: Record<string, string>) =>
    readConfig({ SVC_DATA_DIR: directory, ...environment });

  it('needs nothing', () => {
    expect(read({})).toMatchObject({
      stage: 'dev',
      port: 8000,
      host: '127.0.0.1',
      demo: true,
      databaseUrl: null,
    });
  });

  it('names every variable that is wrong', () => {
    expect(() => read({ SVC_PORT: '99999', DATABASE_URL: 'mysql://x', LWM2M_PORT: 'abc' })).toThrow(
      /SVC_PORT[^]*DATABASE_URL[^]*LWM2M_PORT/,
    );
  });

  it('takes an empty variable as unset', () => {
    expect(read({ SVC_PORT: '', DATABASE_URL: '' })).toMatchObject({
      port: 8000,
      databaseUrl: null,
    });
  });

  it('accepts the names other deployments use', () => {
    expect(read({ DC3_GATEWAY_PORT: '9000' }).port).toBe(9000);
    expect(read({ AGENTIC_HISTORY_WINDOW_SIZE: '12' }).agentic.historyWindow).toBe(12);
    expect(read({ SVC_AUTH_HMAC_SECRET: 'x'.repeat(8) }).hmacSecret).toBe('x'.repeat(8));
  });

  it.each(['pre', 'pro'])('refuses an empty or default HMAC secret in %s', (stage) => {
    const secretKey = { SVC_ENV: stage, SVC_SECRET_KEY: SECRETS.SVC_SECRET_KEY };
    for (const AUTH_HMAC_SECRET of ['', '   ', DEFAULT_HMAC_SECRET]) {
      expect(() => read({ ...secretKey, AUTH_HMAC_SECRET })).toThrow(/[Ii]llegal state/);
    }
    expect(() => read(secretKey)).toThrow(ConfigError);
    expect(read({ ...secretKey, ...SECRETS }).hmacSecret).toBe(SECRETS.AUTH_HMAC_SECRET);
  });

  it('serves Swagger UI in pre and pro only where it is switched on', () => {
    expect(read({}).swagger).toBe(true);
    for (const SVC_ENV of ['pre', 'pro']) {
      expect(read({ ...SECRETS, SVC_ENV }).swagger).toBe(false);
      expect(read({ ...SECRETS, SVC_ENV, SVC_SWAGGER: 'on' }).swagger).toBe(true);
    }
  });

  it('reads NODE_ENV=production as pro', () => {
    expect(() => read({ NODE_ENV: 'production', SVC_SECRET_KEY: SECRETS.SVC_SECRET_KEY })).toThrow(
      /illegal state/i,
    );
    expect(read({ NODE_ENV: 'production', ...SECRETS })).toMatchObject({
      stage: 'pro',
      production: true,
      demo: false,
    });
  });

  it('switches signing off when the secret is set but empty, outside production', () => {
    expect(read({ AUTH_HMAC_SECRET: '' }).hmacSecret).toBeNull();
    expect(read({}).hmacSecret).toBe(DEFAULT_HMAC_SECRET);
  });

  it('requires a secret key in production and keeps a generated one elsewhere', () => {
    expect(() => read({ SVC_ENV: 'pro', AUTH_HMAC_SECRET: SECRETS.AUTH_HMAC_SECRET })).toThrow(
      /SVC_SECRET_KEY/,
    );
    const generated = read({}).secretKey;
    expect(generated.length).toBeGreaterThan(32);
    expect(read({}).secretKey).toBe(generated);
  });

  it('allows named crash points in the test environment only', () => {
    expect(() => read({ SVC_CRASH_AT: 'ingest' })).toThrow(/SVC_ENV=test/);
    expect(read({ SVC_ENV: 'test', SVC_CRASH_AT: 'ingest:3' }).crashAt).toBe('ingest:3');
  });
});
