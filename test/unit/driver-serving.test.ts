import { describe, expect, it } from 'vitest';

import { createCenterTime } from '../../driver/sdk/center-time.ts';
import { createServing } from '../../driver/sdk/serving.ts';
import { createVirtualDriver } from '../../driver/virtual/driver.ts';
import { driverDevice } from '../support/devices/driver-center.ts';
import { TestClock } from '../support/world/clock.ts';

describe('word of the node that serves a device', () => {
  const device = driverDevice({}, []);
  const devices = new Map([[device.id, device]]);

  /** The device registered here 30 s ago; what another node held for 1 s was said `lateMs` ago. */
  function takes(lateMs: number): { again: string[]; taken: string[] } {
    const clock = new TestClock();
    const taken: string[] = [];
    const driver = {
      ...createVirtualDriver({ clock }),
      heldMs: () => 30_000,
      taken: ({ id }: { id: string }) => void taken.push(id),
    };
    const time = createCenterTime(clock);
    time.learn(clock.now());
    const serving = createServing({ driver, devices, time, node: 'a' });
    const again = serving.take({
      kind: 'serving',
      driverCode: driver.code,
      node: 'b',
      at: clock.now() - lateMs,
      devices: [{ tenantId: device.tenantId, deviceId: device.id, heldMs: 1_000 }],
    });
    return { again: again.map(({ id }) => id), taken };
  }

  it('ends the registration of a device that went there later', () => {
    expect(takes(0)).toEqual({ again: [], taken: ['1'] });
  });

  it('that waited while the bus was away ends no registration that was made after it', () => {
    expect(takes(60_000)).toEqual({ again: ['1'], taken: [] });
  });
});

describe('a device that registered at a node', () => {
  const device = driverDevice({ endpoint: 'urn:dev:1' }, []);
  const change = { id: 'c1', from: '192.0.2.1', to: '192.0.2.2', at: 5 };

  /** A node at which the device is registered, at first from 192.0.2.2. */
  const node = () => {
    const clock = new TestClock();
    const at = { host: '192.0.2.2', change: null };
    const told: unknown[] = [];
    const driver = {
      ...createVirtualDriver({ clock }),
      heldMs: () => 0,
      peer: () => at,
      peerChanged: (_: unknown, what: unknown) => void told.push(what),
    };
    const devices = new Map([[device.id, device]]);
    const serving = createServing({ driver, devices, time: createCenterTime(clock), node: 'a' });
    const hear = (server: string, host: string, changed: typeof change | null = null) =>
      serving.take({
        kind: 'serving',
        driverCode: driver.code,
        node: server,
        devices: [{ tenantId: '1', deviceId: '1', heldMs: 0, peer: { host, change: changed } }],
      });
    return { at, told, serving, hear };
  };

  it('is in doubt there until its address was compared with the former one', () => {
    const { at, serving, hear } = node();
    const reading = { rawValue: '1', originTime: 0 };
    expect(serving.doubtOf(device)).toMatchObject({ code: 'PEER_UNCOMPARED' });
    expect(serving.withDoubt(device, reading)).toHaveProperty('doubt');
    expect(serving.claimOf(device)).toMatchObject({ claim: 'asks', peer: { host: '192.0.2.2' } });
    // What is said of another address says nothing of this one.
    expect(hear('a', '192.0.2.1')).toEqual([device]);
    expect(serving.doubtOf(device)).not.toBeNull();
    expect(hear('a', '192.0.2.2')).toEqual([]);
    expect(serving.doubtOf(device)).toBeNull();
    expect(serving.withDoubt(device, reading)).toEqual(reading);
    expect(serving.claimOf(device)).toMatchObject({ claim: 'keeps' });
    at.host = '192.0.2.3';
    expect(serving.doubtOf(device)).not.toBeNull();
    expect(serving.claimOf(device)).toMatchObject({ claim: 'asks' });
  });

  it('is compared anew when it has been at another node meanwhile', () => {
    const { serving, hear } = node();
    hear('a', '192.0.2.2');
    hear('b', '192.0.2.1');
    expect(serving.isCompared(device)).toBe(false);
  });

  it('brings the last change of its address along', () => {
    const { told, hear } = node();
    hear('a', '192.0.2.2', change);
    expect(told).toEqual([change]);
  });
});
