import { describe, expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const { at } = consoles(world);

const SHOWN = [
  { language: 'en', look: 'light', width: 1280 },
  { language: 'en', look: 'dark', width: 360 },
  { language: 'zh', look: 'light', width: 360 },
  { language: 'zh', look: 'dark', width: 1280 },
] as const;

describe('the page of every part', () => {
  it.each(SHOWN)('has no barrier in $language, $look, at $width px', async (shown) => {
    const console = await at('/kit', {}, shown);
    const { page } = console;
    const isChinese = shown.language === 'zh';
    await page
      .getByRole('heading', { level: 1, name: isChinese ? '控制台的组件' : 'Parts of the console' })
      .waitFor();
    expect(await barriers(console)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    for (const name of isChinese
      ? ['添加设备', '删除此设备?']
      : ['Add a device', 'Delete the device?']) {
      await page.getByRole('button', { name }).click();
      await page.getByRole('dialog', { name }).waitFor();
      expect(await barriers(console)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    expectQuiet(console);
  });

  it('keeps page, tab and search of a list in the address', async () => {
    const console = await at('/kit?page=3');
    const { page } = console;
    const list = page.getByRole('list', { name: 'Lists' });
    await list.getByText('Name', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await list.getByText('Meter').waitFor();
    await page.getByRole('button', { name: 'On', exact: true }).click();
    await page.waitForURL(/\/kit\?state=on$/);
    await page.getByLabel('Name contains').fill('Valve');
    await page.waitForURL(/\/kit\?state=on&name=Valve$/);
    expect(await list.getByRole('listitem').allTextContents()).toEqual(['Valve']);
    await page.getByLabel('Name contains').fill('nothing of this name');
    await page.waitForURL(/name=nothing/);
    await list.getByText('Valve').waitFor({ state: 'detached' });
    expect(await page.getByText('There is no device yet.').count()).toBe(2);
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByRole('button', { name: 'Saving' }).dispatchEvent('click');
    await page.getByRole('button', { name: 'Announce' }).click();
    await page.getByRole('status').filter({ hasText: 'Saved.' }).waitFor();
    expectQuiet(console);
  });

  it('keeps a form to the bounds of its operation, in words once the next is entered', async () => {
    const console = await at('/kit');
    const { page } = console;
    await page.getByRole('button', { name: 'Add a device' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a device' });
    const name = dialog.getByLabel('Name');
    const number = dialog.getByLabel('Limit');
    expect(await name.getAttribute('required')).not.toBeNull();
    for (const [attribute, value] of Object.entries({ type: 'number', min: '0', max: '15' }))
      expect(await number.getAttribute(attribute)).toBe(value);
    expect(await dialog.getByRole('option').count()).toBe(8);
    await number.fill('16');
    expect(await dialog.getByText('0 to 15').count()).toBe(0);
    await name.fill(`*${'n'.repeat(64)}`);
    await dialog.getByText('0 to 15').waitFor();
    expect(await name.inputValue()).toHaveLength(64);
    await number.fill('15');
    expect(await dialog.getByText('0 to 15').count()).toBe(0);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('sorts what is loaded whole, by the keyboard alone, and goes back', async () => {
    const console = await at('/kit');
    const { page } = console;
    const table = page.getByRole('table', { name: 'States of things' });
    const kinds = () => table.getByRole('rowheader').allTextContents();
    const head = table.getByRole('columnheader', { name: 'Value' });
    expect(await kinds()).toEqual(['Pump', 'Valve', 'Meter']);
    await head.getByRole('button').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/kit\?sort=value$/);
    expect(await kinds()).toEqual(['Valve', 'Pump', 'Meter']);
    expect(await head.getAttribute('aria-sort')).toBe('ascending');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/kit\?sort=-value$/);
    expect(await kinds()).toEqual(['Pump', 'Valve', 'Meter']);
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    expect(await barriers(console)).toEqual([]);
    await page.goBack();
    expect(await kinds()).toEqual(['Valve', 'Pump', 'Meter']);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/kit$/);
    // A page of a list has no order but the server's.
    const lists = page.getByRole('group', { name: 'Sort by' });
    expect(await lists.count()).toBe(0);
    await page.getByLabel('Name contains').fill('t');
    await lists.getByRole('button', { name: 'Name' }).click();
    await lists.getByRole('button', { name: 'Name, ascending' }).waitFor();
    const list = page.getByRole('list', { name: 'Lists' });
    expect((await list.getByRole('listitem').allTextContents()).at(-1)).toBe('Meter');
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });
});
