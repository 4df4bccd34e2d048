import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type RunningDriver, startDriver } from '../../../driver/sdk/host/host.ts';
import { systemClock as clock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import {
  type DriverCenter,
  driverDevice,
  openDriverCenter,
} from '../../support/devices/driver-center.ts';
import { askWithLibcoap, links } from '../../support/devices/libcoap.ts';
import { lwm2mDriver } from '../../support/lwm2m/lwm2m-driver.ts';
import { until } from '../../support/world/until.ts';

const log = createLog('silent');
const device = driverDevice({ endpoint: 'debian-1' }, []);

/** An implementation that shares nothing with ours, neither code nor author: Debian's libcoap. */
describe('libcoap', () => {
  let dataDir: string;
  let center: DriverCenter;
  let running: RunningDriver;
  let base: string;
  let status: () => string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'libcoap-'));
    const driver = lwm2mDriver({ clock, log, dataDir });
    center = await openDriverCenter(clock, driver.code, [device]);
    running = await startDriver(driver, { bus: center.bus, clock, log, node: 'n1', dataDir });
    base = `coap://127.0.0.1:${driver.port()}`;
    status = () => driver.status(device).status;
    await until(() => expect(running.devices().size).toBe(1));
  });
  afterAll(async () => {
    await running.stop();
    await center.bus.close();
    await rm(dataDir, { recursive: true });
  });

  const ask = (method: string, target: string, ...options: string[]) =>
    askWithLibcoap('coap-client-notls', method, base + target, options);

  it('registers an endpoint, updates it and takes it back', async () => {
    const query = 'ep=debian-1&lt=60&lwm2m=1.1&b=U';
    const { code, location } = await ask('post', `/rd?${query}`, ...links('</1/0>,</3/0>'));
    expect(code).toBe('2.01');
    expect(location).toMatch(/^\/rd\/[0-9a-f]{16}$/);
    expect(status()).toBe('ONLINE');
    expect(await ask('post', `${location}?lt=120`)).toMatchObject({ code: '2.04' });
    expect(await ask('delete', location)).toMatchObject({ code: '2.02' });
    expect(status()).toBe('OFFLINE');
    expect(await ask('post', location)).toMatchObject({ code: '4.04' });
  });

  it('registers 60 objects, in blocks', async () => {
    const many = Array.from({ length: 60 }, (_, i) => `</${3300 + i}/0>;ver=1.1`).join(',');
    const query = 'ep=debian-1&lt=60&lwm2m=1.1&b=U';
    const { code, location } = await ask('post', `/rd?${query}`, '-b', '256', ...links(many));
    expect(code).toBe('2.01');
    expect(await ask('delete', location)).toMatchObject({ code: '2.02' });
  });

  it.each([
    ['an unknown endpoint', '4.03', 'ep=stranger&lt=60&lwm2m=1.1&b=U'],
    ['a registration without endpoint', '4.00', 'lt=60'],
    ['a version that is not spoken', '4.12', 'ep=debian-1&lwm2m=9.9'],
  ])('is refused %s with %s', async (_what, code, query) => {
    expect(await ask('post', `/rd?${query}`, ...links('</3/0>'))).toMatchObject({ code });
    expect(status()).toBe('OFFLINE');
  });
});
