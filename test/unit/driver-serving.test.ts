import { describe, expect, it } from 'vitest';

import { createCenterTime } from '../../driver/sdk/command/center-time.ts';
import { createServing } from '../../driver/sdk/serving.ts';
import { createVirtualDriver } from '../../driver/virtual/driver.ts';
import { TestClock } from '../support/clock.ts';
import { driverDevice } from '../support/driver-center.ts';

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
