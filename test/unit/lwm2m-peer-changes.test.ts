import { expect, it } from 'vitest';

import {
  createPeerChanges,
  type PeerChange,
} from '../../driver/lwm2m/registration/peer-changes.ts';
import { hostOf } from '../../driver/lwm2m/registration/peer.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { driverDevice } from '../support/devices/driver-center.ts';
import { TestClock } from '../support/world/clock.ts';

const device = driverDevice({ endpoint: 'urn:dev:1' }, []);
const change: PeerChange = {
  id: 'c1',
  endpoint: 'urn:dev:1',
  deviceId: '1',
  from: { address: '192.0.2.1' },
  to: { address: '192.0.2.2' },
  at: 5,
  reported: false,
};

it('a change of address is told until the platform has taken its alarm, also one from before a restart', async () => {
  const clock = new TestClock();
  const told: string[] = [];
  const saved: PeerChange[] = [];
  let isAway = true;
  const changes = createPeerChanges({
    restored: [change],
    host: {
      devices: () => new Map([[device.id, device]]),
      async alarm({ id }, { reference, occurTime }) {
        told.push(`${id} ${reference} ${occurTime}`);
        if (isAway) throw new Error('the bus is away');
      },
    },
    saved: {
      put: (one) => saved.push(structuredClone(one)),
      remove: () => {},
    },
    clock,
    log: createLog('silent'),
  });
  await clock.advance(11_000);
  expect(told).toEqual(['1 c1 5', '1 c1 5']);
  expect(saved).toEqual([]);
  isAway = false;
  await clock.advance(60_000);
  expect(told).toHaveLength(3);
  expect(saved).toMatchObject([{ id: 'c1', reported: true }]);
  expect(changes.openFor(device)).toMatchObject({ id: 'c1' });
  changes.keepOnly(device, 'urn:dev:2');
  expect(changes.openFor(device)).toBeNull();
  changes.close();
  expect(clock.pending).toBe(0);
});

it('two addresses that take a name from each other all the time make one alarm each five seconds', async () => {
  const clock = new TestClock();
  const told: string[] = [];
  const changes = createPeerChanges({
    restored: [],
    host: {
      devices: () => new Map([[device.id, device]]),
      alarm: async (_, { reference }) => void told.push(reference),
    },
    saved: { put: () => {}, remove: () => {} },
    clock,
    log: createLog('silent'),
  });
  for (let n = 0; n < 100; n += 1)
    changes.add({ ...change, id: `c${n}`, at: clock.now(), reported: false });
  expect(changes.openFor(device)).toMatchObject({ id: 'c99' });
  expect(told).toEqual(['c0']);
  await clock.advance(5_000);
  expect(told).toEqual(['c0', 'c99']);
  // The same one again is no other change.
  changes.add({ ...change, id: 'c99', at: clock.now() + 60_000 });
  await clock.advance(5_000);
  expect(told).toEqual(['c0', 'c99']);
  changes.close();
});

it('an address is the same on a socket of either family', () => {
  expect(hostOf({ address: '::ffff:192.0.2.1' })).toBe('192.0.2.1');
  expect(hostOf({ address: 'FE80::1%eth0' })).toBe('fe80::1');
  expect(hostOf({ address: '2001:db8::ffff:1' })).toBe('2001:db8::ffff:1');
});
