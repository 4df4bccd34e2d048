import { describe, expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import { actionsIn } from '../support/people/actions.ts';
import { startedWorld } from '../support/world/prepared.ts';

const HOSTILE = '<img src=x onerror=alert(1)><script>alert(2)</script>';
const SOON = { timeout: 30_000 };

const world = startedWorld();
const { at } = consoles(world);

const opened = (tenant: string, path: string, shown = {}) => at(path, tenant, shown);

describe('the list of proposals', () => {
  it('shows what waits as it comes, leads to its review by the keyboard alone, and shows what was decided', async () => {
    const mine = await world.tenant('proposals-live');
    const { site, proposeIn, decide } = actionsIn(world, mine);
    const place = await site();
    const console = await opened('proposals-live', '/proposals');
    const { page } = console;
    await page.getByText('No proposal waits.').waitFor();
    await page.getByText('No proposal was decided yet.').waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    const { actionId } = await proposeIn(place, '21', { reason: HOSTILE });
    await page.getByText('1 waits for a decision').waitFor(SOON);
    await page.getByText(HOSTILE).waitFor();
    expect(await barriers(console)).toEqual([]);
    const link = page.locator(`a[href="/console/review/${actionId}"]`);
    const isThere = () => link.evaluate((element) => element.matches(':focus'));
    for (let presses = 0; presses < 30 && !(await isThere()); presses += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Proposal', level: 1 }).waitFor();
    await page.goBack();
    await page.getByText('1 waits for a decision').waitFor();
    await decide('reject', actionId, { reason: 'Too warm' });
    await page.getByText('No proposal waits.').waitFor(SOON);
    await page.locator('.chip', { hasText: 'rejected' }).waitFor(SOON);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('keeps its filters in the address, goes on page by page, and fits a phone in the dark', async () => {
    const mine = await world.tenant('proposals-many');
    const { site, proposeIn, decide } = actionsIn(world, mine);
    const [one, other] = [await site(), await site()];
    const withdrawn = await proposeIn(other, '22');
    await mine.data('/api/v3/agentic/action/withdraw', { actionId: withdrawn.actionId });
    for (let count = 0; count < 21; count += 1) {
      const { actionId } = await proposeIn(one, String(10 + count / 2));
      await decide('reject', actionId);
    }
    const console = await opened('proposals-many', '/proposals?status=REJECTED', {
      width: 360,
      look: 'dark',
    });
    const { page } = console;
    const rows = page.getByRole('listitem').filter({ has: page.locator('.chip') });
    await expect.poll(() => rows.count(), SOON).toBe(20);
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => rows.count(), SOON).toBe(1);
    await page.goBack();
    await expect.poll(() => rows.count(), SOON).toBe(20);
    await page.getByLabel('Outcome').selectOption('WITHDRAWN');
    await expect.poll(() => rows.count(), SOON).toBe(1);
    expect(new URL(page.url()).searchParams.get('status')).toBe('WITHDRAWN');
    await console.go(`/proposals?deviceId=${other.deviceId}`);
    await page.locator('.chip', { hasText: 'withdrawn' }).waitFor();
    expect(await rows.count()).toBe(1);
    await page.getByRole('button', { name: 'Show all devices' }).click();
    await expect.poll(() => rows.count(), SOON).toBe(20);
    expectQuiet(console);
  });

  it('speaks Chinese', async () => {
    await world.tenant('proposals-zh');
    const console = await opened('proposals-zh', '/proposals', { language: 'zh' });
    await console.page.getByText('没有等待中的提议。').waitFor();
    expectQuiet(console);
  });

  it('is left out of the navigation, and empty, without the right', async () => {
    const mine = await world.tenant('proposals-narrow');
    const { name } = await worker(mine, ['svc-center-manager:device:list']);
    const console = await at('/proposals', {
      tenant: 'proposals-narrow',
      name,
      password: PASSWORD,
    });
    await console.page.getByText('Your rights do not reach here').first().waitFor();
    const named = console.page.getByRole('navigation').getByText('Proposals');
    expect(await named.count()).toBe(0);
  });
});
