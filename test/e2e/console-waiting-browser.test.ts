import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { SimulatedDevice } from '../../driver/simulator/contract.ts';
import { startDevice } from '../../driver/simulator/device.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { lwm2mDevice } from '../support/lwm2m/device.ts';
import { reportWaiting, waitingEndpoint } from '../support/lwm2m/waiting.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

/** It tries every two seconds, its driver tells every five, the page asks every ten. */
const SHOWN = { timeout: 30_000 };
const WHOLE = { timeout: 180_000 };

const simulated: SimulatedDevice[] = [];
const world = startedWorld();
const { at } = consoles(world);
afterAll(async () => {
  for (const device of simulated) await device.stop();
});

describe('an endpoint that waits', () => {
  it('becomes a device, and what it registers becomes its points with values', WHOLE, async () => {
    const endpoint = fresh('urn:boiler');
    const server = { host: '127.0.0.1', port: world.lwm2mPort };
    const log = createLog('silent');
    simulated.push(await startDevice({ endpoint, server, lifetimeS: 3600, log }));
    const console = await at('/devices');
    const { page } = console;
    await page.getByRole('link', { name: 'Waiting endpoints' }).click();
    await page.getByRole('heading', { name: 'Waiting endpoints', level: 1 }).waitFor();
    await page.getByText('proved no key').waitFor(SHOWN);
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: `Make it a device: ${endpoint}` }).click();
    const claim = page.getByRole('dialog');
    await claim.getByLabel('Device', { exact: true }).waitFor();
    await claim.getByLabel('Name of the device').fill('Boiler 7');
    expect(await barriers(console)).toEqual([]);
    await claim.getByLabel('Name of the device').press('Enter');
    await page.getByRole('heading', { name: 'Boiler 7', level: 1 }).waitFor();
    await page.getByRole('heading', { name: 'What it registered' }).waitFor(SHOWN);
    await page.getByText('Sensor Value (suggested)').waitFor();
    await page.getByRole('button', { name: 'Make points of it' }).click();
    const make = page.getByRole('dialog');
    await make.getByLabel('Name of the profile').fill('boilers');
    await make.getByText('More that such objects may have').click();
    await make.getByLabel('Device: Battery Level').check();
    expect(await barriers(console)).toEqual([]);
    await make.getByRole('button', { name: 'Make 3 points' }).click();
    await page.getByText('Sensor Value (is a point)').waitFor();
    // No schedule reads here: the platform is asked for each point.
    const { admin } = world;
    const deviceId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const points = z.array(z.looseObject({ id: z.string() })).parse(
      await admin.data('/api/v3/manager/point/list_by_device_id', undefined, {
        device_id: deviceId,
      }),
    );
    expect(points).toHaveLength(3);
    for (const { id: pointId } of points)
      await eventually(
        () => admin.post('/api/v3/data/point_command/read', { deviceId, pointId }),
        ({ status }) => status === 200,
      );
    await page.getByRole('row', { name: 'Device Battery Level 87' }).waitFor(SHOWN);
    expectQuiet(console);
  });

  it('is given to a tenant by keyboard, on a phone and in Chinese', async () => {
    const tenant = await world.tenant('waiting-south');
    const endpoint = fresh('urn:pump');
    await reportWaiting(world, { endpoint, attempts: 4 });
    const console = await at(
      `/devices/waiting?endpoint=${endpoint}`,
      {},
      { language: 'zh', width: 360 },
    );
    const { page } = console;
    const button = page.getByRole('button', { name: `分配给租户: ${endpoint}` });
    await button.waitFor();
    expect(await overflow(page)).toBe(0);
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    const choice = dialog.getByLabel('租户', { exact: true });
    await choice.focus();
    await page.keyboard.type('waiting-south');
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: '分配给租户' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(`${endpoint} 已分配给 waiting-south。`).waitFor();
    await page.getByText('已分配给其他租户').waitFor();
    expect(await barriers(console)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    expectQuiet(console);
    await console.close();
    const theirs = await at('/', 'waiting-south');
    await theirs.go('/devices/waiting');
    await theirs.page.getByText('given to this tenant').waitFor();
    expect(await theirs.page.getByRole('button', { name: /^Give to a tenant/ }).count()).toBe(0);
    expectQuiet(theirs);
    await theirs.close();
    expect(tenant.tenant).toBe('waiting-south');
  });

  it('that proved the key of a device is for that device alone', async () => {
    const tenant = await world.tenant('waiting-key');
    const { deviceId, deviceName } = await lwm2mDevice(tenant, {});
    await waitingEndpoint(world, tenant, deviceId);
    const console = await at('/devices/waiting', 'waiting-key');
    const { page } = console;
    await page.getByText(`proved the key of ${deviceName}`).waitFor();
    await page.getByRole('button', { name: /^Make it a device/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`It proved the key of ${deviceName}`).waitFor();
    expect(await dialog.getByRole('combobox').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Make it a device' }).click();
    await page.getByRole('heading', { name: deviceName, level: 1 }).waitFor();
    await console.go('/devices/waiting');
    await page.getByText('No endpoint waits.').waitFor();
    expectQuiet(console);
  });
});
