import { afterEach, beforeEach, expect, it } from 'vitest';

import { openCoapEndpoint } from '../../../driver/coap/endpoint.ts';
import { fetchComposite, packOf } from '../../../driver/lwm2m/operation/composite.ts';
import type { Registration } from '../../../driver/lwm2m/registration/registration.ts';
import type { SimulatedDevice } from '../../../driver/simulator/contract.ts';
import { startDevice } from '../../../driver/simulator/device.ts';
import { systemClock as clock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/process/log.ts';

const log = createLog('silent');
const temperature = { objectId: 3303, objectInstanceId: 0, resourceId: 5700 };

let server: Awaited<ReturnType<typeof openCoapEndpoint>>;
let device: SimulatedDevice;
let registration: Registration;
beforeEach(async () => {
  server = await openCoapEndpoint({
    host: '127.0.0.1',
    port: 0,
    clock,
    log,
    onRequest: async () => ({ code: 0x41, locationPath: ['rd', 'a'] }),
  });
  device = await startDevice({
    endpoint: 'urn:dev:1',
    server: { host: '127.0.0.1', port: server.port },
    lifetimeS: 3600,
    log,
  });
  registration = {
    id: 'a',
    endpoint: 'urn:dev:1',
    deviceId: '1',
    peer: { address: '127.0.0.1', port: device.port },
    version: '1.1',
    queueMode: false,
    lifetimeS: 3600,
    expiresAt: clock.now() + 3_600_000,
    heardAt: clock.now(),
    contentFormats: [110],
    root: [],
    objects: [],
    leftOut: 0,
    objectsAt: 0,
  };
});
afterEach(async () => {
  await device.stop();
  await server.close();
});

const fetched = (names: readonly string[]) =>
  fetchComposite(
    (peer, request) => server.request(peer, request),
    { registration, deadline: clock.now() + 10_000 },
    names,
  );

it('int-229: several resources and objects in one composite read', async () => {
  const pack = packOf(await fetched(['/3303/0/5700', '/3308/0/5900', '/3/0']));
  expect(pack.paths.toSorted((a, b) => a.localeCompare(b))).toEqual([
    '3/0/0',
    '3/0/13',
    '3/0/9',
    '3303/0/5700',
    '3308/0/5900',
  ]);
  expect(pack.newestOf({ ...temperature, objectId: 3308, resourceId: 5900 }, 'DOUBLE')).toBe('20');
});

it('int-235: a composite read of the root answers all that can be read', async () => {
  expect(packOf(await fetched(['/'])).paths.length).toBe(5);
});

it('int-236: paths that are partly absent are left out of the answer', async () => {
  const pack = packOf(await fetched(['/3303/0/5700', '/9999/0/1']));
  expect(pack.paths).toEqual(['3303/0/5700']);
  expect(pack.newestOf({ ...temperature, objectId: 9999, resourceId: 1 }, 'DOUBLE')).toBeNull();
});

it('int-237: a composite read without Accept is answered in a format of its own', async () => {
  const response = await server.request(registration.peer, {
    method: 'FETCH',
    path: [],
    contentFormat: 110,
    payload: Buffer.from('[{"n":"/3303/0/5700"}]'),
    deadline: clock.now() + 10_000,
  });
  expect(packOf(response).paths).toEqual(['3303/0/5700']);
});

it('int-280: a composite read that is complete', async () => {
  const pack = packOf(await fetched(['/3303/0/5700', '/3/0/0']));
  expect(pack.paths.length).toBe(2);
  expect(pack.newestOf({ objectId: 3, objectInstanceId: 0, resourceId: 0 }, 'STRING')).toBe(
    'Simulated Devices',
  );
});

it('int-281: a composite read that is partly successful, and none of it', async () => {
  expect(packOf(await fetched(['/3303/0/5700', '/3303/7/5700'])).paths).toEqual(['3303/0/5700']);
  expect((await fetched(['/9999/0/1'])).code).toBe(0x45);
});
