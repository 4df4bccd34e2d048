import { describe, expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers, logIn, type Person } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { add, onboard } from '../support/devices/plant.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import type { Session } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const { open, at } = consoles(world);

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
    await rows.nth(3).waitFor();
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
    // A view belongs to one list.
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
    const become = async (person: Person | string, first: string): Promise<void> => {
      await page.getByRole('button', { name: first }).click();
      await page.getByRole('button', { name: 'Log out' }).click();
      await logIn(console, person);
      await console.go('/devices?deviceName=Boiler');
    };
    await become({ tenant: 'views-two', name, password: PASSWORD }, 'views-two-admin');
    await page.getByRole('button', { name: 'Save this view' }).waitFor();
    expect(await page.getByText('Mine').count()).toBe(0);
    for (const wrong of ['no JSON', '{"/devices": [1, {"name": 2}]}', 'null', '[]']) {
      await page.evaluate(`localStorage.setItem('svc-views views-two ${name}', '${wrong}')`);
      await page.reload();
      await page.getByRole('button', { name: 'Save this view' }).waitFor();
    }
    await become('views-two', name);
    await page.getByRole('button', { name: 'Delete this view: Mine' }).waitFor();
    expectQuiet(console);
  });

  it('are not saved where the browser stores nothing, which is said, as of favourites and the appearance', async () => {
    const mine = await world.tenant('views-full');
    const { deviceId } = await onboard(mine);
    const console = await open();
    const { page } = console;
    const said = page.getByText('This browser could not store it');
    await console.context.addInitScript({
      content:
        "Object.defineProperty(globalThis, 'localStorage', { get() { throw new DOMException('forbidden', 'SecurityError'); } })",
    });
    await console.go('/devices?deviceName=Boiler');
    await logIn(console, 'views-full');
    await page.getByRole('button', { name: 'Save this view' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the view').fill('Mine');
    await page.keyboard.press('Enter');
    await dialog.getByText('This browser could not store it').waitFor();
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await said.waitFor({ state: 'detached' });
    await console.go(`/devices/${deviceId}`);
    await page.getByRole('button', { name: 'Show temperature on the overview' }).click();
    await said.waitFor();
    await console.go('/settings');
    await page.getByLabel('Appearance').selectOption('dark');
    await said.waitFor();
    expect(await page.evaluate('document.documentElement.dataset.look')).toBe('dark');
    expectQuiet(console);
  });
});
