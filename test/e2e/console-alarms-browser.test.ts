import { describe, expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { watched } from '../support/devices/watched.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import { Records } from '../support/people/shapes.ts';
import { startedWorld } from '../support/world/prepared.ts';

const SOON = { timeout: 30_000 };

const world = startedWorld();
const { at } = consoles(world);

const opened = (tenant: string, path: string, shown = {}) => at(path, tenant, shown);

describe('the alarms', () => {
  it('come as they fire, are explained, and are confirmed by the keyboard alone', async () => {
    const mine = await world.tenant('alarms-live');
    const boiler = await watched(world, mine, 'boiler', { severity: 'P1' });
    const console = await opened('alarms-live', '/alarms');
    const { page } = console;
    await page.getByText('Nothing fires').waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await boiler.measure(60, 81);
    await page.getByRole('link', { name: 'boiler too hot' }).waitFor(SOON);
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('link', { name: 'boiler too hot' }).click();
    await page.getByText('81 °C').first().waitFor();
    await page.getByText('fired', { exact: true }).waitFor();
    await page.getByText('No channel is bound to its rule.').waitFor();
    expect(await barriers(console)).toEqual([]);
    const confirm = page.getByRole('button', { name: 'Confirm boiler too hot' });
    const isThere = () => confirm.evaluate((element) => element.matches(':focus'));
    for (let presses = 0; presses < 30 && !(await isThere()); presses += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.chip', { hasText: 'firing, confirmed' }).waitFor(SOON);
    world.clock.shift(1_000);
    await boiler.measure(20);
    await page.locator('.chip', { hasText: 'closed' }).waitFor(SOON);
    await console.go('/alarms?state=closed');
    await page.getByRole('link', { name: 'boiler too hot' }).waitFor();
    expectQuiet(console);
  });

  it('are found by a name that stays in the address, and fit a phone in the dark', async () => {
    const mine = await world.tenant('alarms-found');
    for (const name of ['pump', 'tank']) await (await watched(world, mine, name)).measure(81);
    const console = await opened('alarms-found', '/alarms?query=tank', {
      width: 360,
      look: 'dark',
    });
    const { page } = console;
    await page.getByRole('link', { name: 'tank too hot' }).waitFor();
    expect(await page.getByRole('link', { name: 'pump too hot' }).count()).toBe(0);
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await page.getByLabel('Device, point').fill('');
    await page.getByRole('link', { name: 'pump too hot' }).waitFor();
    expectQuiet(console);
  });

  it('are confirmed on a phone by the link of a message, without scrolling', async () => {
    const mine = await world.tenant('alarms-phone');
    await (await watched(world, mine, 'boiler')).measure(81);
    const { records } = Records.parse(
      await mine.data('/api/v3/data/dashboard/alert/page', { source: 'point' }),
    );
    const console = await opened('alarms-phone', `/alarms/${records[0]?.id}`, { width: 360 });
    const { page } = console;
    const confirm = page.getByRole('button', { name: 'Confirm boiler too hot' });
    await confirm.waitFor();
    const box = await confirm.boundingBox();
    const height = page.viewportSize()?.height ?? 0;
    expect(box && box.y + box.height).toBeLessThan(Math.min(height, 600));
    expect(box && box.x + box.width).toBeLessThanOrEqual(360);
    expect(await overflow(page)).toBe(0);
    await confirm.click();
    await page.locator('.chip', { hasText: 'firing, confirmed' }).waitFor(SOON);
  });

  it('are drawn with their limit and the time of their values', async () => {
    const mine = await world.tenant('alarms-drawn');
    const boiler = await watched(world, mine, 'boiler');
    for (const value of [60, 70, 81]) {
      world.clock.shift(30_000);
      await boiler.measure(value);
    }
    const { page } = await opened('alarms-drawn', '/alarms', { width: 390, look: 'dark' });
    await page.getByRole('link', { name: 'boiler too hot' }).click();
    const drawn = page.locator('.spark', { hasText: 'Values around it' });
    await drawn.getByText('limit 80').waitFor(SOON);
    expect(await drawn.locator('line.limit').count()).toBe(1);
    expect(await drawn.locator('.axis > *').count()).toBe(2);
    expect(await overflow(page)).toBe(0);
  });

  it('are confirmed with a note, which others read', async () => {
    const mine = await world.tenant('alarms-noted');
    await (await watched(world, mine, 'boiler')).measure(81);
    const console = await opened('alarms-noted', '/alarms');
    const { page } = console;
    await page.getByRole('link', { name: 'boiler too hot' }).click();
    await page.getByRole('button', { name: 'Confirm with a note' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Note').fill('the burner is being cleaned');
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Confirm', exact: true }).click();
    await page.locator('.chip', { hasText: 'firing, confirmed' }).waitFor(SOON);
    await page.getByText('the burner is being cleaned').waitFor();
    expect(await page.getByRole('button', { name: 'Confirm' }).count()).toBe(0);
    expectQuiet(console);
  });

  it('are confirmed together: those that are chosen, and all of the list', async () => {
    const mine = await world.tenant('alarms-many');
    for (const name of ['boiler', 'pump', 'tank'])
      await (await watched(world, mine, name)).measure(81);
    const console = await opened('alarms-many', '/alarms');
    const { page } = console;
    await page.getByLabel('Choose boiler too hot').check();
    await page.getByLabel('Choose pump too hot').check();
    await page.getByRole('button', { name: 'Confirm 2 chosen' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm several alarms' });
    await dialog.getByText('2 alarms', { exact: true }).waitFor();
    expect(await barriers(console)).toEqual([]);
    const refused = { status: 422, json: { ok: false, code: 'X', text: 'not now', data: null } };
    await page.route('**/alert/confirm_all', (route) => route.fulfill(refused), { times: 1 });
    await dialog.getByRole('button', { name: 'Confirm', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Confirm', exact: true }).click();
    await page
      .getByRole('button', { name: 'Confirm boiler too hot' })
      .waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Confirm tank too hot' }).waitFor();
    await page.getByRole('button', { name: 'Confirm all of the list' }).click();
    await dialog.getByText('1 alarm', { exact: true }).waitFor();
    await dialog.getByLabel('Note').fill('the plant was started');
    await dialog.getByRole('button', { name: 'Confirm', exact: true }).click();
    await page.getByRole('button', { name: 'Confirm tank too hot' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'tank too hot' }).click();
    await page.getByText('the plant was started').waitFor();
    expectQuiet(console, '422');
  });

  it('are assigned and commented on, and found by that', async () => {
    const mine = await world.tenant('alarms-care');
    for (const name of ['boiler', 'pump']) await (await watched(world, mine, name)).measure(81);
    const console = await opened('alarms-care', '/alarms');
    const { page } = console;
    await page.getByRole('link', { name: 'boiler too hot' }).click();
    await page.getByRole('button', { name: 'Assign' }).click();
    const dialog = page.getByRole('dialog', { name: 'Assign this alarm' });
    await dialog.getByLabel('Person').selectOption('Me');
    await dialog.getByRole('button', { name: 'Assign' }).click();
    await page.getByText('Looked after by').waitFor(SOON);
    await page.getByLabel('Comment').fill('I go there');
    await page.getByRole('button', { name: 'Add the comment' }).click();
    await page.locator('.typed', { hasText: 'I go there' }).waitFor(SOON);
    expect(await page.getByLabel('Comment').inputValue()).toBe('');
    expect(await barriers(console)).toEqual([]);
    await console.go('/alarms?of=mine');
    await page.getByRole('link', { name: 'boiler too hot' }).waitFor();
    expect(await page.getByRole('link', { name: 'pump too hot' }).count()).toBe(0);
    await page.getByLabel('Which').selectOption('Silenced');
    await page.getByRole('link', { name: 'boiler too hot' }).waitFor({ state: 'detached' });
    expectQuiet(console);
  });

  it('are silenced for a time with a reason, and told of again', async () => {
    const mine = await world.tenant('alarms-silent');
    await (await watched(world, mine, 'boiler')).measure(81);
    const console = await opened('alarms-silent', '/alarms');
    const { page } = console;
    await page.getByRole('link', { name: 'boiler too hot' }).click();
    await page.getByRole('button', { name: 'Silence', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Silence this alarm' });
    await dialog.getByLabel('For').selectOption('8 h');
    await dialog.getByLabel('Why').fill('the boiler is being cleaned');
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Silence', exact: true }).click();
    await page.getByText('No message about this alarm is sent until').waitFor(SOON);
    await page.getByText('the boiler is being cleaned').waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.reload();
    await page.getByText('the boiler is being cleaned').waitFor();
    await console.go('/alarms');
    await page.locator('.chip', { hasText: 'silenced' }).waitFor();
    await page.getByRole('link', { name: 'boiler too hot' }).click();
    await page.getByRole('button', { name: 'End the silence' }).click();
    await page.getByRole('button', { name: 'Silence', exact: true }).waitFor(SOON);
    expect(await page.getByText('No message about this alarm').count()).toBe(0);
    await page.getByRole('link', { name: 'Trend around it' }).click();
    await page.locator('.trend canvas').waitFor();
    expectQuiet(console);
  });

  it('are shown, not confirmed, without the right, and of no other tenant', async () => {
    const mine = await world.tenant('alarms-narrow');
    await (await watched(world, mine, 'boiler')).measure(81);
    const { name } = await worker(mine, ['svc-center-data:dashboard:list']);
    const console = await at('/alarms', { tenant: 'alarms-narrow', name, password: PASSWORD });
    await console.page.getByRole('link', { name: 'boiler too hot' }).waitFor();
    expect(await console.page.getByRole('button', { name: /^Confirm/ }).count()).toBe(0);
    await console.close();
    const id = '1';
    await world.tenant('alarms-other');
    const other = await opened('alarms-other', `/alarms/${id}`);
    await other.page.getByText('It does not exist').waitFor();
  });
});
