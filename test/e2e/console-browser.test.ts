import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { barriers, logIn } from '../support/console/open-console.ts';
import { expectQuiet } from '../support/console/page-state.ts';
import { onboard } from '../support/devices/plant.ts';
import { addPerson, PASSWORD } from '../support/people/accounts.ts';
import { startedWorld } from '../support/world/prepared.ts';

/** A browser beside other tests. */
const SOON = { timeout: 30_000 };

/** Presses Ctrl-K in the task that shows the frame, before a paint: keys on a busy machine come as early. */
const PRESS_FIRST = `new MutationObserver((_, observer) => {
  if (!document.querySelector('.frame')) return;
  observer.disconnect();
  const keys = { key: 'k', ctrlKey: true, bubbles: true };
  document.body.dispatchEvent(new KeyboardEvent('keydown', keys));
}).observe(document, { childList: true, subtree: true });`;

const world = startedWorld();
const { open, at } = consoles(world);

describe('the console', () => {
  it('asks for a login, leads to the page that was asked for, and knows the session after a reload', async () => {
    const console = await at('/no-such-page');
    await console.page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await console.page.getByRole('link', { name: 'To the overview' }).click();
    await console.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await console.page.reload();
    await console.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await console.page.goBack();
    await console.page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    expectQuiet(console);
  });

  it('says why a login is refused, and asks for a new password where one is due', async () => {
    const console = await open();
    const { principalId, name } = await addPerson(world.admin);
    const first = 'a first password';
    await world.admin.data('/api/v3/auth/local_credential/add', {
      principalId,
      loginName: name,
      password: first,
    });
    const { page } = console;
    await page.getByLabel('Login name').fill(name);
    await page.getByLabel('Password', { exact: true }).fill('not this one');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(first);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Save and log in' }).click();
    await page.getByRole('navigation').waitFor();
    expect(console.outside).toEqual([]);
  });

  it('ends in every tab where it ends in one, and says so', async () => {
    const console = await at('/');
    const other = await console.context.newPage();
    await other.goto(`${world.base}/console`);
    await other.getByRole('navigation').waitFor();
    await console.page.getByRole('button', { name: 'admin' }).click();
    await console.page.getByRole('button', { name: 'Log out' }).click();
    await other.getByText('The session has ended').waitFor();
    await logIn({ page: other });
    await console.page.getByRole('navigation').waitFor();
  });

  it('keeps its credential from scripts', async () => {
    const console = await at('/');
    const seen = await console.page.evaluate(
      'document.cookie + JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage })',
    );
    expect(seen).not.toMatch(/svc_console|eyJ|[\w-]{40,}/);
  });

  it('calls what the OpenAPI document has and nothing else, which every test of a page looks for', async () => {
    const console = await at('/');
    await console.page.getByText('live', { exact: true }).waitFor();
    expect(console.calls).toContain('GET /api/v3/data/live');
    expect(console.wrong).toEqual([]);
    await console.page.evaluate("fetch('/api/v3/data/of_the_console_alone')");
    expect(console.wrong).toContain(
      'the OpenAPI document does not have GET /api/v3/data/of_the_console_alone',
    );
  });

  it('takes Ctrl-K from the moment that the pages are there', async () => {
    const console = await at('/');
    const { page } = console;
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.addInitScript({ content: PRESS_FIRST });
    await page.reload();
    await page.locator('[role=combobox]:focus').waitFor();
    expectQuiet(console);
  });

  it('goes to a page or a device by Ctrl-K and the keyboard alone, and gives the focus back', async () => {
    const mine = await world.tenant('palette');
    const console = await at('/', 'palette');
    const { page } = console;
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('combobox').count(), SOON).toBe(0);
    await page.keyboard.press('Control+k');
    await page.locator('[role=combobox]:focus').waitFor();
    await page.keyboard.type('alarm');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Alarms', level: 1 }).waitFor();
    const { deviceId } = await onboard(mine);
    const device = await mine.data('/api/v3/manager/device/get_by_id', undefined, {
      id: deviceId,
    });
    const { deviceName } = z.object({ deviceName: z.string() }).parse(device);
    await page.keyboard.press('Control+k');
    await page.locator('[role=combobox]:focus').waitFor();
    await page.keyboard.type(deviceName);
    await page.getByRole('option', { name: deviceName }).waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: deviceName, level: 1 }).waitFor();
    expectQuiet(console);
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
  ] as const)('speaks Chinese to those that ask for it, %s and %i wide', async (look, width) => {
    const console = await at('/', {}, { language: 'zh', look, width });
    const { page } = console;
    await page.getByRole('heading', { name: '总览', level: 1 }).waitFor();
    const wider = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(wider).toBe(0);
    expectQuiet(console);
  });
});
