import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { addTo } from '../support/devices/notify.ts';
import { watched } from '../support/devices/watched.ts';
import { startedWorld } from '../support/world/prepared.ts';

const HOUR_MS = 3_600_000;
const SOON = { timeout: 30_000 };

const world = startedWorld();
const { at } = consoles(world);

describe('maintenance', () => {
  it('is planned for a device, shown with its alarm and on the overview, and ended', async () => {
    const mine = await world.tenant('maintenance-page');
    const boiler = await watched(world, mine, 'boiler');
    const console = await at('/maintenance', 'maintenance-page');
    const { page } = console;
    await page.getByText('Nothing is in maintenance').waitFor();
    await page.getByRole('button', { name: 'Plan maintenance' }).click();
    const dialog = page.getByRole('dialog', { name: 'Plan maintenance' });
    await dialog.getByLabel('Name', { exact: true }).fill('new burner');
    await dialog.getByLabel('Which').selectOption({ index: 1 });
    const end = new Date(Date.now() + 30 * HOUR_MS).toISOString().slice(0, 16);
    await dialog.getByLabel('End, at most').fill(end);
    await dialog.getByLabel('Why').fill('the old one leaks');
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.locator('.chip', { hasText: 'in maintenance' }).waitFor(SOON);
    await page.getByText('the old one leaks').waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'Change the end new burner' }).click();
    const change = page.getByRole('dialog', { name: 'Change the end' });
    const later = new Date(Date.now() + 60 * HOUR_MS).toISOString().slice(0, 16);
    await change.getByLabel('End, at most').fill(later);
    expect(await barriers(console)).toEqual([]);
    await change.getByRole('button', { name: 'Save' }).click();
    await change.waitFor({ state: 'detached' });
    const Planned = z.object({ records: z.array(z.object({ endTime: z.string() })) });
    const planned = Planned.parse(await mine.data('/api/v3/data/maintenance/list', {}));
    expect(planned.records).toMatchObject([
      { endTime: expect.stringContaining(later.slice(0, 10)) },
    ]);
    await boiler.measure(81);
    await console.go('/alarms');
    await page.locator('.chip', { hasText: 'in maintenance' }).waitFor(SOON);
    await page.getByRole('link', { name: 'boiler too hot' }).click();
    await page.getByRole('link', { name: 'new burner' }).waitFor();
    await console.go('/');
    await page.getByRole('link', { name: 'new burner' }).click();
    await page.getByRole('button', { name: 'End now new burner' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End now' }).click();
    await page.locator('.chip', { hasText: 'over' }).waitFor(SOON);
    expectQuiet(console);
  });

  it('that is planned fits a phone in the dark, in Chinese, and can be deleted', async () => {
    const mine = await world.tenant('maintenance-phone');
    const after = (hours: number): string =>
      new Date(world.clock.now() + hours * HOUR_MS).toISOString();
    await addTo(mine, 'maintenance', {
      maintenanceName: '更换风机',
      scopeFlag: 'PLANT',
      modeFlag: 'MARK',
      beginTime: after(24),
      endTime: after(48),
    });
    const console = await at('/maintenance', 'maintenance-phone', {
      width: 360,
      look: 'dark',
      language: 'zh',
    });
    const { page } = console;
    await page.locator('.chip', { hasText: '已计划' }).waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: '删除 更换风机' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '删除' }).click();
    await page.getByText('没有正在进行或已计划的维护。').waitFor(SOON);
    expectQuiet(console);
  });
});
