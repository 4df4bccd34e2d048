import { describe, expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers, logIn } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { startedWorld } from '../support/world/prepared.ts';

const NEW = 'another horse 43 battery';

const world = startedWorld();
const { open, at } = consoles(world);

const opened = (tenant: string, shown = {}) => at('/settings', tenant, shown);

describe('the settings', () => {
  it('change the language and the look at once, and keep them', async () => {
    await world.tenant('settings-look');
    const console = await opened('settings-look', { width: 360 });
    const { page } = console;
    await page.getByLabel('Language').selectOption('zh');
    await page.getByRole('heading', { name: '设置', level: 1 }).waitFor();
    await page.getByLabel('外观').selectOption('dark');
    await page.reload();
    await page.getByRole('heading', { name: '设置', level: 1 }).waitFor();
    expect(await page.evaluate('document.documentElement.dataset.look')).toBe('dark');
    expect(await page.evaluate('document.documentElement.lang')).toBe('zh-CN');
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('change the own password, and stay logged in with the new one', async () => {
    await world.tenant('settings-password');
    const console = await opened('settings-password');
    const { page } = console;
    await page.getByLabel('Present password').fill('not this one at all');
    await page.getByLabel('New password').fill(NEW);
    await page.getByRole('button', { name: 'Change it' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Present password').fill(testEnvironment.SVC_ADMIN_PASSWORD);
    await page.getByRole('button', { name: 'Change it' }).click();
    await page.getByText('The password is changed.').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await console.close();
    const other = await open();
    const person = { tenant: 'settings-password', name: 'settings-password-admin' };
    await logIn(other, { ...person, password: NEW });
  });
});
