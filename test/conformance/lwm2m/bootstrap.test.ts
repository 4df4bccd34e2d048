import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { Account, BootstrapFailure } from '../../../driver/simulator/bootstrap.ts';
import { bootstrap } from '../../../driver/simulator/bootstrap.ts';
import { driverDevice } from '../../support/devices/driver-center.ts';
import { type Lwm2mBench, openLwm2mBench } from '../../support/devices/lwm2m-bench.ts';

const own = { identity: 'meter', key: '000102030405060708090a0b0c0d0e0f' };
const factory = { identity: 'factory-7', key: 'f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff' };
const configs = {
  endpoint: 'urn:dev:1',
  securityMode: 'PSK',
  pskIdentity: own.identity,
  pskKey: own.key,
  factoryIdentity: factory.identity,
  factoryKey: factory.key,
};

let bench: Lwm2mBench;
beforeEach(async () => {
  bench = await openLwm2mBench();
});
afterEach(() => bench.close());

/** A driver with the device, which is to register where the driver listens. */
async function served(more: Record<string, string> = {}) {
  const { driver, center } = await bench.serve([]);
  const port = driver.securePort();
  const device = driverDevice({ ...configs, serverUri: `coaps://127.0.0.1:${port}`, ...more }, []);
  await center.announce(device);
  await vi.waitFor(() => expect(driver.status(device).description).toContain('DTLS'), 10_000);
  const heard: string[] = [];
  const asks = (how: { refuses?: string; patienceMs?: number } = {}) =>
    bootstrap({
      endpoint: 'urn:dev:1',
      server: { host: '127.0.0.1', port },
      factory,
      heard: (step) => heard.push(step),
      ...how,
    });
  return { driver, center, device, heard, asks, port };
}

function accountIn(given: Account | BootstrapFailure): Account {
  if ('failed' in given) throw new Error(`no account: ${given.failed}`);
  return given;
}

it('int-0: a bootstrap that the device begins ends with Bootstrap-Finish', async () => {
  const { driver, device, heard, asks, port } = await served();
  expect(accountIn(await asks()).server).toEqual({ host: '127.0.0.1', port });
  expect(heard.at(-1)).toBe('POST /bs');
  await vi.waitFor(() =>
    expect(driver.status(device).description).toBe(
      'not registered: the device was given its own key, and has to register with it',
    ),
  );
});

it('int-1: the device is given an account with a pre-shared key, and registers with it', async () => {
  const { driver, device, asks } = await served();
  const { psk, lifetimeS } = accountIn(await asks());
  expect([psk, lifetimeS]).toEqual([own, 3_600]);
  await bench.simulate(driver, () => {}, { psk, lifetimeS });
  await bench.reaches(driver, device, 'ONLINE');
});

it('int-4: what the device had of other servers is deleted', async () => {
  const { heard, asks } = await served();
  await asks();
  expect(heard.slice(0, 2)).toEqual(['DELETE /0', 'DELETE /1']);
});

it('int-6: the sequence is delete, look for what is left, write, finish', async () => {
  const { heard, asks } = await served();
  await asks();
  expect(heard).toEqual(['DELETE /0', 'DELETE /1', 'GET /0', 'PUT /0/1', 'PUT /1/0', 'POST /bs']);
});

it('int-7: a device that is refused with its key falls back to a bootstrap', async () => {
  const { driver, device, asks } = await served();
  const events: string[] = [];
  const lost = { identity: own.identity, key: factory.key };
  const former = await bench.simulate(driver, ({ event }) => events.push(event), { psk: lost });
  await vi.waitFor(() => expect(events).toContain('unreachable'), 30_000);
  former.vanish();
  const { psk } = accountIn(await asks());
  await bench.simulate(driver, () => {}, { psk });
  await bench.reaches(driver, device, 'ONLINE');
});

it('int-9: the device checks what it was given, and what it finds inconsistent is said', async () => {
  const { driver, device, asks } = await served();
  expect(await asks({ refuses: '/bs', patienceMs: 2_000 })).toEqual({ failed: 'unfinished' });
  expect(driver.status(device).description).toBe(
    'not registered: the device found what it was given inconsistent',
  );
  expect(await asks({ refuses: '/1/0', patienceMs: 2_000 })).toEqual({ failed: 'unfinished' });
  expect(driver.status(device).description).toBe(
    'not registered: the device refused /1/0 with 4.00',
  );
  expect(accountIn(await asks()).psk).toEqual(own);
});
