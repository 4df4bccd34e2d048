import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { imageOf } from '../../driver/simulator/firmware.ts';
import { consoles } from '../support/console/consoles.ts';
import { barriers, logIn } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { firmwareDevice } from '../support/lwm2m/rollout.ts';
import { started, startedWorld } from '../support/world/prepared.ts';

const ENDED = { timeout: 60_000 };
const WHOLE = { timeout: 180_000 };

const world = startedWorld();
const { open, at } = consoles(world);
const device = started(() => firmwareDevice(world));

describe('the page of firmware', () => {
  it(
    'takes a package and rolls it out to a device, which is shown until it runs it',
    WHOLE,
    async () => {
      const file = join(tmpdir(), `firmware-${process.pid}.bin`);
      await writeFile(file, imageOf('2.0.0', Buffer.alloc(2_000, 7)));
      const console = await open();
      const { page } = console;
      await console.go('/devices');
      await logIn(console);
      await page.getByRole('link', { name: 'Firmware' }).click();
      await page.getByRole('heading', { name: 'Firmware', level: 1 }).waitFor();
      await page.getByText('There is no package.').waitFor();
      await page.getByLabel('File, 16 MiB at most').setInputFiles(file);
      await page.getByLabel('Name', { exact: true }).fill('Valve');
      await page.getByLabel('Version', { exact: true }).fill('2.0.0');
      expect(await barriers(console)).toEqual([]);
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByRole('button', { name: 'Roll out: Valve 2.0.0' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Devices', { exact: true }).selectOption(`device ${device.deviceId}`);
      expect(await barriers(console)).toEqual([]);
      await dialog.getByRole('button', { name: 'Begin' }).click();
      await page.getByRole('button', { name: 'Its devices: Valve 2.0.0' }).click();
      await page.getByText('verified', { exact: true }).waitFor(ENDED);
      await page.getByText('1 of 1 ended').waitFor(ENDED);
      await page.getByText('done', { exact: true }).waitFor(ENDED);
      expect(device.flash.version).toBe('2.0.0');
      expect(await barriers(console)).toEqual([]);
      expectQuiet(console);
      await console.close();
    },
  );

  it('is read on a phone and in Chinese', WHOLE, async () => {
    const console = await at('/firmware', {}, { language: 'zh', width: 360 });
    const { page } = console;
    await page.getByRole('heading', { name: '固件', level: 1 }).waitFor();
    await page.getByText('已结束 1/1').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });
});
