import { describe, expect, it } from 'vitest';

import { refusalsWritten } from '../../src/auth/audit/refusal.ts';
import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import { programFor } from '../support/people/bearer.ts';
import { newGrant } from '../support/people/oauth-client.ts';
import { startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const { at } = consoles(world);

const opened = (tenant: string, shown = {}) => at('/agents', tenant, shown);

const list = (key: string) =>
  fetch(`${world.base}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'searchDevices', arguments: {} },
    }),
  }).then((answer) => answer.text());

describe('the page of agents', () => {
  it('makes a key, shows it once, shows what it was used for, and ends it', async () => {
    await world.tenant('agents-key');
    const console = await opened('agents-key');
    const { page } = console;
    await page.getByText('You have no key.').waitFor();
    await page.getByRole('button', { name: 'Make a key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('night shift');
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Make a key' }).click();
    const key = await dialog.locator('code').innerText();
    expect(await list(key)).toContain('result');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('night shift').waitFor();
    expect(await page.locator('body').innerText()).not.toContain(key);
    await page.reload();
    await page.getByRole('rowheader', { name: 'searchDevices' }).waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'Revoke night shift' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await list(key)).toContain('result');
    await page.getByRole('button', { name: 'Revoke night shift' }).click();
    await dialog.getByText('It cannot be restored.').waitFor();
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('You have no key.').waitFor();
    expect(await list(key)).not.toContain('result');
    expectQuiet(console);
  });

  it('shows the programs that the person let in, and ends one', async () => {
    const tenant = await world.tenant('agents-programs');
    await newGrant(tenant);
    const console = await opened('agents-programs');
    const { page } = console;
    const program = page.getByRole('listitem').filter({ hasText: 'Test App' });
    await program.getByText('read stored values').waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'End Test App' }).click();
    await page.getByRole('dialog').getByText('Its tokens end at once.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
    await page.getByText('You let no program in.').waitFor();
    expectQuiet(console);
  });

  it('leads from the address to the first call', async () => {
    await world.tenant('agents-connect');
    const console = await opened('agents-connect', { width: 360 });
    const { page } = console;
    await page.getByRole('link', { name: 'Connect an agent' }).click();
    await page.getByText(`claude mcp add --transport http svc ${world.base}/mcp`).waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await page.getByText('No agent has called yet.').waitFor();
    await page.getByRole('button', { name: 'Make a key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('first');
    await dialog.getByRole('button', { name: 'Make a key' }).click();
    expect(await list(await dialog.locator('code').innerText())).toContain('result');
    await page.keyboard.press('Escape');
    await page.getByText('searchDevices').waitFor();
    expectQuiet(console);
  });

  it('switches all agents of the tenant off by the keyboard alone, and on again', async () => {
    await world.tenant('agents-switch');
    const console = await opened('agents-switch', { width: 360, look: 'dark' });
    const { page } = console;
    await page.locator('.chip', { hasText: 'may propose' }).waitFor();
    expect(await overflow(page)).toBe(0);
    const off = page.getByRole('button', { name: 'Switch agents off' });
    const isThere = () => off.evaluate((element) => element.matches(':focus'));
    for (let presses = 0; presses < 30 && !(await isThere()); presses += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Maintenance');
    await dialog.getByRole('button', { name: 'Switch agents off' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.chip.danger', { hasText: 'switched off' }).waitFor();
    await page.getByText('Maintenance').waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'Let agents propose' }).click();
    await dialog.getByRole('button', { name: 'Let agents propose' }).click();
    await page.locator('.chip', { hasText: 'may propose' }).waitFor();
    expectQuiet(console);
  });

  it('holds a connection to reading, revokes it after a question, and restores it', async () => {
    const mine = await world.tenant('agents-connection');
    const { clientId } = await programFor(mine, { scope: 'svc:read' });
    const name = '<img src=x onerror=alert(1)>';
    await mine.data('/api/v3/auth/mcp/connection/add', { clientId, connectionName: name });
    const console = await opened('agents-connection');
    const { page } = console;
    const row = page.getByRole('listitem').filter({ hasText: name });
    await row.locator('.chip', { hasText: 'may propose' }).waitFor();
    await row.getByRole('button', { name: 'Hold to reading' }).click();
    await row.locator('.chip', { hasText: 'may only read' }).waitFor();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await row.locator('.chip', { hasText: 'revoked' }).waitFor();
    await row.getByRole('button', { name: 'Restore' }).click();
    await row.locator('.chip', { hasText: 'may only read' }).waitFor();
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('shows the accounts that asked for what only people may do, holds such, and lets them go', async () => {
    const mine = await world.tenant('agents-tried');
    const names = ['robot', 'crawler'] as const;
    const programs = await Promise.all(
      names.map((name) => programFor(mine, { scope: 'svc:read', audience: 'api', name })),
    );
    const [robot, crawler] = programs;
    const tries = async (token = '') => {
      const answer = await fetch(`${world.base}/api/v3/agentic/action/confirm`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ actionId: '0b9c1f4e-5d3a-4c1e-9a77-2f6d8e1b4c30' }),
      });
      expect(answer.status).toBe(403);
      await refusalsWritten(world.app);
    };
    await tries(robot?.token);
    const console = await opened('agents-tried', { width: 360 });
    const { page } = console;
    const shown = page.getByRole('list', { name: 'Accounts that asked' });
    const row = (name: string) => shown.getByRole('listitem').filter({ hasText: name });
    await row(names[0]).locator('.chip', { hasText: 'not restricted' }).waitFor();
    const text = await row(names[0]).innerText();
    expect(text).toContain('POST /api/v3/agentic/action/confirm');
    expect(text).toContain('127.0.0.1');
    await page.getByLabel('Hold accounts that ask for what only people may do to reading').click();
    await page.getByRole('checkbox', { name: 'Hold accounts', checked: true }).waitFor();
    await tries(crawler?.token);
    await page.reload();
    await row(names[1]).locator('.chip', { hasText: 'may only read' }).waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await row(names[1]).getByRole('button', { name: 'Let it propose' }).click();
    await row(names[1]).waitFor({ state: 'detached' });
    await row(names[0]).getByRole('button', { name: 'Remove from the list' }).click();
    await shown.waitFor({ state: 'detached' });
    expectQuiet(console);
  });

  it('lets a person without the right look, not switch', async () => {
    const mine = await world.tenant('agents-narrow');
    const { name } = await worker(mine, ['svc-center-auth:mcp:get', 'svc-center-auth:mcp:list']);
    const console = await at('/agents', { tenant: 'agents-narrow', name, password: PASSWORD });
    await console.page.locator('.chip', { hasText: 'may propose' }).waitFor();
    expect(await console.page.getByRole('button', { name: /agents/ }).count()).toBe(0);
  });
});
