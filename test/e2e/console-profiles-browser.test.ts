import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { onboard } from '../support/devices/plant.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import { startedWorld } from '../support/world/prepared.ts';

const MANAGER = '/api/v3/manager';
const Points = z.array(
  z.looseObject({
    id: z.string(),
    pointName: z.string(),
    minValue: z.number().nullable(),
    maxValue: z.number().nullable(),
    multiple: z.number(),
    version: z.number(),
  }),
);

const world = startedWorld();
const { at } = consoles(world);

describe('profiles in the console', () => {
  it('are added with their points, whose numbers may have a comma, and deleted', async () => {
    const mine = await world.tenant('profile-life');
    const console = await at('/profiles', 'profile-life');
    const { page } = console;
    await page.getByText('There is no profile yet.').waitFor();
    await page.getByRole('button', { name: 'Add a profile' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Pump');
    await dialog.getByRole('button', { name: 'Add a profile' }).click();
    await page.getByRole('heading', { name: 'Pump', level: 1 }).waitFor();
    await page.getByText('This profile has no points yet').waitFor();
    await page.getByRole('button', { name: 'Add a point' }).click();
    const go = dialog.getByRole('button', { name: 'Add a point' });
    expect(await go.isDisabled()).toBe(true);
    await dialog.getByLabel('Name of the point').fill('pressure');
    await dialog.getByLabel('Unit').fill('bar');
    await dialog.getByLabel('Access').selectOption('READ_WRITE');
    await dialog.getByLabel('Factor').fill('0,1');
    await dialog.getByLabel('Least value').fill('6,5');
    await dialog.getByLabel('Greatest value').fill('six');
    await dialog.getByText('Enter a number').waitFor();
    expect(await go.isDisabled()).toBe(true);
    expect(await barriers(console)).toEqual([]);
    await dialog.getByLabel('Greatest value').fill('6');
    await go.click();
    await dialog.getByRole('alert').getByText('minValue must be less than maxValue').waitFor();
    await dialog.getByLabel('Greatest value').fill('9');
    await go.click();
    const row = page.getByRole('row', { name: /pressure/ });
    await row.getByText('6.5 to 9 bar').waitFor();
    await row.getByText('× 0.1 + 0').waitFor();
    const profileId = page.url().split('/').at(-1) ?? '';
    const stored = async () =>
      Points.parse(
        await mine.data(`${MANAGER}/point/list_by_profile_id`, undefined, { profileId }),
      );
    expect(await stored()).toMatchObject([{ minValue: 6.5, maxValue: 9, multiple: 0.1 }]);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('alert').getByText('pressure').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Delete: pressure' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('This profile has no points yet').waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There is no profile yet.').waitFor();
    expectQuiet(console, 'status of 4');
  });

  it('say how many devices a change reaches, keep what somebody else changed, and lead to them', async () => {
    const mine = await world.tenant('profile-reach');
    const { profileId, target, deviceId } = await onboard(mine);
    const console = await at(`/devices/${deviceId}`, 'profile-reach');
    const { page } = console;
    await page.locator(`a[href$="/profiles/${profileId}"]`).click();
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Edit target' }).click();
    await dialog.getByText('The change counts at once for 1 device.').waitFor();
    // Somebody else is faster.
    const [point] = Points.parse(
      await mine.data(`${MANAGER}/point/list_by_profile_id`, undefined, { profileId }),
    ).filter(({ id }) => id === target);
    const other = { id: target, version: point?.version ?? 0, maxValue: 28 };
    await mine.data(`${MANAGER}/point/update`, other);
    await dialog.getByLabel('Least value').fill('7');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('row', { name: /target/ })
      .getByText('7 to 30')
      .waitFor();
    await page.getByRole('button', { name: 'Delete: target' }).click();
    await dialog.getByText('A point for which a device has settings').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('alert').getByText('a config of device').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: '1 device' }).click();
    await page.getByRole('link', { name: /thermostat/ }).waitFor();
    expect(page.url()).toContain(`profileId=${profileId}`);
    expectQuiet(console, '409');
  });

  it('are looked at without the right to change them, on a phone, in Chinese', async () => {
    const mine = await world.tenant('profile-looks');
    const { profileId } = await onboard(mine);
    const rights = ['profile:list', 'profile:get', 'point:list', 'device:list'];
    const codes = rights.map((right) => `svc-center-manager:${right}`);
    const { name } = await worker(mine, codes);
    const shown = { width: 390, height: 844, language: 'zh', look: 'dark' } as const;
    const person = { tenant: 'profile-looks', name, password: PASSWORD };
    const console = await at(`/profiles/${profileId}`, person, shown);
    const { page } = console;
    await page.getByRole('row', { name: /target/ }).waitFor();
    expect(await page.getByRole('button', { name: /编辑|删除|添加/ }).count()).toBe(0);
    expect(await barriers(console)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    expectQuiet(console);
  });
});
