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

  it('are edited with their commands, events and the parameters of both', async () => {
    const mine = await world.tenant('profile-commands');
    const profileId = z
      .string()
      .parse(await mine.data(`${MANAGER}/profile/add`, { profileName: 'Valve' }));
    const console = await at(`/profiles/${profileId}`, 'profile-commands');
    const { page } = console;
    const dialog = page.getByRole('dialog');
    const sectionOf = (name: string) =>
      page.locator('section', { has: page.getByRole('heading', { name }) });
    const commands = sectionOf('Commands');
    await commands.getByText('This profile has no commands.').waitFor();
    await commands.getByRole('button', { name: 'Add a command' }).click();
    await dialog.getByLabel('Name of the command').fill('Move to');
    await dialog.getByLabel('Code').fill('move-to');
    await dialog.getByLabel('Type').selectOption('ACTION');
    await dialog.getByLabel('Timeout').fill('5000');
    await dialog.getByRole('button', { name: 'Add a command' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await barriers(console)).toEqual([]);
    await dialog.getByLabel('Timeout').fill('60');
    await dialog.getByRole('button', { name: 'Add a command' }).click();
    const command = commands.getByRole('row', { name: /Move to/ });
    await command.getByText('move-to').waitFor();
    await command.getByRole('button', { name: 'Parameters: Move to' }).click();
    await commands.getByText('There are no parameters.').waitFor();
    await commands.getByRole('button', { name: 'Add a parameter' }).click();
    await dialog.getByLabel('Name of the parameter').fill('Position');
    await dialog.getByLabel('Code').fill('position');
    await dialog.getByLabel('Default value').fill('half');
    await dialog.getByLabel('Required').check();
    await dialog.getByRole('button', { name: 'Add a parameter' }).click();
    await dialog
      .getByRole('alert')
      .getByText('The default value of position must be a DOUBLE')
      .waitFor();
    await dialog.getByLabel('Default value').fill('50');
    await dialog.getByRole('button', { name: 'Add a parameter' }).click();
    await commands
      .getByRole('row', { name: /^Position/ })
      .getByText('50')
      .waitFor();
    expect(await barriers(console)).toEqual([]);
    await commands.getByRole('button', { name: 'Edit Position' }).click();
    await dialog.getByLabel('Direction').selectOption('OUTPUT');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await commands.getByText('answered by the device').waitFor();
    await commands.getByRole('button', { name: 'Delete: Move to' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('alert').getByText('Position').waitFor();
    await page.keyboard.press('Escape');
    const events = sectionOf('Events');
    await events.getByRole('button', { name: 'Add an event' }).click();
    await dialog.getByLabel('Name of the event').fill('Jammed');
    await dialog.getByLabel('Type').selectOption('FAULT');
    await dialog.getByLabel('Level').selectOption('HIGH');
    await dialog.getByRole('button', { name: 'Add an event' }).click();
    await events
      .getByRole('row', { name: /Jammed/ })
      .getByText('high')
      .waitFor();
    await events.getByRole('button', { name: 'Edit Jammed' }).click();
    expect(await dialog.getByLabel('Type').inputValue()).toBe('FAULT');
    await dialog.getByLabel('Level').selectOption('CRITICAL');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await events
      .getByRole('row', { name: /Jammed/ })
      .getByText('critical')
      .waitFor();
    await events.getByRole('button', { name: 'Parameters: Jammed' }).click();
    await events.getByRole('button', { name: 'Add a parameter' }).click();
    await dialog.getByLabel('Name of the parameter').fill('Torque');
    await dialog.getByLabel('Code').fill('torque');
    await dialog.getByRole('button', { name: 'Add a parameter' }).click();
    await events.getByRole('button', { name: 'Delete: Torque' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await events.getByText('There are no parameters.').waitFor();
    await events.getByRole('button', { name: 'Delete: Jammed' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await events.getByText('This profile has no events.').waitFor();
    expect(
      await mine.data(`${MANAGER}/command/list_by_profile_id`, undefined, { profileId }),
    ).toMatchObject([{ commandCode: 'move-to', commandTypeFlag: 'ACTION', timeout: 60 }]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflow(page)).toBe(0);
    expectQuiet(console, 'status of 4');
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

describe('drivers in the console', () => {
  it('are listed with their state and settings, renamed, disabled, and deleted without devices', async () => {
    const mine = await world.tenant('driver-life');
    const { driverId, deviceId } = await onboard(mine);
    const console = await at('/drivers', 'driver-life');
    const { page } = console;
    const dialog = page.getByRole('dialog');
    const row = page.locator('li', {
      has: page.locator(`a[href$="/devices?driverId=${driverId}"]`),
    });
    await row.getByRole('button', { name: /^Edit / }).click();
    await dialog.getByText('The change counts at once for 1 device.').waitFor();
    await dialog.getByLabel('Name').fill('Boiler house');
    await dialog.getByLabel('Enabled').uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await row.getByText('disabled').waitFor();
    expect(
      await mine.data(`${MANAGER}/driver/get_by_id`, undefined, { id: driverId }),
    ).toMatchObject({ driverName: 'Boiler house', enableFlag: 'DISABLE' });
    await page.getByRole('button', { name: 'Settings: Boiler house' }).click();
    await dialog.getByRole('heading', { name: 'Of each point' }).waitFor();
    await dialog.getByRole('row').nth(1).waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Delete: Boiler house' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflow(page)).toBe(0);
    await page.getByRole('link', { name: 'Boiler house' }).click();
    await page.getByRole('link', { name: /thermostat/ }).waitFor();
    expect(page.url()).toContain(`driverId=${driverId}`);
    await mine.data(`${MANAGER}/device/delete`, { id: deviceId });
    await console.go('/drivers');
    await page.getByRole('button', { name: 'Delete: Boiler house' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
    expectQuiet(console, '409');
  });
});
