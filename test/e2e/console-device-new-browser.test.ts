import { setTimeout as sleep } from 'node:timers/promises';

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { onboard } from '../support/devices/plant.ts';
import { spawnDevice } from '../support/devices/simulator.ts';
import { Records } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

// The first value comes by the schedule of the driver, as it does for a newcomer.
const world = startedWorld({ environment: { SVC_DRIVER_READ_CRON: '0/2 * * * * ?' } });
const { at } = consoles(world);

const opened = (path: string, shown = {}) => at(path, {}, shown);

const next = (page: Page) => page.getByRole('button', { name: 'Next step' }).click();

/** Tabs to what has the name, as a person without a mouse does. */
async function tabTo(page: Page, role: 'button' | 'link', name: RegExp): Promise<void> {
  const wanted = page.getByRole(role, { name });
  await wanted.waitFor();
  const isThere = () => wanted.evaluate((element) => element.matches(':focus'));
  for (let presses = 0; presses < 60 && !(await isThere()); presses += 1)
    await page.keyboard.press('Tab');
  expect(await isThere()).toBe(true);
}

describe('a new device', () => {
  it('of LwM2M is made with the points of the simulator, says where to point it, and shows its first value', async () => {
    const console = await opened('/devices');
    const { page } = console;
    const endpoint = fresh('own');
    await page.getByRole('link', { name: 'Add a device' }).click();
    await page.getByRole('radio', { name: /LwM2M/ }).check();
    await next(page);
    await page.getByLabel('Name of the profile').fill(fresh('thermostat'));
    await page.getByRole('button', { name: 'Take the points of the simulated device' }).click();
    expect(await barriers(console)).toEqual([]);
    await next(page);
    await page.getByLabel('Name of the device').fill(endpoint);
    expect(await page.getByLabel('endpoint').inputValue()).toBe(endpoint);
    await next(page);
    await page.getByRole('group', { name: 'temperature' }).getByLabel('objectId').waitFor();
    // Back and forward lose nothing.
    await page.goBack();
    await page.goBack();
    expect(await page.getByLabel('Name of the point').first().inputValue()).toBe('temperature');
    await page.goForward();
    expect(await page.getByLabel('endpoint').inputValue()).toBe(endpoint);
    await page.goForward();
    await next(page);
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'Make the device' }).click();
    await page.getByRole('heading', { name: 'Waiting for the first value' }).waitFor();
    await page.getByText('No value yet:').waitFor();
    const server = `127.0.0.1:${world.lwm2mPort}`;
    await page.getByText(`coap://${server}`).waitFor();
    await page.getByText(`npm run device -- --endpoint ${endpoint} --server ${server}`).waitFor();
    expect(await barriers(console)).toEqual([]);
    const device = spawnDevice({ endpoint, port: world.lwm2mPort });
    await device.next('registered');
    await page.getByRole('heading', { name: 'The first value is here' }).waitFor();
    await page.getByText('°C').first().waitFor();
    await page.getByRole('link', { name: 'To the device' }).click();
    await page.getByRole('heading', { name: endpoint, level: 1 }).waitFor();
    expectQuiet(console);
    await console.close();
    expect(await device.stop()).toBe(0);
  });

  it('stays made as far as it got, and a second press goes on', async () => {
    const { deviceId } = await onboard(world.admin);
    const console = await opened('/devices/new');
    const { page } = console;
    const [profile, name] = [fresh('kind'), fresh('taken-free')];
    const taken = await nameOf(deviceId);
    await page.getByRole('radio', { name: /[Vv]irtual/ }).check();
    await next(page);
    await page.getByLabel('Name of the profile').fill(profile);
    await page.getByRole('button', { name: 'Take two points as an example' }).click();
    await next(page);
    await page.getByLabel('Name of the device').fill(taken);
    await next(page);
    await next(page);
    await page.getByRole('button', { name: 'Make the device' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByText('What was made stays.').waitFor();
    await page.getByRole('link', { name: 'Device', exact: true }).click();
    await page.getByLabel('Name of the device').fill(name);
    await next(page);
    await next(page);
    await page.getByRole('button', { name: 'Go on with the rest' }).click();
    await page.getByRole('heading', { name: 'The first value is here' }).waitFor();
    const made = await world.admin.data('/api/v3/manager/profile/list', { profileName: profile });
    expect(Records.parse(made).records).toHaveLength(1);
    expectQuiet(console, '409');
  });

  it('is made only with what its driver requires, and within its ranges', async () => {
    const driverCode = fresh('StrictDriver');
    const of = { description: '', secret: false };
    await world.bus.handled(
      'svc.e.driver_register',
      {
        driverCode,
        driverName: driverCode,
        driverType: 'DRIVER_CLIENT',
        serviceName: 'svc-driver-strict',
        serviceHost: '',
        node: 'n1',
        driverAttributes: [
          { ...of, code: 'host', name: 'host', type: 'STRING', defaultValue: '', required: true },
          {
            ...of,
            code: 'port',
            name: 'port',
            type: 'INT',
            defaultValue: '502',
            min: 1,
            max: 9000,
          },
        ],
        pointAttributes: [
          {
            ...of,
            code: 'order',
            name: 'order',
            type: 'STRING',
            defaultValue: 'big',
            oneOf: ['big', 'little'],
          },
        ],
      },
      driverCode,
    );
    const console = await opened('/devices/new');
    const { page } = console;
    await page.getByRole('radio', { name: driverCode }).check();
    await next(page);
    await page.getByLabel('Name of the profile').fill(fresh('kind'));
    await page.getByRole('button', { name: 'Add a point' }).click();
    await page.getByLabel('Name of the point').fill('level');
    await next(page);
    await page.getByLabel('Name of the device').fill(fresh('strict'));
    await page.getByLabel('port').fill('9001');
    await page.getByText('It must be 1 to 9000.').waitFor();
    expect(await barriers(console)).toEqual([]);
    await next(page);
    await page.getByLabel('order').selectOption('little');
    await next(page);
    await page.getByText('Not ready yet:').waitFor();
    await page.getByText('The driver requires it.').waitFor();
    const make = page.getByRole('button', { name: 'Make the device' });
    expect(await make.isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Device', exact: true }).click();
    await page.getByLabel('host').fill('meter-1');
    await page.getByLabel('port').fill('9000');
    await next(page);
    await next(page);
    await make.click();
    await page.getByText('No value yet:').waitFor();
    expectQuiet(console);
  });

  it('is made by the keyboard alone', async () => {
    const console = await opened('/devices');
    const { page } = console;
    const name = fresh('keys');
    await tabTo(page, 'link', /Add a device/);
    await page.keyboard.press('Enter');
    const drivers = page.getByRole('radio', { name: /[Vv]irtual/ });
    await drivers.waitFor();
    // Of radio buttons the arrows choose.
    const isRadio = () => page.evaluate("document.activeElement?.matches('input[type=radio]')");
    for (let presses = 0; presses < 40 && (await isRadio()) !== true; presses += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    for (let presses = 0; presses < 5 && !(await drivers.isChecked()); presses += 1)
      await page.keyboard.press('ArrowDown');
    expect(await drivers.isChecked()).toBe(true);
    await tabTo(page, 'button', /Next step/);
    await page.keyboard.press('Enter');
    await typeInto(page, 'Name of the profile', fresh('kind'));
    await tabTo(page, 'button', /Take two points/);
    await page.keyboard.press('Enter');
    await tabTo(page, 'button', /Next step/);
    await page.keyboard.press('Enter');
    await typeInto(page, 'Name of the device', name);
    await tabTo(page, 'button', /Next step/);
    await page.keyboard.press('Enter');
    await page.getByRole('group', { name: 'pressure' }).waitFor();
    await tabTo(page, 'button', /Next step/);
    await page.keyboard.press('Enter');
    await tabTo(page, 'button', /Make the device/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'The first value is here' }).waitFor();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    expectQuiet(console);
  });

  it('is made on a phone in Chinese, as one that is there', async () => {
    const console = await opened('/devices/new', { width: 360, language: 'zh' });
    const { page } = console;
    const { profileId } = await onboard(world.admin);
    const forth = () => page.getByRole('button', { name: '下一步' }).click();
    await page.getByRole('radio', { name: /[Vv]irtual/ }).check();
    await forth();
    await page.getByLabel('模板', { exact: true }).selectOption(profileId);
    expect(await overflow(page)).toBe(0);
    await forth();
    await page.getByLabel('设备名称').fill(fresh('dianti'));
    expect(await barriers(console)).toEqual([]);
    await forth();
    await page.getByText('已按此设备填写').waitFor();
    const signal = page.getByRole('group', { name: 'target' }).getByLabel('signal');
    expect(await signal.inputValue()).toBe('setpoint');
    expect(await overflow(page)).toBe(0);
    await forth();
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: '创建设备' }).click();
    await page.getByRole('heading', { name: '首个数值已到达' }).waitFor();
    expect(await overflow(page)).toBe(0);
    expectQuiet(console);
  });

  it('is disabled, enabled and deleted on its page, after a question; the palette leads to the next one', async () => {
    const { deviceId } = await onboard(world.admin);
    const console = await opened(`/devices/${deviceId}`);
    const { page } = console;
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('cannot be brought back').waitFor();
    expect(await barriers(console)).toEqual([]);
    // What the page looks at every five seconds comes due before this answer.
    await page.route('**/manager/device/delete', async (route) => {
      const response = await route.fetch();
      await sleep(5_500);
      await route.fulfill({ response });
    });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
    await expect(nameOf(deviceId)).rejects.toThrow();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'A page, device' }).fill('Add a dev');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Add a device', level: 1 }).waitFor();
    expectQuiet(console);
  });
});

async function typeInto(page: Page, label: string, text: string): Promise<void> {
  const field = page.getByLabel(label);
  await field.waitFor();
  const isThere = () => field.evaluate((element) => element.matches(':focus'));
  for (let presses = 0; presses < 40 && !(await isThere()); presses += 1)
    await page.keyboard.press('Tab');
  await page.keyboard.type(text);
}

async function nameOf(id: string): Promise<string> {
  const found = await world.admin.data('/api/v3/manager/device/get_by_id', undefined, { id });
  if (typeof found === 'object' && found !== null && 'deviceName' in found)
    return String(found.deviceName);
  throw new Error('the device is not there');
}
