import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers, logIn } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { manualOf } from '../support/manuals/upload.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { onboard } from '../tools/agent.ts';

const WHOLE = { timeout: 180_000 };

const world = startedWorld();
const { open, at } = consoles(world);
const site = prepared(() => onboard(world.admin, 'manuals'));

describe('manuals', () => {
  it('are added to a device, found by words, opened at the page, and deleted', WHOLE, async () => {
    const file = join(tmpdir(), `Pump P7-${process.pid}.txt`);
    const steps = Array.from(
      { length: 300 },
      (_, step) => `Step ${step}: turn the key once more.\n`,
    );
    await writeFile(file, `${steps.join('')}Alarm E17: the impeller is blocked.\n`);
    const console = await open();
    const { page } = console;
    await console.go(`/devices/${site.deviceId}`);
    await logIn(console);
    await page.getByText('There is no manual.').waitFor();
    await page.getByRole('button', { name: 'Add a manual' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('File, 10 MB at most').setInputFiles(file);
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toMatch(/^Pump P7/);
    expect(await barriers(console)).toEqual([]);
    await dialog.getByLabel('Name', { exact: true }).fill('Pump P7');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('link', { name: 'Pump P7' }).waitFor();
    expect(await barriers(console)).toEqual([]);
    await console.go('/manuals');
    await page.getByLabel('Words or a question').fill('what is alarm E 17');
    await page.getByText('the impeller is blocked').waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('link', { name: /Pump P7 page 4 of 4/ }).click();
    await page.getByRole('heading', { name: 'Pump P7', level: 1 }).waitFor();
    await page.getByText('the impeller is blocked').waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'Page before' }).click();
    await page.getByText('Step 200: turn the key').waitFor();
    await page.getByRole('link', { name: 'All manuals' }).click();
    await page.getByRole('button', { name: 'Delete: Pump P7' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('There is no manual.').waitFor();
    expectQuiet(console);
    await console.close();
  });

  it('of a profile are read on a phone and in Chinese', WHOLE, async () => {
    const name = fresh('Boiler');
    const of = { manual_name: name, profile_id: site.profileId };
    await manualOf(world.admin, 'One page.', 'a.txt', of);
    for (const path of [`/profiles/${site.profileId}`, '/manuals']) {
      const console = await at(path, {}, { language: 'zh', width: 360 });
      const { page } = console;
      await page.getByRole('heading', { name: '手册' }).first().waitFor();
      await page.getByRole('link', { name }).waitFor();
      expect(await overflow(page)).toBe(0);
      expect(await barriers(console)).toEqual([]);
      expectQuiet(console);
      await console.close();
    }
  });
});
