import { afterEach, beforeEach, expect, it } from 'vitest';

import { lineOf, openToldBench, type ToldBench } from '../../support/lwm2m/told-bench.ts';

let world: ToldBench;
beforeEach(async () => {
  world = await openToldBench();
});
afterEach(() => world.close());

const quiet = () => ({ code: '2.04' });

it('int-101: a first registration is answered with its location, and the device is online', async () => {
  const { code, device, driver, known, status } = await world.registered(quiet, {
    query: 'lt=60&lwm2m=1.1&b=U',
    links: '</>;rt="oma.lwm2m";ct="60 110 112 11542",</1/0>,</3/0>',
  });
  expect([code, status()]).toEqual(['2.01', 'ONLINE']);
  expect(device.location()).toMatch(/^\/rd\/[0-9a-f]{16}$/);
  expect(driver.status(known).description).toContain('LwM2M 1.1');
});

it('int-102: an update of lifetime and objects is taken, and keeps the location', async () => {
  const { device, status } = await world.registered(quiet);
  const location = device.location();
  expect(await device.update('lt=120', '</1/0>,</3/0>,</3303/0>')).toBe('2.04');
  expect(await device.update()).toBe('2.04');
  expect([device.location(), status()]).toEqual([location, 'ONLINE']);
});

it('int-103: a de-registration ends the registration, and nothing is sent any more', async () => {
  const { device, status, write } = await world.registered(quiet, {
    points: [
      {
        code: 'lifetime',
        type: 'INT',
        rw: 'READ_WRITE',
        configs: { objectId: '1', resourceId: '1' },
      },
    ],
  });
  expect(await device.deregister()).toBe('2.02');
  expect(status()).toBe('OFFLINE');
  await expect(write('lifetime', '60')).rejects.toMatchObject({ code: 'DEVICE_OFFLINE' });
  expect(device.told).toEqual([]);
});

it('int-104: the trigger of the server makes the device update its registration', async () => {
  const updates: Promise<string>[] = [];
  const { device, call } = await world.registered(({ url }) => {
    if (url === '/1/0/8') updates.push(device.update());
    return { code: '2.04' };
  });
  await call({ path: '/1/0/8' });
  expect(device.heard().map(lineOf)).toEqual(['POST /1/0/8']);
  expect(await Promise.all(updates)).toEqual(['2.04']);
});

it('int-105: an update to a location that is not there is discarded, until the device registers anew', async () => {
  const { device, status } = await world.registered(quiet);
  expect(await device.update('lt=60', undefined, '/rd/0123456789abcdef')).toBe('4.04');
  await device.deregister();
  expect(await device.update()).toBe('4.04');
  expect(status()).toBe('OFFLINE');
  expect(await device.register()).toBe('2.01');
  expect(status()).toBe('ONLINE');
});

it('int-107: the lifetime that the server made longer is that of the next update', async () => {
  const { device, write, driver, known } = await world.registered(quiet, {
    query: 'lt=20&lwm2m=1.1&b=U',
    points: [
      {
        code: 'lifetime',
        type: 'INT',
        rw: 'READ_WRITE',
        configs: { objectId: '1', resourceId: '1' },
      },
    ],
  });
  await write('lifetime', '60');
  expect(device.heard().map(lineOf)).toEqual(['PUT /1/0/1 0 60']);
  expect(await device.update('lt=60')).toBe('2.04');
  expect(driver.status(known).status).toBe('ONLINE');
});

it('int-108: queue mode is taken with the registration, as of 1.1 and as of 1.0', async () => {
  const { device, code, status } = await world.registered(quiet, {
    query: 'lt=60&lwm2m=1.1&b=U&Q',
  });
  expect([code, status()]).toEqual(['2.01', 'ONLINE']);
  expect(await device.register('lt=60&lwm2m=1.0&b=UQ')).toBe('2.01');
  expect(status()).toBe('ONLINE');
});
