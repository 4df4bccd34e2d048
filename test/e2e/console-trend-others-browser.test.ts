import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { add, onboard } from '../support/devices/plant.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import type { Session } from '../support/people/session.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const MINUTE_MS = 60_000;
const world = startedWorld();
const { at } = consoles(world);
const mine = prepared(() => world.tenant('compare'));

/** Values of a point in the last hour, one each minute. */
async function measure(session: Session, deviceId: string, pointId: string, base: number) {
  const now = world.clock.now();
  await session.data('/api/v3/data/point_value/import', {
    values: Array.from({ length: 60 }, (_, index) => ({
      deviceId,
      pointId,
      value: String(base + (index % 10)),
      createTime: new Date(now - (61 - index) * MINUTE_MS).toISOString(),
    })),
  });
}

/** Two ovens of one profile, and a kiln that no name of them finds. */
const plant = prepared(async () => {
  const { driverId, profileId, deviceId, temperature: pointId } = await onboard(mine);
  const named = (deviceName: string) => add(mine, 'device', { deviceName, driverId, profileId });
  await mine.data('/api/v3/manager/device/update', { id: deviceId, deviceName: 'Oven 1' });
  const [second, kiln] = [await named('Oven 2'), await named('Kiln')];
  await measure(mine, deviceId, pointId, 20);
  await measure(mine, second, pointId, 60);
  return { deviceId, pointId, second, kiln };
});

const asked = (url: string) => new URL(url).searchParams;

describe('the trend of points of several devices', () => {
  it('adds the same point of another device, says both in figures, and takes it away again', async () => {
    const console = await at(`/devices/${plant.deviceId}?points=${plant.pointId}`, 'compare');
    const { page } = console;
    const rows = page.locator('.trend tbody tr');
    await rows.first().getByText('20 °C').waitFor();
    expect(await rows.count()).toBe(1);
    await page.getByRole('button', { name: 'Another device' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the device').fill('oven');
    // The only one that is found, besides the one that is shown, with the point that is shown of this one.
    await expect.poll(() => dialog.getByLabel('Point').inputValue()).toBe(plant.pointId);
    expect(await dialog.getByLabel('Device', { exact: true }).inputValue()).toBe(plant.second);
    expect(await barriers(console)).toEqual([]);
    await dialog.getByLabel('Name of the device').press('Enter');
    await page.waitForURL(
      (url) => asked(url.href).get('with') === `${plant.second}:${plant.pointId}`,
    );
    await rows.nth(1).getByText('60 °C').waitFor();
    await rows.nth(1).getByRole('link', { name: 'Oven 2' }).waitFor();
    await page.getByText('Alarms and writes are those of Oven 1.').waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.reload();
    await rows.nth(1).getByText('60 °C').waitFor();
    await rows.nth(1).getByRole('button', { name: 'Do not show temperature Oven 2' }).click();
    await expect.poll(() => rows.count()).toBe(1);
    expect(asked(page.url()).has('with')).toBe(false);
    await page.goBack();
    await rows.nth(1).getByText('60 °C').waitFor();
    expectQuiet(console);
  });

  it('has an axis that is fixed, kept in the address, and fits the values again', async () => {
    const shown = { width: 390, look: 'dark' } as const;
    const pair = `${plant.second}:${plant.pointId}`;
    const path = `/devices/${plant.deviceId}?points=${plant.pointId}&with=${pair}`;
    const console = await at(path, 'compare', shown);
    const { page } = console;
    const row = page.locator('.trend tbody tr').nth(1);
    await row.getByText('60 °C').waitFor();
    await page.getByRole('button', { name: 'Fixed axis' }).click();
    const dialog = page.getByRole('dialog', { name: 'Axis in °C' });
    await dialog.getByLabel('Axis from').fill('100');
    await dialog.getByLabel('Axis to').fill('1e400');
    await dialog.getByText('Two numbers, the second above the first.').waitFor();
    await dialog.getByLabel('Axis to').fill('50');
    await dialog.getByText('Two numbers, the second above the first.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Show' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Axis from').fill('-10,5');
    await dialog.getByLabel('Axis to').fill('250');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => asked(url.href).get('low') === '-10.5');
    const free = page.getByRole('button', { name: 'Fit the axis to the values: -10.5 – 250 °C' });
    await free.waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    const drawn = () =>
      page.evaluate("document.querySelector('.trend canvas').toDataURL()").then(String);
    const fixed = await drawn();
    await free.click();
    await free.waitFor({ state: 'detached' });
    await expect.poll(drawn).not.toBe(fixed);
    await page.goBack();
    await free.waitFor();
    expectQuiet(console);
  });

  it('has its fixed axis in the unit that it was fixed in, and no other', async () => {
    const session = await world.tenant('compare-units');
    const { deviceId, temperature, target } = await onboard(session);
    await session.data('/api/v3/manager/point/update', { id: target, unit: 'bar' });
    await measure(session, deviceId, temperature, 20);
    await measure(session, deviceId, target, 5);
    const path = `/devices/${deviceId}?points=${temperature},${target}`;
    const { page, go } = await at(path, 'compare-units');
    const free = page.getByRole('button', { name: /^Fit the axis to the values/ });
    const fix = page.getByRole('button', { name: 'Fixed axis' });
    const figures = page.locator('.trend tbody tr');
    await figures.nth(1).waitFor();
    await fix.click();
    const unit = page.getByRole('dialog', { name: /^Axis in (°C|bar)$/ });
    await unit.getByLabel('Axis from').fill('0');
    await unit.getByLabel('Axis to').fill('40');
    await page.keyboard.press('Enter');
    await free.waitFor();
    const first = ((await free.getAttribute('aria-label')) ?? '').endsWith('°C')
      ? 'temperature'
      : 'target';
    await page.getByRole('button', { name: `Do not show ${first}`, exact: true }).click();
    await expect.poll(() => figures.count()).toBe(1);
    expect(await free.count()).toBe(0);
    await fix.click();
    expect(await unit.getByLabel('Axis from').inputValue()).toBe('');
    await page.keyboard.press('Escape');
    // An address without a unit is of values without one.
    await go(`/devices/${deviceId}?points=${temperature}&low=0&high=40`);
    await figures.first().waitFor();
    expect(await free.count()).toBe(0);
  });

  it('asks for devices once the keys rest, and says that not all of them are listed', async () => {
    const session = await world.tenant('compare-many');
    const { driverId, profileId, deviceId, temperature } = await onboard(session);
    await measure(session, deviceId, temperature, 20);
    for (let line = 1; line <= 20; line += 1)
      await add(session, 'device', { deviceName: `Line ${line}`, driverId, profileId });
    const { page } = await at(`/devices/${deviceId}`, 'compare-many');
    let count = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/manager/device/list')) count += 1;
    });
    await page.getByRole('button', { name: 'Another device' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('a part of the name finds the others').waitFor();
    const before = count;
    await dialog.getByLabel('Name of the device').pressSequentially('Line 17');
    await dialog.getByText('finds the others').waitFor({ state: 'detached' });
    const device = dialog.getByLabel('Device', { exact: true });
    await expect.poll(() => device.locator('option').allTextContents()).toEqual(['–', 'Line 17']);
    expect(count - before).toBeLessThan(4);
  });

  it('takes nothing else from an address, and finds others only with the rights to', async () => {
    const wrong = encodeURIComponent(`x:y,<b>1</b>,${plant.deviceId}:1,99999:1`);
    const path = `/devices/${plant.deviceId}?with=${wrong}&low=5&high=`;
    const console = await at(path, 'compare');
    const rows = console.page.locator('.trend tbody tr');
    await console.page.getByText('It does not exist').waitFor();
    await console.page.getByRole('button', { name: 'This device alone' }).click();
    await rows.first().getByText('20 °C').waitFor();
    expect(await rows.count()).toBe(1);
    expect(await console.page.getByRole('button', { name: /Fit the axis/ }).count()).toBe(0);
    expectQuiet(console, '404');
    const { name } = await worker(mine, [
      'svc-center-manager:device:get',
      'svc-center-manager:point:list',
      'svc-center-data:point_value:list',
    ]);
    const reader = await at(`/devices/${plant.deviceId}`, {
      tenant: 'compare',
      name,
      password: PASSWORD,
    });
    await reader.page.locator('.trend tbody tr').first().getByText('20 °C').waitFor();
    expect(await reader.page.getByRole('button', { name: 'Another device' }).count()).toBe(0);
    expect(z.string().parse(await reader.page.title())).toContain('Oven 1');
  });
});
