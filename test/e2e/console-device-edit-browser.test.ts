import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { add, onboard } from '../support/devices/plant.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import { Records } from '../support/people/shapes.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const SOON = { timeout: 30_000 };
const MANAGER = '/api/v3/manager';

const world = startedWorld();
const { at } = consoles(world);
const plant = prepared(() => onboard(world.admin));

const DeviceRow = z.object({
  deviceName: z.string(),
  remark: z.string(),
  version: z.number(),
  profileId: z.string(),
});
const deviceOf = async (id: string) =>
  DeviceRow.parse(await world.admin.data(`${MANAGER}/device/get_by_id`, undefined, { id }));

const rowsOf = async (path: string, body: object) =>
  Records.parse(await world.admin.data(`${MANAGER}/${path}/list`, body)).records;

describe('a device is edited in the console', () => {
  it('its name and remark; what somebody else changed meanwhile is shown before it is replaced', async () => {
    const { deviceId } = plant;
    const console = await at(`/devices/${deviceId}`);
    const { page } = console;
    await page.getByRole('link', { name: 'Edit' }).click();
    const section = page.locator('.section', { hasText: 'Name and remark' });
    const save = section.getByRole('button', { name: 'Save' });
    await section.getByLabel('Name').fill('Boiler 1');
    expect(await barriers(console)).toEqual([]);
    await save.click();
    await page.getByText('Saved: Boiler 1').first().waitFor();
    await expect.poll(async () => (await deviceOf(deviceId)).deviceName).toBe('Boiler 1');
    // Somebody else is faster.
    const { version } = await deviceOf(deviceId);
    const other = { id: deviceId, version, deviceName: 'Boiler A', remark: 'moved' };
    await world.admin.data(`${MANAGER}/device/update`, other);
    await section.getByLabel('Name').fill('Boiler 1b');
    await save.click();
    const note = section.getByRole('alert');
    await note.getByText('It was changed by somebody else meanwhile').waitFor();
    await note.getByText('Boiler A').waitFor();
    expect((await deviceOf(deviceId)).deviceName).toBe('Boiler A');
    expect(await section.getByLabel('Name').inputValue()).toBe('Boiler 1b');
    await save.click();
    await page.getByText('Saved: Boiler 1b').first().waitFor();
    expect((await deviceOf(deviceId)).deviceName).toBe('Boiler 1b');
    expectQuiet(console, '409');
  });

  it('its group and its labels, which are stored as chosen', async () => {
    const { deviceId } = plant;
    const entity = { entityTypeFlag: 'DEVICE', entityId: deviceId };
    const hall = await add(world.admin, 'group', { groupName: 'Hall 3', groupTypeFlag: 'DEVICE' });
    const yard = await add(world.admin, 'group', { groupName: 'Yard', groupTypeFlag: 'DEVICE' });
    const label = { entityTypeFlag: 'DEVICE' };
    const spare = await add(world.admin, 'label', { labelName: 'Spare', ...label });
    await add(world.admin, 'label', { labelName: 'Rented', ...label });
    const console = await at(`/devices/${deviceId}/edit`);
    const { page } = console;
    const groupOf = async () => (await rowsOf('group_bind', entity)).map((row) => row['groupId']);
    for (const [name, ids] of [
      ['Hall 3', [hall]],
      ['Yard', [yard]],
      ['In no group', []],
    ] as const) {
      await page.getByLabel('Group', { exact: true }).selectOption(name);
      await page.getByRole('button', { name: 'Save the group' }).click();
      await expect.poll(groupOf, SOON).toEqual(ids);
      await page.getByRole('button', { name: 'Save the group', disabled: true }).waitFor();
    }
    await page.getByLabel('Spare').check();
    await page.getByLabel('Rented').check();
    await page.getByRole('button', { name: 'Save the labels' }).click();
    await expect.poll(async () => (await rowsOf('label_bind', entity)).length, SOON).toBe(2);
    await page.getByRole('button', { name: 'Save the labels', disabled: true }).waitFor();
    await page.getByLabel('Rented').uncheck();
    await page.getByRole('button', { name: 'Save the labels' }).click();
    await expect
      .poll(async () => (await rowsOf('label_bind', entity)).map((row) => row['labelId']), SOON)
      .toEqual([spare]);
    expectQuiet(console);
  });

  it('the settings of its points; a refused one says why and changes nothing', async () => {
    const { deviceId, target, temperature } = plant;
    const console = await at(`/devices/${deviceId}/edit`);
    const { page } = console;
    const point = page.getByRole('group', { name: 'temperature' });
    await point.getByLabel('max').fill('not a number');
    await point.getByRole('button', { name: 'Save: temperature' }).click();
    await point.getByRole('alert').waitFor();
    await point.getByLabel('max').fill('80');
    await point.getByRole('button', { name: 'Save: temperature' }).click();
    await page.getByText('Saved: temperature').first().waitFor();
    const configs = await rowsOf('point_attribute_config', { deviceId, pointId: temperature });
    expect(configs.map((row) => row['configValue'])).toEqual(['80']);
    const setPoint = page.getByRole('group', { name: 'target' });
    await setPoint.getByLabel('max').fill('40');
    await setPoint.getByRole('button', { name: 'Save: target' }).click();
    await page.getByText('Saved: target').first().waitFor();
    const stored = await rowsOf('point_attribute_config', { deviceId, pointId: target });
    expect(new Set(stored.map((row) => row['configValue']))).toEqual(new Set(['40', 'setpoint']));
    expectQuiet(console, '4');
  });

  it('its profile, with what goes with it said before', async () => {
    const other = await onboard(world.admin);
    const { deviceId } = await onboard(world.admin);
    const profile = z
      .object({ profileName: z.string() })
      .parse(
        await world.admin.data(`${MANAGER}/profile/get_by_id`, undefined, { id: other.profileId }),
      );
    const console = await at(`/devices/${deviceId}/edit`, {}, { width: 390, look: 'dark' });
    const { page } = console;
    await page.getByLabel('Profile').selectOption(profile.profileName);
    await page.getByText('the settings and latest values of its points are deleted').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'Change the profile' }).click();
    await expect.poll(async () => (await deviceOf(deviceId)).profileId, SOON).toBe(other.profileId);
    expectQuiet(console);
  });

  it('by a person with the right alone', async () => {
    const { name } = await worker(world.admin, [
      'svc-center-manager:device:list',
      'svc-center-manager:device:get',
    ]);
    const { page } = await at(`/devices/${plant.deviceId}`, { name, password: PASSWORD });
    await page.getByText('About this device').waitFor();
    expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
  });
});

describe('groups and labels are made in the console', () => {
  it('added, nested, renamed, found from the list of devices, and deleted where nothing is in them', async () => {
    const console = await at('/groups');
    const { page } = console;
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add a group' }).click();
    await dialog.getByLabel('Name').fill('North plant');
    await dialog.getByRole('button', { name: 'Add a group' }).click();
    await page.getByRole('link', { name: 'North plant' }).waitFor();
    await page.getByRole('button', { name: 'Add a group' }).click();
    await dialog.getByLabel('Name').fill('Line A');
    await dialog.getByLabel('Part of').selectOption('North plant');
    await dialog.getByRole('button', { name: 'Add a group' }).click();
    await page.locator('li.level-1', { hasText: 'Line A' }).waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'Edit: Line A' }).click();
    await dialog.getByLabel('Name').fill('Line B');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Line B' }).waitFor();
    await page.getByRole('button', { name: 'Delete: North plant' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Delete: Line B' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'Line B' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add a label' }).click();
    await dialog.getByLabel('Name').fill('Needs care');
    await dialog.getByRole('button', { name: 'Add a label' }).click();
    await page.getByRole('link', { name: 'Needs care' }).click();
    await page.waitForURL(/\/console\/devices\?labelId=\d+/);
    expectQuiet(console, '409');
  });
});
