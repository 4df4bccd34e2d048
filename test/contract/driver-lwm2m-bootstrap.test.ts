import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { bootstrap } from '../../driver/simulator/bootstrap.ts';
import { driverDevice } from '../support/devices/driver-center.ts';
import { type Lwm2mBench, openLwm2mBench } from '../support/devices/lwm2m-bench.ts';

const own = { identity: 'meter', key: '000102030405060708090a0b0c0d0e0f' };
const factory = { identity: 'factory-7', key: 'f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff' };
const configs = {
  endpoint: 'urn:dev:1',
  securityMode: 'PSK',
  pskIdentity: own.identity,
  pskKey: own.key,
  factoryIdentity: factory.identity,
  factoryKey: factory.key,
  serverUri: 'coaps://platform.example:5684',
};

describe('a device with the key of its factory', () => {
  let bench: Lwm2mBench;
  beforeEach(async () => {
    bench = await openLwm2mBench();
  });
  afterEach(() => bench.close());

  const asks = (driver: { securePort(): number }, how: Partial<Parameters<typeof bootstrap>[0]>) =>
    bootstrap({
      endpoint: 'urn:dev:1',
      server: { host: '127.0.0.1', port: driver.securePort() },
      factory,
      ...how,
    });

  it('cannot register with it', async () => {
    const device = driverDevice(configs, []);
    const { driver } = await bench.serve([device]);
    const refused: string[] = [];
    await bench.simulate(driver, (event) => event.event === 'refused' && refused.push(event.code), {
      psk: factory,
    });
    await vi.waitFor(() => expect(refused[0]).toBe('4.03'), 20_000);
    expect(driver.status(device).status).toBe('OFFLINE');
  });

  it('cannot use it any more after its first registration with its own key, also after a restart', async () => {
    const device = driverDevice(configs, []);
    const { driver, stop } = await bench.serve([device]);
    expect(await asks(driver, {})).toMatchObject({ psk: own });
    const registered = await bench.simulate(driver, () => {}, { psk: own });
    await bench.reaches(driver, device, 'ONLINE');
    expect(await asks(driver, {})).toEqual({ failed: 'silent' });
    registered.vanish();
    await stop();
    const { driver: next } = await bench.serve([device]);
    expect(await asks(next, {})).toEqual({ failed: 'silent' });
  });

  it('is to register for as long as its configuration says', async () => {
    const { driver } = await bench.serve([driverDevice({ ...configs, serverLifetime: '120' }, [])]);
    expect(await asks(driver, {})).toMatchObject({ psk: own, lifetimeS: 120 });
  });

  it.each([
    ['another key', { factory: { ...factory, key: own.key } }],
    ['an unknown identity', { factory: { ...factory, identity: 'stranger' } }],
  ])('gets no answer with %s', async (_what, how) => {
    const { driver } = await bench.serve([driverDevice(configs, [])]);
    expect(await asks(driver, how)).toEqual({ failed: 'silent' });
  });

  it('is refused under another name, and with its own key', async () => {
    const { driver } = await bench.serve([driverDevice(configs, [])]);
    expect(await asks(driver, { endpoint: 'urn:dev:2' })).toEqual({ failed: '4.00' });
    expect(await asks(driver, { factory: own })).toEqual({ failed: '4.03' });
  });

  it.each([
    ['factoryKey has 2 bytes instead of 8 to 64', { factoryKey: 'abcd' }],
    ['factoryKey is the same as pskKey', { factoryKey: own.key, factoryIdentity: own.identity }],
    ['factoryKey is set, and serverUri is no coaps://HOST:PORT', { serverUri: 'coap://a' }],
    [
      'factoryKey is set, and serverLifetime is no number of seconds from 30 to 2592000',
      { serverLifetime: '5' },
    ],
  ])('says why it cannot be moved: %s', async (problem, more) => {
    const device = driverDevice({ ...configs, ...more }, []);
    const { driver } = await bench.serve([device]);
    await vi.waitFor(
      () => expect(driver.status(device).description).toBe(`not registered: ${problem}`),
      20_000,
    );
  });
});
