import { describe, expect, it, onTestFinished } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers, type Console, logIn } from '../support/console/open-console.ts';
import { overflow } from '../support/console/page-state.ts';
import { onboard } from '../support/devices/plant.ts';
import { startTcpProxy, type TcpProxy } from '../support/proxies/tcp-proxy.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const SOON = { timeout: 30_000 };
const PHONE = { width: 390, height: 844, look: 'dark' } as const;

const world = startedWorld();
const { open, at } = consoles(world);
const plant = prepared(() => onboard(world.admin));

/** The console at the end of a line that a test can cut. */
async function onALine(path: string, shown = {}): Promise<{ line: TcpProxy; console: Console }> {
  const port = Number(new URL(world.base).port);
  const line = await startTcpProxy({ host: '127.0.0.1', port });
  onTestFinished(() => line.stop());
  const console = await open(shown, `http://127.0.0.1:${line.port}`);
  await console.go(path);
  await logIn(console);
  await console.page.locator('.top .chip', { hasText: 'live' }).waitFor(SOON);
  return { line, console };
}

describe('while the line to the platform is cut', () => {
  it('a phone says so as well, beside the values that are as last heard', async () => {
    const { line, console } = await onALine(`/devices/${plant.deviceId}`, PHONE);
    const { page } = console;
    const said = page.locator('.top .chip');
    expect(await said.isVisible()).toBe(true);
    expect(await overflow(page)).toBe(0);
    line.cut();
    await page.getByText('no connection: shown as last heard').waitFor({ state: 'visible' });
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    line.mend();
    await page.locator('.top .chip', { hasText: 'live' }).waitFor(SOON);
  });

  it('what was asked for is asked for again when it is back, without a press', async () => {
    const { line, console } = await onALine('/');
    const { page } = console;
    line.cut();
    await page.getByText('no connection: shown as last heard').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Alarms' }).click();
    await page.getByText('No connection to the platform').first().waitFor();
    line.mend();
    await page.locator('.top .chip', { hasText: 'live' }).waitFor(SOON);
    await page.getByText('No connection to the platform').waitFor({ state: 'detached', ...SOON });
    await page.getByText('Nothing fires and nothing waits for a confirmation.').waitFor(SOON);
  });
});

describe('what was entered and not saved', () => {
  const TITLE = 'Leave without saving?';

  it('is asked about before another page, Back and a reload; what the person keeps stays', async () => {
    const { page } = await at('/rules');
    await page.getByRole('link', { name: 'New rule' }).first().click();
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('half a rule');
    await page.getByRole('navigation').getByRole('link', { name: 'Devices' }).click();
    await page.getByRole('dialog', { name: TITLE }).getByRole('button', { name: 'Cancel' }).click();
    expect(await name.inputValue()).toBe('half a rule');
    await page.goBack();
    await page.getByRole('dialog', { name: TITLE }).getByRole('button', { name: 'Cancel' }).click();
    expect(new URL(page.url()).pathname).toBe('/console/rules/new');
    expect(await name.inputValue()).toBe('half a rule');
    const asked: string[] = [];
    page.once('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    await page.evaluate('void location.reload()');
    await expect.poll(() => asked, SOON).toEqual(['beforeunload']);
    expect(await name.inputValue()).toBe('half a rule');
    await page.goBack();
    await page.getByRole('dialog', { name: TITLE }).getByRole('button', { name: 'Leave' }).click();
    await page.waitForURL(/\/console\/rules$/);
    // Nothing is held any more.
    await page.getByRole('navigation').getByRole('link', { name: 'Devices' }).click();
    await page.waitForURL(/\/console\/devices$/);
  });

  it('in a dialog is asked about when that is closed by a slip; one that is as it was closes at once', async () => {
    const { page } = await at('/settings/roles');
    const add = page.getByRole('button', { name: 'Add a role' }).first();
    await add.click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await add.click();
    await page.getByRole('dialog').getByLabel('Name').first().fill('Night shift');
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: TITLE });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByRole('dialog').getByLabel('Name').first().inputValue()).toBe(
      'Night shift',
    );
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});
