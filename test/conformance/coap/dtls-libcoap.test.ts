import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type RunningDriver, startDriver } from '../../../driver/sdk/host/host.ts';
import { systemClock as clock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import {
  type DriverCenter,
  driverDevice,
  openDriverCenter,
} from '../../support/devices/driver-center.ts';
import { askWithLibcoap, links } from '../../support/devices/libcoap.ts';
import { lwm2mDriver } from '../../support/lwm2m/lwm2m-driver.ts';
import { until } from '../../support/world/until.ts';

const log = createLog('silent');
/** The clients of libcoap take the key as text. */
const key = 'sixteen-byte-key';
const hexKey = Buffer.from(key).toString('hex');
const device = driverDevice(
  { endpoint: 'debian-1', securityMode: 'PSK', pskIdentity: 'meter', pskKey: hexKey },
  [],
);
const LINES_MS = 15_000;

let dataDir: string;
let center: DriverCenter;
let running: RunningDriver;
let port: number;
let status: () => string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'dtls-'));
  const driver = lwm2mDriver({ clock, log, dataDir });
  center = await openDriverCenter(clock, driver.code, [device]);
  running = await startDriver(driver, { bus: center.bus, clock, log, node: 'n1', dataDir });
  port = driver.securePort();
  status = () => driver.status(device).status;
  await until(() => expect(running.devices().size).toBe(1));
});
afterAll(async () => {
  await running.stop();
  await center.bus.close();
  await rm(dataDir, { recursive: true });
});

/** CoAP over DTLS of implementations that share nothing with ours. */
describe.each(['coap-client-openssl', 'coap-client-gnutls'])('%s', (client) => {
  const ask = (method: string, target: string, ...options: string[]) => {
    const url = `coaps://127.0.0.1:${port}${target}`;
    return askWithLibcoap(client, method, url, ['-u', 'meter', '-k', key, ...options]);
  };

  it('registers, updates and leaves, each in a session of its own', async () => {
    const query = 'ep=debian-1&lt=60&lwm2m=1.1&b=U';
    const { code, location } = await ask('post', `/rd?${query}`, ...links('</1/0>,</3/0>'));
    expect(code).toBe('2.01');
    expect(await ask('post', `${location}?lt=120`)).toMatchObject({ code: '2.04' });
    expect(await ask('delete', location)).toMatchObject({ code: '2.02' });
    expect(await ask('post', location)).toMatchObject({ code: '4.04' });
  });

  it('registers 60 objects, in blocks', async () => {
    const many = Array.from({ length: 60 }, (_, i) => `</${3300 + i}/0>;ver=1.1`).join(',');
    const query = 'ep=debian-1&lt=60&lwm2m=1.1&b=U';
    const { code, location } = await ask('post', `/rd?${query}`, '-b', '256', ...links(many));
    expect(code).toBe('2.01');
    expect(await ask('delete', location)).toMatchObject({ code: '2.02' });
  });

  it('is refused under another name', async () => {
    const other = await ask('post', '/rd?ep=stranger&lwm2m=1.1', ...links('</3/0>'));
    expect(other.code).toBe('4.03');
    expect(status()).toBe('OFFLINE');
  });
});

/** What a client program says until `wanted` comes, its time is over or it ends. */
async function saidBy(program: string, parameters: string[], wanted: RegExp): Promise<string> {
  const client = spawn(program, parameters);
  let said = '';
  const hear = (chunk: Buffer): void => {
    said += chunk.toString();
    if (wanted.test(said)) client.kill();
  };
  client.stdout.on('data', hear);
  client.stderr.on('data', hear);
  const late = setTimeout(() => client.kill(), LINES_MS);
  await once(client, 'close');
  clearTimeout(late);
  return said;
}

function secureClient(
  cipher: string,
  { psk = hexKey, options = [] }: { psk?: string; options?: readonly string[] },
  wanted: RegExp,
): Promise<string> {
  const at = ['-dtls1_2', '-connect', `127.0.0.1:${port}`];
  const proof = ['-psk_identity', 'meter', '-psk', psk, '-cipher', `${cipher}:@SECLEVEL=0`];
  return saidBy('openssl', ['s_client', ...at, ...proof, ...options], wanted);
}

describe('openssl s_client', () => {
  it.each(['PSK-AES128-CCM8', 'PSK-AES128-CCM', 'PSK-AES128-GCM-SHA256'])(
    'opens a session with %s',
    async (cipher) => {
      const said = await secureClient(cipher, {}, /Extended master secret: \w+/);
      expect(said).toMatch(new RegExp(`Cipher\\s*(?:is|:) ${cipher}`));
      expect(said).toContain('Extended master secret: yes');
    },
  );

  it('opens a session in datagrams of 256 bytes', async () => {
    const small = { options: ['-mtu', '256'] };
    expect(await secureClient('PSK-AES128-CCM8', small, /Extended master secret: \w+/)).toContain(
      'Cipher is PSK-AES128-CCM8',
    );
  });

  it('is told that no suite is common', async () => {
    const said = await secureClient('PSK-AES256-GCM-SHA384', {}, /alert/);
    expect(said).toContain('handshake failure');
  });

  it('with another key gets no session', async () => {
    const said = await secureClient('PSK-AES128-CCM8', { psk: '00'.repeat(16) }, /master secret: /);
    expect(said).not.toContain('Cipher is PSK');
  });
});

describe('gnutls-cli', () => {
  const open = (cipher: string, psk = hexKey) => {
    const priority = `NORMAL:-KX-ALL:+PSK:-CIPHER-ALL:+${cipher}:-VERS-ALL:+VERS-DTLS1.2`;
    const proof = ['--pskusername', 'meter', '--pskkey', psk, '--priority', priority];
    const at = ['--udp', '--port', String(port), '127.0.0.1'];
    return saidBy('gnutls-cli', [...proof, ...at], /Simple Client Mode|[Ff]atal|[Ee]rror/);
  };

  it.each(['AES-128-CCM-8', 'AES-128-CCM', 'AES-128-GCM'])(
    'opens a session with %s',
    async (cipher) => {
      const said = await open(cipher);
      expect(said).toContain('Handshake was completed');
      expect(said).toContain(`(${cipher})`);
    },
  );

  it('with another key gets no session', async () => {
    expect(await open('AES-128-CCM-8', '00'.repeat(16))).not.toContain('Handshake was completed');
  });
});
