import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { drivers } from '../../driver/index.ts';
import { centers } from '../../src/gateway/mount/centers.ts';
import { CENTERS } from '../../src/kernel/process/layout.ts';
import { readSettings } from '../../src/start/settings.ts';

const SHARED = {
  DATABASE_URL: 'postgres://127.0.0.1/svc',
  AMQP_URL: 'amqp://127.0.0.1',
  SVC_SECRET_KEY: 'k'.repeat(32),
  AUTH_HMAC_SECRET: 'a secret of our own',
};
const URLS = {
  SVC_AUTH_URL: 'http://auth:8300',
  SVC_MANAGER_URL: 'http://manager:8400/',
  SVC_DATA_URL: 'http://data:8500',
  SVC_AGENTIC_URL: 'https://agentic',
};

const everything = ['gateway', ...Object.keys(centers), ...Object.keys(drivers), 'driver-packages'];

describe('SVC_ROLES', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'svc-roles-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  const read = (environment: Record<string, string>) =>
    readSettings({ SVC_DATA_DIR: directory, ...environment });
  const without = (name: keyof typeof SHARED): Record<string, string> =>
    Object.fromEntries(Object.entries(SHARED).filter(([key]) => key !== name));

  it('is every service in one process when unset, empty or all', () => {
    for (const environment of [{}, { SVC_ROLES: '' }, { SVC_ROLES: 'all' }]) {
      const config = read(environment);
      expect([...config.services].toSorted()).toEqual(everything.toSorted());
      expect(config).toMatchObject({ split: false, serves: true, node: 'node-1', demo: true });
    }
    expect(read({ SVC_ROLES: everything.join(', ') }).split).toBe(false);
    // Without packages there is nothing of them to run elsewhere.
    expect(read({ SVC_ROLES: everything.slice(0, -1).join(', ') }).split).toBe(false);
  });

  it('takes a list with spaces and repetitions', () => {
    const config = read({ ...SHARED, SVC_ROLES: 'auth , manager,auth' });
    expect([...config.services]).toEqual(['auth', 'manager']);
    expect(config).toMatchObject({ split: true, serves: true, demo: false });
  });

  it.each(['gatway', 'auth,,manager', 'driver-modem', 'AUTH', 'all,auth', ' , '])(
    'refuses %j and lists what there is',
    (SVC_ROLES) => {
      const all = `gateway, auth, manager, data, agentic, ${Object.keys(drivers).join(', ')}, driver-packages`;
      expect(() => read({ ...SHARED, SVC_ROLES })).toThrow(
        new RegExp(`SVC_ROLES: there is no service .*; the services are ${all}$`, 'm'),
      );
    },
  );

  it('is listed in the table of docs/operations.md', () => {
    const [, section = ''] = readFileSync('docs/operations.md', 'utf8').split('## Many processes');
    const named = [...section.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
    expect(named.slice(0, everything.length)).toEqual(everything);
  });

  it('puts the centers on the ports of the specification', () => {
    const ports = CENTERS.map((center) => read({}).centers[center].port);
    expect(ports).toEqual([8300, 8400, 8500, 8600]);
    expect(read({ SVC_DATA_PORT: '0' }).centers.data.port).toBe(0);
    expect(() => read({ SVC_AUTH_PORT: '65536' })).toThrow(/SVC_AUTH_PORT/);
  });

  it.each(Object.keys(SHARED))('refuses a center of its own without %s', (name) => {
    for (const service of CENTERS) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a key of SHARED
      const environment = without(name as keyof typeof SHARED);
      expect(() => read({ ...environment, SVC_ROLES: service })).toThrow(
        new RegExp(`SVC_ROLES is ${service} only, but:[^]*${name} is required`),
      );
    }
  });

  it('names everything that is missing at once', () => {
    expect(() => read({ SVC_ROLES: 'gateway,auth' })).toThrow(
      /AMQP_URL[^]*DATABASE_URL[^]*SVC_SECRET_KEY[^]*AUTH_HMAC_SECRET[^]*SVC_MANAGER_URL[^]*SVC_DATA_URL[^]*SVC_AGENTIC_URL/,
    );
  });

  it('refuses the shipped HMAC secret between processes, and takes an empty one as switched off', () => {
    const environment = { ...SHARED, SVC_ROLES: 'data' };
    expect(() => read({ ...environment, AUTH_HMAC_SECRET: 'svc-default-hmac-secret' })).toThrow(
      /not the shipped default/,
    );
    expect(read({ ...environment, AUTH_HMAC_SECRET: '' }).hmacSecret).toBeNull();
    expect(() => read({ ...environment, AUTH_HMAC_SECRET: '', SVC_ENV: 'pro' })).toThrow(
      /[Ii]llegal state/,
    );
  });

  it('refuses a gateway that does not know where a center is', () => {
    const gateway = { ...SHARED, ...URLS, SVC_ROLES: 'gateway' };
    expect(read(gateway).centers).toMatchObject({
      auth: { urls: ['http://auth:8300'] },
      manager: { urls: ['http://manager:8400'] },
      agentic: { urls: ['https://agentic'] },
    });
    const listed = { ...gateway, SVC_DATA_URL: 'http://data-1:8500/, http://data-2:8500' };
    expect(read(listed).centers.data.urls).toEqual(['http://data-1:8500', 'http://data-2:8500']);
    expect(() => read({ ...gateway, SVC_DATA_URL: '' })).toThrow(
      /SVC_DATA_URL is required: the gateway must know where the data center is/,
    );
    const { SVC_DATA_URL: _, ...others } = gateway;
    expect(read({ ...others, SVC_ROLES: 'gateway,data' }).centers.data.urls).toEqual([]);
    expect(() => read({ ...gateway, SVC_AUTH_URL: 'ftp://auth' })).toThrow(/SVC_AUTH_URL/);
  });

  it('gives a driver of its own neither database nor secrets, in production either', () => {
    const config = read({
      SVC_ENV: 'pro',
      AMQP_URL: SHARED.AMQP_URL,
      SVC_ROLES: 'driver-lwm2m,driver-virtual',
    });
    expect(config).toMatchObject({
      serves: false,
      databaseUrl: null,
      secretKey: null,
      hmacSecret: null,
    });
    expect(readdirSync(directory)).toEqual([]);
    expect(() => read({ SVC_ROLES: 'driver-lwm2m' })).toThrow(/AMQP_URL is required/);
  });

  it('names the node after its host, the same again after a restart, or as it is told', () => {
    const environment = { ...SHARED, SVC_ROLES: 'driver-lwm2m' };
    const { node } = read(environment);
    expect(node).toMatch(/^[\w.-]{1,64}$/);
    expect(node).toBe(
      hostname()
        .replaceAll(/[^\w.-]/g, '-')
        .slice(0, 64),
    );
    expect(read(environment).node).toBe(node);
    expect(read({ ...environment, SVC_NODE: 'hall-3' }).node).toBe('hall-3');
    for (const SVC_NODE of ['a b', 'x'.repeat(65), '../x'])
      expect(() => read({ ...environment, SVC_NODE })).toThrow(/SVC_NODE/);
  });
});
