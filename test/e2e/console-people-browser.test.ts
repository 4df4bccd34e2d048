import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import type { Session } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';

const FIRST = 'a first password 42';
const RESET = 'another first one 43';
const NEW = 'another horse 43 battery';

const world = startedWorld();
const { open, at } = consoles(world);

const opened = (tenant: string, path: string, shown = {}) => at(path, tenant, shown);

/** A person of the tenant with a login. */
async function person(mine: Session, name: string): Promise<{ user: string; principalId: string }> {
  const Id = z.string();
  const user = Id.parse(
    await mine.data('/api/v3/auth/user_profile/add', { userName: name, nickName: name }),
  );
  const { principalId } = z
    .object({ principalId: Id })
    .parse(await mine.data('/api/v3/auth/user_profile/get_by_id', undefined, { id: user }));
  await mine.data('/api/v3/auth/local_credential/add', {
    principalId,
    loginName: name,
    password: FIRST,
  });
  return { user, principalId };
}

/** What a login with the password leads to. */
async function answerOf(tenant: string, name: string, password: string): Promise<string> {
  const response = await fetch(`${world.base}/api/v3/auth/session/begin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tenant, name, password }),
  });
  return `${response.status} ${await response.text()}`;
}

describe('the people of the settings', () => {
  it('are added, and log in with the first password, which has to be changed', async () => {
    await world.tenant('people-add');
    const console = await opened('people-add', '/settings/people');
    const { page } = console;
    await page.getByRole('button', { name: 'Add a person' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Login name').fill('night-shift');
    await dialog.getByLabel('First password').fill(FIRST);
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add a person' }).click();
    await page.getByRole('link', { name: 'night-shift' }).waitFor();
    expectQuiet(console);
    await console.close();
    const other = await open();
    const form = other.page;
    await form.getByLabel('Tenant').fill('people-add');
    await form.getByLabel('Login name').fill('night-shift');
    await form.getByLabel('Password', { exact: true }).fill(FIRST);
    await form.getByRole('button', { name: 'Log in' }).click();
    await form.getByLabel('New password').fill(NEW);
    await form.getByRole('button', { name: 'Save and log in' }).click();
    await form.getByRole('navigation', { name: 'Pages' }).waitFor();
  });

  it('get and lose a role at once, by keyboard alone', async () => {
    const mine = await world.tenant('people-roles');
    const { principalId } = await person(mine, 'nina');
    const console = await opened('people-roles', '/settings/people');
    const { page } = console;
    const held = (): Promise<unknown> =>
      mine.data('/api/v3/auth/role_principal/list_role_by_principal', undefined, { principalId });
    await page.getByRole('link', { name: 'nina' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('No role is held.').waitFor();
    await page.getByRole('button', { name: 'Give a role' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Role').focus();
    await page.keyboard.type('viewer');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('The role viewer is given.').waitFor();
    expect(await held()).toMatchObject([{ roleCode: 'viewer' }]);
    await page.getByRole('button', { name: 'Take away: viewer' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('It counts at once').waitFor();
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Take away' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('No role is held.').waitFor();
    expect(await held()).toEqual([]);
    expectQuiet(console);
  });

  it('get a new first password, which ends what the old one opened', async () => {
    const mine = await world.tenant('people-reset');
    const { user } = await person(mine, 'omar');
    const console = await opened('people-reset', `/settings/people/${user}`, { width: 360 });
    const { page } = console;
    await page.getByText('has to change the password').waitFor();
    await page.getByRole('button', { name: 'Reset the password' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Keys go on until they are revoked').waitFor();
    await dialog.getByLabel('New first password').fill('short');
    await dialog.getByRole('button', { name: 'Reset the password' }).click();
    await dialog.getByRole('alert').getByText('at least 8 characters').waitFor();
    expect(await answerOf('people-reset', 'omar', FIRST)).toContain('Password change required');
    await dialog.getByLabel('New first password').fill(RESET);
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Reset the password' }).click();
    await page.getByText('The password is set.').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await answerOf('people-reset', 'omar', FIRST)).toMatch(/^401/);
    expect(await answerOf('people-reset', 'omar', RESET)).toContain('Password change required');
    expectQuiet(console, '422');
  });

  it('are disabled and enabled, in Chinese', async () => {
    const mine = await world.tenant('people-turn');
    const { user } = await person(mine, 'paul');
    const console = await opened('people-turn', `/settings/people/${user}`, { language: 'zh' });
    const { page } = console;
    await page.getByRole('button', { name: '停用' }).click();
    const dialog = page.getByRole('dialog', { name: '停用 paul？' });
    await dialog.getByText('立即被拒绝').waitFor();
    await dialog.getByRole('button', { name: '停用' }).click();
    await page.getByText('paul 已停用。').waitFor();
    expect(await answerOf('people-turn', 'paul', FIRST)).toMatch(/^40[13]/);
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: '启用' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '启用' }).click();
    await page.getByText('paul 已启用。').waitFor();
    expect(await answerOf('people-turn', 'paul', FIRST)).toContain('Password change required');
    expectQuiet(console);
  });

  it('do not lock themselves out: the last administrator keeps the role', async () => {
    await world.tenant('people-last');
    const console = await opened('people-last', '/settings/people');
    const { page } = console;
    await page.getByRole('link', { name: 'people-last-admin' }).click();
    await page.getByText('lets no person disable the own account').waitFor();
    expect(await page.getByRole('button', { name: 'Disable' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Reset the password' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Take away: admin' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This is a role of your own').waitFor();
    await dialog.getByRole('button', { name: 'Take away' }).click();
    await dialog.getByRole('alert').getByText('without an admin').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'admin', exact: true }).waitFor();
    expectQuiet(console, '409');
  });

  it('are seen without buttons by a viewer, who sees no rights', async () => {
    const mine = await world.tenant('people-viewer');
    const { user, principalId } = await person(mine, 'vera');
    const { records } = z
      .object({ records: z.array(z.looseObject({ id: z.string(), roleCode: z.string() })) })
      .parse(await mine.data('/api/v3/auth/role/list', { roleCode: 'viewer' }));
    await mine.data('/api/v3/auth/role_principal/add', { principalId, roleId: records[0]?.id });
    await mine.data('/api/v3/auth/token/change_password', {
      tenant: 'people-viewer',
      name: 'vera',
      password: FIRST,
      newPassword: NEW,
    });
    const console = await at('/settings/people', {
      tenant: 'people-viewer',
      name: 'vera',
      password: NEW,
    });
    const { page } = console;
    await page.getByRole('link', { name: 'people-viewer-admin' }).waitFor();
    const parts = page.getByRole('navigation', { name: 'Parts of the settings' });
    expect(await parts.getByRole('link').allTextContents()).toEqual([
      'Yours',
      'People',
      'Models',
      'Usage',
    ]);
    expect(await page.getByRole('button', { name: 'Add a person' }).count()).toBe(0);
    await console.go(`/settings/people/${user}`);
    await page.getByRole('heading', { name: 'Access' }).waitFor();
    for (const name of ['Roles', 'Login'])
      expect(await page.getByRole('heading', { name, level: 2 }).count()).toBe(0);
    expectQuiet(console);
    await console.go('/settings/roles');
    await page.getByText('Your rights do not reach here').waitFor();
    expectQuiet(console, '403');
  });
});
