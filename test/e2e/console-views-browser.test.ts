import { describe, expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { add, onboard } from '../support/devices/plant.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import type { Session } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const { at } = consoles(world);

/** Devices, added in this order; each in a list of more than one page. */
async function boilers(session: Session, names: readonly string[]): Promise<void> {
  const { driverId, profileId } = await onboard(session);
  for (const deviceName of names) await add(session, 'device', { deviceName, driverId, profileId });
}

describe('the list of devices', () => {
  it('is in the order that is asked for, over all of its pages, with the status of each', async () => {
    const mine = await world.tenant('ordered-list');
    const names = Array.from({ length: 60 }, (_, index) => `Boiler ${index + 1}`);
    await boilers(mine, names.toReversed());
    const console = await at('/devices', 'ordered-list');
    const { page } = console;
    const rows = page.getByRole('main').getByRole('listitem');
    const firstName = () => rows.first().getByRole('link').first().textContent();
    await expect.poll(firstName).toBe('Boiler 1');
    await page.getByLabel('Order').selectOption('oldest first');
    await page.waitForURL(/order=createTime/);
    await rows.nth(1).getByText('Boiler 60').waitFor();
    await page.getByLabel('Order').selectOption('by name, from the end');
    await rows.nth(1).getByText('Boiler 60').waitFor();
    await page.getByLabel('Order').selectOption({ label: 'by name' });
    await page.waitForURL(/order=deviceName/);
    await expect.poll(firstName).toBe('Boiler 1');
    await rows.nth(1).getByText('Boiler 2', { exact: true }).waitFor();
    await rows.nth(9).getByText('Boiler 10', { exact: true }).waitFor();
    await page.reload();
    await rows.nth(9).getByText('Boiler 10', { exact: true }).waitFor();
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await page.getByText('Boiler 60', { exact: true }).waitFor();
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });
});

describe('saved views', () => {
  it('show a list as it was narrowed and ordered again, for one person, and are deleted', async () => {
    const mine = await world.tenant('views');
    await boilers(mine, ['Pump 1', 'Boiler 1', 'Boiler 2']);
    const console = await at('/devices', 'views', { width: 390, look: 'dark' });
    const { page } = console;
    const rows = page.getByRole('main').getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(4);
    expect(await page.getByText('Save this view').count()).toBe(0);
    await page.getByLabel('Name', { exact: true }).fill('Boiler');
    await page.getByLabel('Order').selectOption({ label: 'by name' });
    await page.waitForURL(/deviceName=Boiler/);
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByLabel('Name of the view').fill(' My boilers ');
    expect(await barriers(console)).toEqual([]);
    await page.keyboard.press('Enter');
    const views = page.getByLabel('Saved view', { exact: true }).and(page.locator('select'));
    await expect.poll(() => views.inputValue()).toBe('My boilers');
    expect(await barriers(console)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    if (process.env['SHOTS']) await page.screenshot({ path: '/tmp/console36-views.png' });
    await page.reload();
    await expect.poll(() => views.inputValue()).toBe('My boilers');
    await views.selectOption('none');
    await expect.poll(() => rows.count()).toBe(4);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
    await views.selectOption('My boilers');
    await expect.poll(() => rows.count()).toBe(2);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Boiler');
    expect(await page.getByLabel('Order').inputValue()).toBe('deviceName');
    await page.goBack();
    await expect.poll(() => rows.count()).toBe(4);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
    // Another list has views of its own.
    await console.go('/alarms');
    await page.getByLabel('Level').selectOption({ index: 1 });
    await page.getByRole('button', { name: 'Save this view' }).waitFor();
    expect(await views.count()).toBe(0);
    await console.go('/devices?order=deviceName&deviceName=Boiler');
    await page.getByRole('button', { name: 'Delete this view: My boilers' }).click();
    await page.getByRole('button', { name: 'Save this view' }).waitFor();
    expect(await views.count()).toBe(0);
    expectQuiet(console);
  });

  it('of another person in the same browser are not shown, and what is no view is none', async () => {
    const mine = await world.tenant('views-two');
    await boilers(mine, ['Boiler 1']);
    const { name } = await worker(mine, ['svc-center-manager:device:list']);
    const console = await at('/devices?deviceName=Boiler', 'views-two');
    const { page } = console;
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByLabel('Name of the view').fill('Mine');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Delete this view: Mine' }).waitFor();
    const keys = 'Object.keys(localStorage).filter((key) => key.startsWith("svc-views "))';
    expect(await page.evaluate(keys)).toEqual(['svc-views views-two views-two-admin']);
    for (const wrong of ['no JSON', '{"/devices": [1, {"name": 2}]}', 'null', '[]']) {
      await page.evaluate(`localStorage.setItem('svc-views views-two ${name}', '${wrong}')`);
      await page.evaluate(
        `localStorage.setItem('svc-views views-two views-two-admin', '${wrong}')`,
      );
      await page.reload();
      await page.getByRole('button', { name: 'Save this view' }).waitFor();
    }
    const other = await at('/devices?deviceName=Boiler', {
      tenant: 'views-two',
      name,
      password: PASSWORD,
    });
    await other.page.getByRole('button', { name: 'Save this view' }).waitFor();
    expect(await other.page.getByText('Mine').count()).toBe(0);
    expectQuiet(console);
  });
});
