import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { startDriver } from '../../../driver/sdk/host.ts';
import { startDevice } from '../../../driver/simulator/device.ts';
import { systemClock as clock } from '../../../src/core/clock.ts';
import { createLog } from '../../../src/core/log/log.ts';
import { driverDevice, openDriverCenter } from '../../support/devices/driver-center.ts';
import { lwm2mDriver } from '../../support/devices/lwm2m-driver.ts';
import { until } from '../../support/world/until.ts';

const log = createLog('silent');
let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'lwm2m-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

/** docs/specification/lwm2m.md, LwM2M driver attributes. */
it('what is declared and not applied changes nothing: the device is served over plain CoAP', async () => {
  const device = driverDevice(
    {
      endpoint: 'urn:dev:1',
      serverHost: '192.0.2.1',
      serverPort: '1',
      securePort: '2',
      pskIdentity: 'unused',
      pskKey: '00',
    },
    [
      {
        id: '1',
        code: 'temperature',
        configs: { objectId: '3303', objectInstanceId: '0', resourceId: '5700' },
      },
    ],
  );
  const driver = lwm2mDriver({ clock, log, dataDir });
  const center = await openDriverCenter(clock, driver.code, [device]);
  const running = await startDriver(driver, { bus: center.bus, clock, log, node: 'n1', dataDir });
  await until(() => expect(running.registered()).toBe(true));
  const server = { host: '127.0.0.1', port: driver.port() };
  const simulated = await startDevice({ endpoint: 'urn:dev:1', server, lifetimeS: 3600, log });
  try {
    await vi.waitFor(() => expect(driver.status(device).status).toBe('ONLINE'), 20_000);
    const { reads } = simulated.requests;
    const [point] = device.points;
    if (!point) throw new Error('no point');
    const { rawValue } = await driver.read(device, point, clock.now() + 5_000);
    expect(Number(rawValue)).toBeGreaterThan(0);
    expect([reads, simulated.requests.reads]).toEqual([0, 1]);
  } finally {
    await simulated.stop();
    await running.stop();
    await center.bus.close();
  }
});

/** The specification leaves it without effect; a device that is to be protected is never served in clear. */
it('securityMode=PSK is refused on the clear port', async () => {
  const protectedBy = { securityMode: 'PSK', pskIdentity: 'meter', pskKey: '00' };
  const device = driverDevice({ endpoint: 'urn:dev:1', ...protectedBy }, []);
  const driver = lwm2mDriver({ clock, log, dataDir });
  const center = await openDriverCenter(clock, driver.code, [device]);
  const running = await startDriver(driver, { bus: center.bus, clock, log, node: 'n1', dataDir });
  await until(() => expect(running.registered()).toBe(true));
  const server = { host: '127.0.0.1', port: driver.port() };
  const refusals: string[] = [];
  const simulated = await startDevice({
    endpoint: 'urn:dev:1',
    server,
    lifetimeS: 3600,
    log,
    onEvent: (event) => event.event === 'refused' && refusals.push(event.code),
  });
  try {
    await vi.waitFor(() => expect(refusals).toContain('4.03'), 20_000);
    expect(driver.status(device).status).toBe('OFFLINE');
  } finally {
    await simulated.stop();
    await running.stop();
    await center.bus.close();
  }
});
