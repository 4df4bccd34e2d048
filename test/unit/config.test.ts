import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { placesOf } from '../../driver/lwm2m/environment.ts';
import { ConfigError, DEFAULT_HMAC_SECRET } from '../../src/kernel/process/config.ts';
import { readSettings, VARIABLES } from '../../src/start/settings.ts';
import { impossible } from '../support/cases/impossible-settings.ts';

const SECRETS = {
  SVC_SECRET_KEY: 'Zk8vQ1nTq0bXr5mLw2cHs7dPy4fGj9aE',
  AUTH_HMAC_SECRET: 'Yt3uRw9kBv1mZx6nHq2sLc8pJd4gFe7o',
};

describe('the environment', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'svc-config-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  const read = (environment: Record<string, string>) =>
    readSettings({ SVC_DATA_DIR: directory, ...environment });

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

  it.each(['alarms@plant.example', 'Plant <alarms@plant.example>'])(
    'takes the sender of mails with a name, or without: %s',
    (from) => {
      const url = 'smtp://127.0.0.1:2525';
      expect(read({ SVC_SMTP_URL: url, SVC_MAIL_FROM: from })).toMatchObject({ mail: { from } });
    },
  );

  it.each(['pre', 'pro'])('refuses an empty or default HMAC secret in %s', (stage) => {
    const secretKey = { SVC_ENV: stage, SVC_SECRET_KEY: SECRETS.SVC_SECRET_KEY };
    for (const AUTH_HMAC_SECRET of ['', '   ', DEFAULT_HMAC_SECRET]) {
      expect(() => read({ ...secretKey, AUTH_HMAC_SECRET })).toThrow(/[Ii]llegal state/);
    }
    expect(() => read(secretKey)).toThrow(ConfigError);
    expect(read({ ...secretKey, ...SECRETS }).hmacSecret).toBe(SECRETS.AUTH_HMAC_SECRET);
  });

  it.each(['pre', 'pro'])('refuses secrets that can be guessed in %s, by name', (SVC_ENV) => {
    const weak = [
      'a',
      'sesame-sesame',
      'a'.repeat(40),
      'abcdefgh'.repeat(4),
      '0101100111010010'.repeat(3),
    ];
    for (const AUTH_HMAC_SECRET of weak)
      expect(() => read({ ...SECRETS, SVC_ENV, AUTH_HMAC_SECRET }), AUTH_HMAC_SECRET).toThrow(
        /AUTH_HMAC_SECRET (has fewer|repeats few)/,
      );
    for (const SVC_SECRET_KEY of weak.slice(2)) {
      expect(() => read({ ...SECRETS, SVC_ENV, SVC_SECRET_KEY }), SVC_SECRET_KEY).toThrow(
        /SVC_SECRET_KEY repeats few/,
      );
      expect(read({ SVC_SECRET_KEY }).secretKey).toBe(SVC_SECRET_KEY);
    }
    for (let made = 0; made < 200; made += 1) {
      const SVC_SECRET_KEY = randomBytes(32).toString('base64');
      const AUTH_HMAC_SECRET = randomBytes(16).toString('hex');
      expect(read({ SVC_ENV, SVC_SECRET_KEY, AUTH_HMAC_SECRET }).hmacSecret).toBe(AUTH_HMAC_SECRET);
    }
  });

  it('says in pre and pro what crosses a network in clear, and no address', () => {
    const open = {
      SVC_BASE_URL: 'http://plant.example',
      AMQP_URL: 'amqp://u:sesame@broker.example:5672',
      LWM2M_HOST: '0.0.0.0',
    };
    expect(read({ ...SECRETS, SVC_ENV: 'pro', ...open }).unsafe).toEqual([
      expect.stringMatching(/^SVC_BASE_URL is http/),
      expect.stringMatching(/^AMQP_URL is amqp/),
      expect.stringMatching(/^LWM2M_HOST opens LwM2M in clear/),
    ]);
    expect(read({ ...SECRETS, SVC_ENV: 'pro', ...open }).unsafe.join()).not.toMatch(
      /example|sesame/,
    );
    const closed = { SVC_BASE_URL: 'https://plant.example', AMQP_URL: 'amqps://broker.example' };
    expect(read({ ...SECRETS, SVC_ENV: 'pro', ...closed }).unsafe).toEqual([]);
    expect(read({ ...SECRETS, SVC_ENV: 'pro' }).unsafe).toEqual([]);
    expect(
      read({ ...SECRETS, SVC_ENV: 'pro', ...open, SVC_ROLES: 'driver-lwm2m' }).unsafe,
    ).toHaveLength(2);
    expect(read(open).unsafe).toEqual([]);
  });

  it('refuses figures for other machines without a token', () => {
    expect(read({ SVC_METRICS_TOKEN: 't'.repeat(32) }).metrics).toBeNull();
    expect(read({ SVC_METRICS_PORT: '9464' }).metrics).toEqual({
      port: 9464,
      host: '127.0.0.1',
      token: null,
    });
    const open = { SVC_METRICS_PORT: '9464', SVC_METRICS_HOST: '0.0.0.0' };
    expect(() => read(open)).toThrow(/SVC_METRICS_TOKEN is required/);
    expect(() => read({ ...open, SVC_METRICS_TOKEN: 'short' })).toThrow(/SVC_METRICS_TOKEN: must/);
    expect(read({ ...open, SVC_METRICS_TOKEN: 't'.repeat(32) }).metrics?.host).toBe('0.0.0.0');
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

  it('requires a secret key in production and makes none while it reads', () => {
    expect(() => read({ SVC_ENV: 'pro', AUTH_HMAC_SECRET: SECRETS.AUTH_HMAC_SECRET })).toThrow(
      /SVC_SECRET_KEY/,
    );
    const folder = join(tmpdir(), randomUUID());
    expect(read({ SVC_DATA_DIR: folder }).secretKey).toBeNull();
    expect(existsSync(folder)).toBe(false);
  });

  it('allows named crash points in the test environment only', () => {
    expect(() => read({ SVC_CRASH_AT: 'ingest' })).toThrow(/SVC_ENV=test/);
    expect(read({ SVC_ENV: 'test', SVC_CRASH_AT: 'ingest:3' }).crashAt).toBe('ingest:3');
  });

  it.each(Object.entries(impossible).filter(([, cases]) => cases.length > 0))(
    'is refused with an impossible %s, which the reason names and does not repeat',
    (name, cases) => {
      for (const given of cases) {
        const environment = typeof given === 'string' ? { [name]: given } : given;
        const value = environment[name] ?? '';
        const reason = reasonOf({ SVC_ENV: 'test', ...environment });
        expect(reason, value).toContain(name);
        expect(reason).not.toContain('sesame');
      }
    },
  );

  const reasonOf = (environment: Record<string, string>): string => {
    try {
      read(environment);
    } catch (error) {
      if (error instanceof ConfigError) return error.message;
      throw error;
    }
    return '';
  };

  it('takes proxies that leave addresses to clients, and says why it refuses all of them', () => {
    const given = ['10.0.0.0/8', '0.0.0.0/1', '128.0.0.0/2', 'fc00::/7', '::1', '192.168.0.1'];
    expect(read({ SVC_TRUSTED_PROXIES: given.join(', ') }).trustedProxies).toEqual(given);
    expect(reasonOf({ SVC_TRUSTED_PROXIES: '0.0.0.0/0' })).toContain(
      'SVC_TRUSTED_PROXIES: must not hold every address: any client could then choose its own',
    );
  });

  it('knows an impossible value of every variable but those that take any text', () => {
    expect(Object.keys(impossible).toSorted()).toEqual(VARIABLES.toSorted());
    const free = Object.entries(impossible).filter(([, cases]) => cases.length === 0);
    expect(free.map(([name]) => name).toSorted()).toEqual([
      'AGENTIC_ATTACHMENT_STORAGE_PATH',
      'AGENTIC_FALLBACK_OPENAI_MODEL',
      'AGENTIC_RECORD',
      'HTTP_IN_HOST',
      'LWM2M_HOST',
      'LWM2M_SECURE_HOST',
      'NODE_ENV',
      'SVC_AUDIT_HEAD',
      'SVC_DATA_DIR',
      'SVC_DRIVERS_DIR',
      'SVC_HOST',
    ]);
  });

  it('warns of variables of ours that nobody knows, by name only', () => {
    const misspelt = { SVC_PROT: '9000', AGENTIC_TOOLS: 'sesame', LWM2M_PORTS: '1' };
    const { warnings } = read({ ...misspelt, PATH: '/bin', DATABASE_URI: 'x', SVC_EMPTY: '' });
    expect(warnings).toEqual(
      ['AGENTIC_TOOLS', 'LWM2M_PORTS', 'SVC_PROT'].map(
        (name) => `there is no setting ${name}: is it misspelt?`,
      ),
    );
    expect(read({}).warnings).toEqual([]);
  });

  it('serves DTLS at the port after the clear one, unless another is set', () => {
    const portOf = (given: Record<string, string>) => placesOf(read(given).drivers).secure.port;
    expect(portOf({})).toBe(5684);
    expect(portOf({ LWM2M_PORT: '15683' })).toBe(15_684);
    expect(portOf({ LWM2M_PORT: '15683', LWM2M_SECURE_PORT: '25684' })).toBe(25_684);
    expect(portOf({ LWM2M_PORT: '0' })).toBe(0);
    expect(portOf({ LWM2M_PORT: '65535' })).toBe(65_534);
  });

  it('keeps the clear port to this machine, unless a host is set, and says so', () => {
    const hostsOf = (given: Record<string, string>) => {
      const { clear, secure } = placesOf(read(given).drivers);
      return [clear.host, secure.host, clear.note !== undefined];
    };
    expect(hostsOf({})).toEqual(['127.0.0.1', '0.0.0.0', true]);
    expect(hostsOf({ LWM2M_HOST: '0.0.0.0' })).toEqual(['0.0.0.0', '0.0.0.0', false]);
    expect(hostsOf({ LWM2M_HOST: '192.0.2.1' })).toEqual(['192.0.2.1', '192.0.2.1', false]);
    expect(hostsOf({ LWM2M_SECURE_HOST: '::1' })).toEqual(['127.0.0.1', '::1', true]);
    const both = { LWM2M_HOST: '0.0.0.0', LWM2M_SECURE_HOST: '127.0.0.1' };
    expect(hostsOf(both)).toEqual(['0.0.0.0', '127.0.0.1', false]);
  });
});

describe('what is written about the environment', () => {
  const text = (file: string): string =>
    readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  const section = text('docs/environment.md');
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));

  it('names in docs/environment.md each variable there is, and no other', () => {
    const named = rows.flatMap((row) =>
      [...row.matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?:=[a-z]+)?`/g)].map(([, name = '']) => name),
    );
    expect([...new Set(named)].toSorted()).toEqual(VARIABLES.toSorted());
  });

  it('gives each a default and a meaning in docs/environment.md', () => {
    for (const row of rows) expect(row).toMatch(/^\| [^|]+ \| [^|]+ \| [^|]{3,} \|$/);
  });

  it('sets in .env.example only variables that are read', () => {
    const set = [...text('.env.example').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(
      ([, name = '']) => name,
    );
    expect(set.length).toBeGreaterThan(3);
    const composed = [...text('compose.yaml').matchAll(/\$\{([A-Z0-9_]+)/g)].map(
      ([, name]) => name,
    );
    for (const name of set) expect([...VARIABLES, ...composed]).toContain(name);
  });

  it('sets in compose.yaml and the image only variables that are read', () => {
    const set = [
      ...text('compose.yaml').matchAll(/^ {6}([A-Z][A-Z0-9_]+):/gm),
      ...text('Dockerfile').matchAll(/\b(SVC_[A-Z_]+)=/g),
    ].map(([, name = '']) => name);
    const theirs = /^POSTGRES_/;
    for (const name of set.filter((each) => !theirs.test(each))) expect(VARIABLES).toContain(name);
  });
});
