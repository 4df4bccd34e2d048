import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const { at } = consoles(world);

describe('the tenants of the settings', () => {
  it('are added, and the one that added it logs in there', async () => {
    const console = await at('/settings');
    const { page } = console;
    await page.getByRole('link', { name: 'Tenants' }).click();
    await page.getByRole('heading', { name: 'Tenants', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Add a tenant' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('South plant');
    await dialog.getByLabel('Code').fill('south');
    await dialog.getByLabel('Time zone').fill('Nowhere/None');
    await dialog.getByRole('button', { name: 'Add a tenant' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Time zone').fill('Europe/Berlin');
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add a tenant' }).click();
    await page.getByText('The tenant South plant is added.').waitFor();
    await page.getByText('Europe/Berlin').waitFor();
    expectQuiet(console, 'status of 4');
    await console.close();
    const other = await at('/', { tenant: 'south' });
    await other.go('/settings/tenants');
    await other.page.getByText('Tenants are kept by the platform').waitFor();
    expect(await other.page.getByRole('button', { name: 'Add a tenant' }).count()).toBe(0);
    expectQuiet(other);
  });

  it('are disabled and enabled by keyboard, on a phone and in Chinese', async () => {
    await world.tenant('tenants-turn');
    const console = await at('/settings/tenants', {}, { language: 'zh', width: 360 });
    const { page } = console;
    const isLetIn = async (): Promise<boolean> => {
      const response = await fetch(`${world.base}/api/v3/auth/session/begin`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          tenant: 'tenants-turn',
          name: 'tenants-turn-admin',
          password: testEnvironment.SVC_ADMIN_PASSWORD,
        }),
      });
      return z.object({ ok: z.boolean() }).parse(await response.json()).ok;
    };
    expect(await isLetIn()).toBe(true);
    const turn = async (word: string, done: string): Promise<void> => {
      await page.getByRole('button', { name: `${word} tenants-turn` }).focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      expect(await barriers(console)).toEqual([]);
      await dialog.getByRole('button', { name: word }).focus();
      await page.keyboard.press('Enter');
      await page.getByText(done).waitFor();
    };
    await turn('停用', '租户 tenants-turn 已停用。');
    expect(await isLetIn()).toBe(false);
    await turn('启用', '租户 tenants-turn 已启用。');
    expect(await isLetIn()).toBe(true);
    expect(await overflow(page)).toBe(0);
    expectQuiet(console);
  });
});
