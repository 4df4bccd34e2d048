import { afterAll, describe, expect, it } from 'vitest';

import type { SimulatedDevice } from '../../driver/simulator/contract.ts';
import { startDevice } from '../../driver/simulator/device.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { lwm2mDevice } from '../support/lwm2m/device.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const SHOWN = { timeout: 30_000 };

const simulated: SimulatedDevice[] = [];
const world = startedWorld();
const { at } = consoles(world);
afterAll(async () => {
  for (const device of simulated) await device.stop();
});

describe('the trace of a device', () => {
  it('is a page of the device: what it registered, decoded, with its code', async () => {
    const { admin } = world;
    const endpoint = fresh('urn:boiler');
    const { deviceId, deviceName } = await lwm2mDevice(admin, { endpoint });
    const server = { host: '127.0.0.1', port: world.lwm2mPort };
    const log = createLog('silent');
    simulated.push(await startDevice({ endpoint, server, lifetimeS: 3600, log }));
    await eventually(
      () => admin.get('/api/v3/manager/device/trace/get_by_device_id', { device_id: deviceId }),
      ({ body }) => JSON.stringify(body.data).includes('2.01'),
    );
    const console = await at(`/devices/${deviceId}`);
    const { page } = console;
    await page.getByRole('link', { name: 'Trace' }).click();
    await page.getByRole('heading', { name: `Trace of ${deviceName}`, level: 1 }).waitFor(SHOWN);
    const row = page.getByRole('listitem').filter({ hasText: 'REGISTER' }).first();
    await row.getByText('2.01').waitFor(SHOWN);
    await row.getByText(`ep=${endpoint}`).waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.setViewportSize({ width: 380, height: 800 });
    expect(await overflow(page)).toBe(0);
    expectQuiet(console);
  });
});
