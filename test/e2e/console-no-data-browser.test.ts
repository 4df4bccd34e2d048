import { describe, expect, it } from 'vitest';

import { startDevice } from '../../driver/simulator/device.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { add, pointAttributes } from '../support/devices/plant.ts';
import { lwm2mDevice } from '../support/lwm2m/device.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

/** A point is read every two seconds; the page asks for the reason every fifteen. */
const SOON = { timeout: 40_000 };
const WHOLE = { timeout: 180_000 };

const world = startedWorld({ environment: { SVC_DRIVER_READ_CRON: '0/2 * * * * ?' } });
const { at } = consoles(world);

/** A device with `count` points at a path that it does not have. */
async function site(endpoint: string, count: number): Promise<string> {
  const { admin } = world;
  const profileId = await add(admin, 'profile', { profileName: fresh('no data') });
  const { deviceId, driverId } = await lwm2mDevice(admin, { endpoint }, profileId);
  const path = { objectId: '3304', objectInstanceId: '0', resourceId: '5700' };
  const attributes = await pointAttributes(admin, driverId);
  for (let n = 1; n <= count; n++) {
    const point = { pointName: `humidity ${n}`, pointTypeFlag: 'DOUBLE', profileId };
    const pointId = await add(admin, 'point', point);
    for (const [code, configValue] of Object.entries(path))
      await add(admin, 'point_attribute_config', {
        deviceId,
        pointId,
        attributeId: attributes.get(code),
        configValue,
      });
  }
  return deviceId;
}

describe('a point without data', () => {
  it('has the reason and the next step beside it, which follow the device', WHOLE, async () => {
    const endpoint = fresh('urn:no-data');
    const deviceId = await site(endpoint, 1);
    const console = await at(`/devices/${deviceId}`, {}, { width: 360, look: 'dark' });
    const { page } = console;
    await page.getByText(`registers as “${endpoint}”`).waitFor(SOON);
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    const server = { host: '127.0.0.1', port: world.lwm2mPort };
    const device = await startDevice({
      endpoint,
      server,
      lifetimeS: 3600,
      log: createLog('silent'),
    });
    await page.getByText('the device did not register /3304/0').waitFor(SOON);
    await device.stop();
    await page.getByText('device offline since').waitFor(SOON);
    expect(await overflow(page)).toBe(0);
    await page.evaluate("localStorage.setItem('svc-language', 'zh')");
    await page.reload();
    await page.getByText('请检查其电源、网络和服务器地址').waitFor(SOON);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('beyond ten of a device is explained when a person asks', WHOLE, async () => {
    const deviceId = await site(fresh('urn:no-data'), 11);
    const console = await at(`/devices/${deviceId}`);
    const { page } = console;
    const sentences = page.getByText('device never connected');
    await expect.poll(() => sentences.count(), SOON).toBe(10);
    await page.getByRole('button', { name: 'Why has humidity 11 no data?' }).click();
    await expect.poll(() => sentences.count(), SOON).toBe(11);
    expectQuiet(console);
  });
});
