import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { startDriver } from '../../../driver/sdk/host/host.ts';
import { startDevice } from '../../../driver/simulator/device.ts';
import { systemClock as clock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import { driverDevice, openDriverCenter } from '../../support/devices/driver-center.ts';
import { lwm2mDriver } from '../../support/lwm2m/lwm2m-driver.ts';
import { until } from '../../support/world/until.ts';

const log = createLog('silent');
let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'lwm2m-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

/** docs/specification/lwm2m.md, LwM2M driver attributes. */
async function served(configs: (driver: ReturnType<typeof lwm2mDriver>) => Record<string, string>) {
  const driver = lwm2mDriver({ clock, log, dataDir });
  const points = [
    { id: '1', code: 'temperature', configs: { objectId: '3303', resourceId: '5700' } },
  ];
  const center = await openDriverCenter(clock, driver.code, []);
  const running = await startDriver(driver, { bus: center.bus, clock, log, node: 'n1', dataDir });
  const before = driver.listening?.();
  const device = driverDevice({ endpoint: 'urn:dev:1', ...configs(driver) }, points);
  await center.announce(device);
  await until(() => expect(running.devices().size).toBe(1));
  const events: string[] = [];
  const simulated = await startDevice({
    endpoint: 'urn:dev:1',
    server: { host: '127.0.0.1', port: driver.port() },
    lifetimeS: 3600,
    log,
    onEvent: (event) => events.push(event.event),
  });
  try {
    await until(() => expect(events.length).toBeGreaterThan(0));
    const { status, description } = driver.status(device);
    expect(driver.listening?.()).toEqual(before);
    return { event: events[0], status, description };
  } finally {
    await simulated.stop();
    await running.stop();
    await center.bus.close();
  }
}

it.each([
  ['the host and port at which the driver listens', { serverHost: '127.0.0.1' }],
  ['the usual port, which is the default', { serverPort: '5683' }],
  ['a port of the other mode', { securePort: '2' }],
  ['no port', { serverPort: '' }],
])('a device that names %s is served, and no socket is opened for it', async (_what, configs) => {
  const named = (port: number) => ({ serverPort: String(port), ...configs });
  expect(await served((driver) => named(driver.port()))).toMatchObject({
    event: 'registered',
    status: 'ONLINE',
  });
});

it('a device that names another port than that of the driver is refused, and says why', async () => {
  expect(await served(() => ({ serverPort: '1' }))).toMatchObject({
    event: 'refused',
    status: 'OFFLINE',
    description: expect.stringMatching(/serverPort is 1, and the driver listens at \d+/),
  });
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
