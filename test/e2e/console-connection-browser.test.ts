import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { programFor } from '../support/people/bearer.ts';
import { asking } from '../support/people/mcp-2026.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { until } from '../support/world/until.ts';

const Connected = z.looseObject({ id: z.string() });

let connectionId: string;
let token: string;
const world = startedWorld();
const { at } = consoles(world);
const mine = prepared(() => world.tenant('connection'));
beforeAll(async () => {
  const program = await programFor(mine, { scope: 'svc:read' });
  ({ token } = program);
  const { clientId, principalId } = program;
  const connection = { clientId, principalId, connectionName: 'night agent' };
  const path = '/api/v3/auth/mcp/connection';
  ({ id: connectionId } = Connected.parse(await mine.data(`${path}/add`, connection)));
  await mine.data(`${path}/tools/replace`, { connectionId, toolIds: ['searchDevices'] });
});

const call = (): Promise<unknown> =>
  asking(world.base, token)('tools/call', { name: 'searchDevices', arguments: {} });

const opened = (path: string, shown = {}) => at(path, 'connection', shown);

describe('the page of a connection', () => {
  it('shows scopes in words, what was used, and the calls as they come', async () => {
    const console = await opened('/agents');
    const { page } = console;
    await page.locator(`a[href="/console/agents/connection/${connectionId}"]`).click();
    await page.getByText('read stored values, alarms and settings').waitFor();
    const calls = page.getByRole('row', { name: /^Calls/ });
    await calls.waitFor();
    const used = async (): Promise<number> => Number(await calls.locator('td').first().innerText());
    const before = await used();
    await call();
    await until(async () => expect(await used()).toBeGreaterThan(before));
    const done = page.getByRole('row', { name: /searchDevices/ }).first();
    await done.getByText('answered').waitFor();
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('gives it limits, which its calls meet', async () => {
    const console = await opened(`/agents/connection/${connectionId}`);
    const { page } = console;
    await page.getByRole('button', { name: 'Change the limits' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Calls').fill('1');
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('row', { name: /^Calls/ })
      .getByText('free again')
      .waitFor();
    expect(JSON.stringify(await call())).toContain('budget');
    await page.getByRole('button', { name: 'Change the limits' }).click();
    await dialog.getByLabel('Calls').fill('5000');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('row', { name: /^Calls/ })
      .getByText('5,000')
      .waitFor();
    expect(JSON.stringify(await call())).not.toContain('budget');
    expectQuiet(console);
  });

  it('lets it call the chosen tools alone, on a phone and in Chinese', async () => {
    const console = await opened(`/agents/connection/${connectionId}`, {
      width: 360,
      language: 'zh',
      look: 'dark',
    });
    const { page } = console;
    const box = page.getByRole('checkbox', { name: /Search devices/i });
    await box.uncheck();
    await page.getByRole('button', { name: '保存工具' }).click();
    await page.getByRole('button', { name: '保存工具' }).waitFor({ state: 'detached' });
    expect(await box.isChecked()).toBe(false);
    expect(JSON.stringify(await call())).not.toContain('"devices":[');
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await box.check();
    await page.getByRole('button', { name: '保存工具' }).click();
    await page.getByRole('button', { name: '保存工具' }).waitFor({ state: 'detached' });
    expectQuiet(console);
  });
});

describe('the accounts of programs', () => {
  it('are added, disabled, enabled and deleted, and clients are listed', async () => {
    const console = await opened('/agents');
    const { page } = console;
    await page.getByRole('link', { name: 'Accounts of programs' }).click();
    await page.getByRole('button', { name: 'Add an account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('night robot');
    await dialog.getByLabel('What it is for').fill('reads at night');
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add an account' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'night robot' });
    await row.getByText('reads at night').waitFor();
    await row.getByRole('button', { name: 'Disable' }).click();
    await row.locator('.chip', { hasText: 'disabled' }).waitFor();
    await row.getByRole('button', { name: 'Enable' }).click();
    await row.locator('.chip', { hasText: 'disabled' }).waitFor({ state: 'detached' });
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await barriers(console)).toEqual([]);
    const client = page.getByRole('listitem').filter({ hasText: 'with a secret' }).first();
    await client.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Its connections and tokens end at once.').waitFor();
    await page.keyboard.press('Escape');
    await client.waitFor();
    expectQuiet(console);
  });
});
