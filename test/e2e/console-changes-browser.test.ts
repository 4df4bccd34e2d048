import { readFile } from 'node:fs/promises';

import { describe, expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { overflow } from '../support/console/page-state.ts';
import { onboard } from '../support/devices/plant.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import { startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const { at } = consoles(world);

describe('the changes', () => {
  it('say in words what was changed, by whom and from what to what, page by page', async () => {
    const mine = await world.tenant('changes-all');
    const { target } = await onboard(mine);
    await mine.data('/api/v3/manager/point/update', { id: target, maxValue: 29 });
    const console = await at('/changes', 'changes-all', { width: 360, look: 'dark' });
    const { page } = console;
    const first = page.getByRole('main').getByRole('listitem').first();
    await first.getByText('Changed the point').waitFor();
    await first.getByText('highest value:').waitFor();
    await first.getByText('target').waitFor();
    await first.getByText('29').waitFor();
    await first.getByText('changes-all-admin').waitFor();
    await first.getByText('with a login').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await page.getByLabel('Since').selectOption('day');
    await page.waitForURL(/span=day/);
    await first.getByText('Changed the point').waitFor();
    expect(console.wrong).toEqual([]);
    expect(console.outside).toEqual([]);
  });

  it('are found by person, device, kind and name, and saved as they are found', async () => {
    const mine = await world.tenant('changes-found');
    const { deviceId, temperature } = await onboard(mine);
    await mine.data('/api/v3/manager/point/update', { id: temperature, remark: 'at the outlet' });
    const name = 'Boiler 7';
    await mine.data('/api/v3/manager/device/update', { id: deviceId, deviceName: name });
    const zh = await at('/changes', 'changes-found', { language: 'zh' });
    await zh.page.getByText('更改了 设备').first().waitFor();
    await zh.close();
    const console = await at('/changes', 'changes-found');
    const { page } = console;
    const rows = page.getByRole('main').getByRole('listitem');
    await page.getByText('Changed the device').waitFor();
    await page.getByText('Added the setting').waitFor();
    await page.getByLabel('Name of what was changed').fill('temperature');
    await page.waitForURL(/text=temperature/);
    await expect.poll(() => rows.filter({ hasNotText: 'temperature' }).count()).toBe(0);
    await rows.filter({ hasText: 'at the outlet' }).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    const text = await readFile(await file.path(), 'utf8');
    expect(text).toContain('temperature');
    expect(text).not.toContain(name);
    await page.getByLabel('Name of what was changed').fill('');
    await page.getByLabel('What', { exact: true }).selectOption('written');
    await page.getByText('Nothing was changed in this time.').waitFor();
    await page.getByLabel('What', { exact: true }).selectOption('configured');
    await page.getByLabel('Device', { exact: true }).fill(name);
    await page.waitForURL(new RegExp(`deviceId=${deviceId}`));
    await page.getByText('Changed the device').waitFor();
    await page.getByLabel('Person or agent').fill('nobody of that name');
    await page.getByText('Nothing was changed in this time.').waitFor();
    expect(await barriers(console)).toEqual([]);
    expect(console.wrong).toEqual([]);
  });

  it('say which device was put into which group, moved and labelled, also on a phone in Chinese', async () => {
    const mine = await world.tenant('changes-groups');
    const { deviceId } = await onboard(mine);
    const add = (path: string, input: object) => mine.data(`/api/v3/manager/${path}/add`, input);
    const bound = { entityTypeFlag: 'DEVICE', entityId: deviceId };
    const groupTypeFlag = 'DEVICE';
    const hall3 = await add('group', { groupTypeFlag, groupName: 'Hall 3' });
    const hall4 = await add('group', { groupTypeFlag, groupName: 'Hall 4' });
    const id = await add('group_bind', { ...bound, groupId: hall3 });
    await mine.data('/api/v3/manager/group_bind/update', { id, groupId: hall4 });
    const labelId = await add('label', { entityTypeFlag: 'DEVICE', labelName: 'Worn' });
    await add('label_bind', { ...bound, labelId });
    const console = await at('/changes', 'changes-groups');
    const row = (text: string) =>
      console.page.getByRole('main').getByRole('listitem').filter({ hasText: text });
    await row('Labelled: ').getByText('label: Worn').waitFor();
    await row('Moved to another group: ').getByText('group: Hall 3 → Hall 4').waitFor();
    await row('Put into a group: ').getByText('group: Hall 3').waitFor();
    await row('Added the group Hall 4').waitFor();
    expect(
      await row('Moved to another group: ')
        .getByText(/number|编号/)
        .count(),
    ).toBe(0);
    expect(await barriers(console)).toEqual([]);
    const phone = { width: 390, look: 'dark', language: 'zh' } as const;
    const zh = await at('/changes', 'changes-groups', phone);
    await zh.page.getByText('移到另一个分组：').waitFor();
    expect(await overflow(zh.page)).toBe(0);
  });

  it('are for those that may read them', async () => {
    const mine = await world.tenant('changes-none');
    const { name } = await worker(mine, ['svc-center-agentic:action:get']);
    const console = await at('/changes', { tenant: 'changes-none', name, password: PASSWORD });
    await console.page.getByText('Your rights do not reach here').waitFor();
    expect(await console.page.getByRole('navigation').getByText('Changes').count()).toBe(0);
  });
});
