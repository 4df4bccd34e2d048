import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import type { Session } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';

const Id = z.string();
const Codes = z.array(z.looseObject({ resourceCode: z.string() }));

const world = startedWorld();
const { at } = consoles(world);

const opened = (tenant: string, path: string, shown = {}) => at(path, tenant, shown);

const roleIn = async (mine: Session, roleName: string): Promise<string> =>
  Id.parse(await mine.data('/api/v3/auth/role/add', { roleName, roleCode: roleName }));

async function heldBy(mine: Session, roleId: string): Promise<string[]> {
  const path = '/api/v3/auth/role_resource/list_resource_by_role';
  return Codes.parse(await mine.data(path, undefined, { roleId })).map(
    ({ resourceCode }) => resourceCode,
  );
}

describe('the roles of the settings', () => {
  it('are added, renamed and deleted', async () => {
    await world.tenant('roles-life');
    const console = await opened('roles-life', '/settings/roles');
    const { page } = console;
    await page.getByRole('link', { name: 'operator' }).waitFor();
    await page.getByRole('button', { name: 'Add a role' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Shift lead');
    await dialog.getByLabel('Code').fill('admin');
    await dialog.getByRole('button', { name: 'Add a role' }).click();
    await dialog.getByRole('alert').getByText('built in').waitFor();
    await dialog.getByLabel('Code').fill('shift-lead');
    expect(await barriers(console)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add a role' }).click();
    await page.getByRole('heading', { name: 'Shift lead', level: 1 }).waitFor();
    await page.getByText('No person has this role.').waitFor();
    await page.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByLabel('Name').fill('Lead of a shift');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { name: 'Lead of a shift', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The role Lead of a shift is deleted.').waitFor();
    await page.getByRole('heading', { name: 'Roles', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'operator' }).waitFor();
    expect(await page.getByRole('link', { name: 'Lead of a shift' }).count()).toBe(0);
    expectQuiet(console, '409');
  });

  it('get and lose rights, by keyboard alone', async () => {
    const mine = await world.tenant('roles-rights');
    const role = await roleIn(mine, 'watch');
    const console = await opened('roles-rights', `/settings/roles/${role}`);
    const { page } = console;
    await page.getByLabel('Search rights').focus();
    await page.keyboard.type('alarm rules');
    const rules = page.getByRole('group', { name: 'Alarm rules', exact: true });
    await rules.getByLabel('list').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.getByText('2 to add, 0 to remove').waitFor();
    expect(await heldBy(mine, role)).toEqual([]);
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('The rights are saved.').waitFor();
    await page.getByText('2 to add').waitFor({ state: 'detached' });
    const both = ['svc-center-data:rule:get', 'svc-center-data:rule:list'];
    expect((await heldBy(mine, role)).toSorted()).toEqual(both);
    await rules.getByLabel('list').focus();
    await page.keyboard.press('Space');
    await page.getByText('0 to add, 1 to remove').waitFor();
    await page.getByRole('button', { name: 'Save' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('1 to remove').waitFor({ state: 'detached' });
    expect(await heldBy(mine, role)).toEqual(['svc-center-data:rule:get']);
    expectQuiet(console);
  });

  it('that are built in are said in words, and name their people', async () => {
    await world.tenant('roles-fixed');
    const console = await opened('roles-fixed', '/settings/roles', { width: 360 });
    const { page } = console;
    await page.getByRole('link', { name: 'admin' }).click();
    await page.getByText('Everything, also what later versions bring').waitFor();
    await page.getByRole('link', { name: 'roles-fixed-admin' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'agent', exact: true }).click();
    await page.getByText('cannot be changed').waitFor();
    await page.getByText('Reads and writes of devices').waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('in use are not deleted: the reason of the server is shown, in Chinese', async () => {
    const mine = await world.tenant('roles-used');
    const role = await roleIn(mine, 'used');
    const { principalId } = z.object({ principalId: Id }).parse(
      await mine.data('/api/v3/auth/user_profile/get_by_name', undefined, {
        name: 'roles-used-admin',
      }),
    );
    await mine.data('/api/v3/auth/role_principal/add', { roleId: role, principalId });
    const console = await opened('roles-used', `/settings/roles/${role}`, {
      language: 'zh',
      width: 360,
    });
    const { page } = console;
    await page.getByRole('link', { name: 'roles-used-admin' }).waitFor();
    await page.getByText('设备及其模型').click();
    await page.getByRole('group', { name: '设备', exact: true }).getByLabel('列出').check();
    await page.getByText('添加 1 项，移除 0 项').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: '撤销' }).click();
    await page.getByText('添加 1 项').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: '删除' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '删除' }).click();
    await page.getByRole('alert').getByText('Principals have this role').waitFor();
    expectQuiet(console, '409');
  });
});
