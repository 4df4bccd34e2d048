import { afterEach, beforeEach, expect, it } from 'vitest';

import { lineOf, openToldBench, type ToldBench } from '../../support/lwm2m/told-bench.ts';
import type { Told } from '../../support/lwm2m/told-device.ts';

let world: ToldBench;
beforeEach(async () => {
  world = await openToldBench();
});
afterEach(() => world.close());

const key = '000102030405060708090a0b0c0d0e0f';

it('int-401: over UDP with a pre-shared key the device registers, is read, written and takes its leave', async () => {
  const answer = ({ method }: Told) =>
    method === 'GET' ? { code: '2.05', format: 0, payload: '20' } : { code: '2.04' };
  const { code, device, read, write, status } = await world.registered(answer, {
    configs: { securityMode: 'PSK', pskIdentity: 'meter', pskKey: key },
    psk: { identity: 'meter', key },
    points: [
      {
        code: 'setPoint',
        type: 'FLOAT',
        rw: 'READ_WRITE',
        configs: { objectId: '3308', resourceId: '5900' },
      },
    ],
  });
  expect([code, status()]).toEqual(['2.01', 'ONLINE']);
  expect(await read('setPoint')).toBe('20');
  await write('setPoint', '21.5');
  expect(device.heard().map(lineOf).at(-1)).toBe('PUT /3308/0/5900 0 21.5');
  expect(await device.update('lt=120')).toBe('2.04');
  expect(await device.deregister()).toBe('2.02');
  expect(status()).toBe('OFFLINE');
});
