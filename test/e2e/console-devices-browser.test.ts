import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inTenant } from '../../src/db/tenant.ts';
import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { onboard } from '../support/devices/plant.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import { Records } from '../support/people/shapes.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { onboard as watchable, report } from '../tools/agent.ts';

const SOON = { timeout: 30_000 };

const world = startedWorld();
const { at } = consoles(world);
const plant = prepared(() => onboard(world.admin));

const opened = (path: string, person = {}, shown = {}) => at(path, person, shown);

describe('the list of devices', () => {
  it('finds by name, keeps what it shows in the address, and leads to the device by the keyboard alone', async () => {
    const { deviceName } = await deviceOf(plant.deviceId);
    const console = await opened('/devices');
    const { page } = console;
    await page.getByRole('link', { name: deviceName }).waitFor();
    await page.getByLabel('Name').fill('no device has this name');
    await page.getByText('No device is as you ask.').waitFor();
    await page.getByLabel('Name').fill(deviceName);
    await expect
      .poll(() => new URL(page.url()).searchParams.get('deviceName'), SOON)
      .toBe(deviceName);
    await page.getByRole('link', { name: deviceName }).waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.reload();
    await page.getByRole('link', { name: deviceName }).waitFor();
    const link = page.getByRole('link', { name: deviceName });
    const isThere = () => link.evaluate((element) => element.matches(':focus'));
    for (let presses = 0; presses < 40 && !(await isThere()); presses += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: deviceName, level: 1 }).waitFor();
    expectQuiet(console);
  });

  it('shows those that are as one asks, and says it in the address', async () => {
    const { deviceName } = await deviceOf(plant.deviceId);
    const console = await opened('/devices');
    const { page } = console;
    const link = page.getByRole('link', { name: deviceName });
    await page.getByLabel('Connection').selectOption('nothing heard yet');
    await page.waitForURL(/situation=unknown/);
    await link.waitFor({ state: 'detached' });
    await page.getByLabel('Connection').selectOption('online');
    await link.waitFor();
    await page.reload();
    await link.waitFor();
    expect(await page.getByLabel('Connection').inputValue()).toBe('online');
    expectQuiet(console);
  });

  it('shows the last value of a point of their profile, as it comes', async () => {
    const mine = await world.tenant('devices-value');
    const site = await watchable(mine, 'valued');
    const console = await opened(`/devices?profileId=${site.profileId}`, 'devices-value');
    const { page } = console;
    const row = page.getByRole('listitem').filter({ has: page.getByRole('link') });
    await row.first().waitFor();
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    await page.getByRole('dialog').getByRole('checkbox', { name: 'valued set-point' }).check();
    await page.keyboard.press('Escape');
    await row.getByText('–').waitFor();
    await report(world, mine, site, [21.5]);
    await row.locator('bdi', { hasText: '21.5' }).waitFor(SOON);
    await page.reload();
    await row.locator('bdi', { hasText: '21.5' }).waitFor(SOON);
    expect(await barriers(console)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await row.locator('bdi', { hasText: '21.5' }).waitFor();
    expect(await overflow(page)).toBe(0);
    expectQuiet(console);
  });

  it('scrolls through very many with a constant number of rows in the document', async () => {
    const mine = await world.tenant('devices-many');
    const { driverId, profileId } = await onboard(mine);
    const count = 5_000;
    await inTenant(world.app.db, mine.tenantId, (q) =>
      sql`insert into svc_device (tenant_id, device_name, device_code, driver_id, profile_id)
        select ${mine.tenantId}, 'many-' || n, 'many-' || n, ${driverId}, ${profileId}
        from generate_series(1, ${count}) n`.execute(q),
    );
    const console = await opened('/devices', 'devices-many');
    const { page } = console;
    await page.getByText(`${(count + 1).toLocaleString('en')} devices`).waitFor();
    const rows = page.getByRole('listitem').filter({ has: page.getByRole('link') });
    const most: number[] = [];
    for (const share of [0.2, 0.5, 0.8, 1]) {
      await page.evaluate(`scrollTo(0, document.documentElement.scrollHeight * ${share})`);
      await expect.poll(() => rows.count(), SOON).toBeGreaterThan(20);
      most.push(await rows.count());
    }
    expect(Math.max(...most)).toBeLessThanOrEqual(170);
    const { records } = Records.parse(
      await mine.data('/api/v3/manager/device/list', { page: { current: count + 1, size: 1 } }),
    );
    const last = String(records[0]?.['deviceName']);
    await page.getByRole('link', { name: last, exact: true }).waitFor(SOON);
    expectQuiet(console);
  });

  it('says what is missing where there is none, and shows nothing to a person without the right', async () => {
    const mine = await world.tenant('devices-none');
    const empty = await opened('/devices', 'devices-none');
    await empty.page.getByText('There is no device yet.').waitFor();
    expectQuiet(empty);
    await empty.close();
    const { name } = await worker(mine, ['svc-center-agentic:action:get']);
    const other = await opened('/devices', { tenant: 'devices-none', name, password: PASSWORD });
    await other.page.getByText('Your rights do not reach here').waitFor();
    expect(await other.page.getByRole('navigation').getByText('Devices').count()).toBe(0);
  });
});

describe('the page of a device', () => {
  it('shows at once that a device came', async () => {
    const mine = await world.tenant('devices-came');
    const site = await watchable(mine, 'came');
    const console = await opened(`/devices/${site.deviceId}`, 'devices-came');
    const { page } = console;
    await page.getByText('live', { exact: true }).waitFor();
    await page.locator('.head .chip', { hasText: 'not known' }).waitFor();
    await world.bus.handled(
      'svc.e.state',
      {
        driverCode: site.driverCode,
        node: 'node-1',
        at: world.clock.now(),
        leaseMs: 45_000,
        devices: [
          {
            tenantId: mine.tenantId,
            deviceId: site.deviceId,
            status: 'ONLINE',
            description: '',
          },
        ],
      },
      site.driverCode,
    );
    await page.locator('.head .chip', { hasText: 'online' }).waitFor(SOON);
    expectQuiet(console);
  });

  it('shows values as they come', async () => {
    const site = await watchable(world.admin, 'live');
    const console = await opened(`/devices/${site.deviceId}`, {}, { width: 360, look: 'dark' });
    const { page } = console;
    await page.getByText('no value yet').waitFor();
    expect(await overflow(page)).toBe(0);
    await report(world, world.admin, site, [21.5]);
    await page.getByRole('cell', { name: '21.5' }).first().waitFor(SOON);
    world.clock.shift(100);
    await report(world, world.admin, site, [22.5]);
    await page.getByRole('cell', { name: '22.5' }).first().waitFor(SOON);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('writes a value in the name of the person and shows what became of it', async () => {
    const console = await opened(`/devices/${plant.deviceId}`);
    const { page } = console;
    await page.getByRole('button', { name: 'Write target' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('5 to 30 °C').waitFor();
    await dialog.getByLabel('New value').fill('99');
    await dialog.getByRole('button', { name: 'Write' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('New value').fill('22.5');
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Write' }).click();
    await dialog.getByText('became 22.5 °C').waitFor(SOON);
    expect(await dialog.locator('.progress > .past').count()).toBe(4);
    await page.keyboard.press('Escape');
    await page.getByRole('cell', { name: '22.5' }).first().waitFor(SOON);
    // The refusal is an answer of its own to the browser.
    expect(console.wrong.filter((text) => !text.includes('422'))).toEqual([]);
  });
});

describe('small things that people meet', () => {
  it('a decimal comma is written as what it is shown to be', async () => {
    const console = await opened(`/devices/${plant.deviceId}`);
    const { page } = console;
    await page.getByRole('button', { name: 'Write target' }).click();
    const dialog = page.getByRole('dialog');
    const value = dialog.getByLabel('New value');
    expect(await value.getAttribute('inputmode')).toBe('decimal');
    await value.fill('21,5');
    await dialog.getByText('The comma is read as a decimal point: 21.5 °C').waitFor();
    await dialog.getByRole('button', { name: 'Write' }).click();
    await dialog.getByText('became 21.5 °C').waitFor(SOON);
    expectQuiet(console);
  });

  it('Back undoes a zoom of the trend, and the file of values is named by device, point and time', async () => {
    const { deviceName } = await deviceOf(plant.deviceId);
    const console = await opened(`/devices/${plant.deviceId}`);
    const { page } = console;
    const before = page.url();
    await page.getByRole('button', { name: 'Closer' }).click();
    await page.waitForURL(/from=/);
    await page.goBack();
    expect(page.url()).toBe(before);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(
      new RegExp(`^${deviceName} temperature \\d{4}-.+ to \\d{4}-.+\\.csv$`),
    );
    expectQuiet(console);
  });

  it('an unknown device leads to all devices', async () => {
    const { page } = await opened('/devices/987654321');
    await page.getByText('It does not exist').waitFor();
    await page.getByRole('link', { name: 'To all devices' }).click();
    await page.waitForURL(/\/console\/devices$/);
  });
});

async function deviceOf(id: string): Promise<{ deviceName: string }> {
  const device = await world.admin.data('/api/v3/manager/device/get_by_id', undefined, { id });
  return z.object({ deviceName: z.string() }).parse(device);
}
