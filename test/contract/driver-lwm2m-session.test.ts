import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { driverDevice } from '../support/devices/driver-center.ts';
import { type ObservingDriver, openObservingDriver } from '../support/observe/observing-driver.ts';
import { until } from '../support/world/until.ts';

const key = '000102030405060708090a0b0c0d0e0f';
const secure = { securityMode: 'PSK', pskIdentity: 'meter', pskKey: key };
const point = { id: '2', code: 'setPoint', configs: { objectId: '3308', resourceId: '5900' } };
const known = driverDevice({ endpoint: 'urn:dev:1', ...secure }, [point]);
const OVER = 'registered, but its DTLS session is over';

describe('a device that closed its DTLS session while its registration lives', () => {
  let world: ObservingDriver;
  beforeEach(async () => {
    world = await openObservingDriver();
    world.has(known);
  });
  afterEach(() => world.close());
  const status = () => world.driver().status(known);

  async function closed() {
    const device = await world.device({ identity: 'meter', key });
    expect(await device.register('urn:dev:1')).toBe('2.01');
    device.renew();
    await until(() => expect(status().description).toBe(OVER));
    return device;
  }

  it('is online for 45 s in which it may open the next one, and nothing is sent to it', async () => {
    await closed();
    const [read] = known.points;
    if (!read) throw new Error('no point');
    const asked = world.driver().read(known, read, world.clock.now() + 1_000);
    await expect(asked).rejects.toMatchObject({ code: 'DEVICE_OFFLINE' });
    await world.clock.advance(44_999);
    expect(status().status).toBe('ONLINE');
    await world.clock.advance(1);
    expect(status()).toEqual({ status: 'OFFLINE', description: OVER });
  });

  it('has the same time again after each session', async () => {
    const device = await closed();
    await world.clock.advance(40_000);
    expect(await device.update()).toBe('2.04');
    expect(status().status).toBe('ONLINE');
    device.renew();
    await until(() => expect(status().description).toBe(OVER));
    await world.clock.advance(40_000);
    expect(status().status).toBe('ONLINE');
  });

  it('stays online over a restart of the driver in that time', async () => {
    await closed();
    await world.restart();
    expect(status()).toEqual({ status: 'ONLINE', description: OVER });
    await world.clock.advance(45_000);
    expect(status().status).toBe('OFFLINE');
  });

  it('is offline at once when its key does not count any more', async () => {
    const device = await world.device({ identity: 'meter', key });
    expect(await device.register('urn:dev:1')).toBe('2.01');
    expect(status().status).toBe('ONLINE');
    world.has(
      driverDevice({ ...known.configs, pskKey: 'f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff' }, [point]),
    );
    expect(status().status).toBe('OFFLINE');
  });
});
