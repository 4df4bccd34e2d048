import { readFile } from 'node:fs/promises';

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { workbook } from '../support/console/workbook.ts';
import { onboard } from '../support/devices/plant.ts';
import { Records } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { until } from '../support/world/until.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const world = startedWorld();
const { at } = consoles(world);
const plant = prepared(() => onboard(world.admin));

const opened = (path: string, shown = {}) => at(path, {}, shown);

const ofPlant = (): string =>
  `/devices/import?driverId=${plant.driverId}&profileId=${plant.profileId}`;
const table = (csv: string) => ({
  name: 'devices.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(csv),
});

/** What a press of the button saves. */
async function saved(page: Page, name: string): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent('download', { timeout: 20_000 }),
    page.getByRole('button', { name }).click(),
  ]);
  return readFile(await file.path(), 'utf8');
}

async function tabTo(page: Page, name: string): Promise<void> {
  const wanted = page.getByRole('button', { name });
  await wanted.waitFor();
  const isThere = () => wanted.evaluate((element) => element.matches(':focus'));
  for (let presses = 0; presses < 60 && !(await isThere()); presses += 1)
    await page.keyboard.press('Tab');
  expect(await isThere()).toBe(true);
}

describe('an import of devices', () => {
  it('shows what each row would do, does it, and keeps the report of what it refused', async () => {
    const console = await opened('/devices');
    const { page } = console;
    const [one, two] = [fresh('one'), fresh('two')];
    await page.getByRole('link', { name: 'Import' }).click();
    await page.getByLabel('Driver').selectOption(plant.driverId);
    await page.getByLabel('Profile').selectOption(plant.profileId);
    expect(await saved(page, 'Download the template')).toMatch(/^\W?deviceName,/);
    await page
      .getByLabel('CSV or XLSX file')
      .setInputFiles(table(`deviceName,port\r\n${one},1\r\n${two},2\r\n${fresh('bad')},no\r\n`));
    await page.getByText('1 refused rows are left out').waitFor();
    await page.getByText('would be added').first().waitFor();
    expect(await devicesNamed(one)).toHaveLength(0);
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'Import it' }).click();
    await page.getByText('3 of 3 rows').waitFor();
    expect(await devicesNamed(one)).toHaveLength(1);
    expect(await devicesNamed(two)).toHaveLength(1);
    expect(await saved(page, 'Download the refused rows')).toContain('port');
    await page.getByRole('link', { name: '3 rows' }).waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.reload();
    await page.getByText('3 of 3 rows').waitFor();
    expectQuiet(console);
  });

  it('makes the groups and labels that the table names by a tick, and not without it', async () => {
    const console = await opened(ofPlant());
    const { page } = console;
    const [line, tag] = [fresh('Line'), fresh('rented')];
    const rows = [1, 2, 3].map(() => `${fresh('boiler')},${line},${tag}`);
    await page
      .getByLabel('CSV or XLSX file')
      .setInputFiles(table(['deviceName,groupName,labelNames', ...rows].join('\r\n')));
    await page.getByText('There is no such group of devices').first().waitFor();
    await page.getByRole('button', { name: 'Import it', disabled: true }).waitFor();
    await page.getByLabel('Make what is missing: 1 group and 1 label').check();
    await page.getByText('would be added').first().waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'Import it' }).click();
    await page.getByText('3 of 3 rows').waitFor();
    await page.getByText('done', { exact: true }).first().waitFor();
    await console.go('/devices');
    await page.getByLabel('Group').selectOption(line);
    await page.getByText('3 devices', { exact: true }).waitFor();
    expectQuiet(console);
  });

  it('reads a table that is no UTF-8 in an encoding that the person can change, and one with tabs', async () => {
    const console = await opened(ofPlant());
    const { page } = console;
    const file = page.getByLabel('CSV or XLSX file');
    const named = `Kühler ${fresh('k')}`;
    const bytes = (content: Buffer) => ({ ...table(''), buffer: content });
    await file.setInputFiles(bytes(Buffer.from(`deviceName\tport\r\n${named}\t1\r\n`, 'latin1')));
    await page.getByText('The table is not UTF-8.').waitFor();
    await page.getByText(named).waitFor();
    await page.getByText('would be added').first().waitFor();
    // "boiler" in GBK.
    const gbk = Buffer.from([0xb9, 0xf8, 0xc2, 0xaf, 0x31, 0x37]);
    await file.setInputFiles(bytes(Buffer.concat([Buffer.from('deviceName\n'), gbk])));
    await page.getByLabel('Encoding of the table').selectOption('gb18030');
    await page.getByText('锅炉17').waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.getByRole('button', { name: 'Import it' }).click();
    await page.getByText('1 of 1 rows').waitFor();
    expect(await devicesNamed('锅炉17')).toHaveLength(1);
    expectQuiet(console);
  });

  it('reads the first sheet of a workbook, a large one too, and says of a file that it is none', async () => {
    const name = fresh('sheet');
    const rows = Array.from({ length: 4_000 }, (_, row) => [`${name}-${row}`, row + 1]);
    const console = await opened(ofPlant());
    const { page } = console;
    const file = page.getByLabel('CSV or XLSX file');
    const xlsx = (buffer: Buffer) => ({ name: 'devices.xlsx', mimeType: XLSX, buffer });
    await file.setInputFiles(xlsx(Buffer.from('deviceName,port\r\n')));
    await page.getByText('This workbook cannot be read.').waitFor();
    expect(await barriers(console)).toEqual([]);
    await file.setInputFiles(xlsx(workbook([['deviceName', 'port'], ...rows])));
    await page.getByText('would be added').first().waitFor();
    expect(await page.getByText('This workbook cannot be read.').count()).toBe(0);
    await file.setInputFiles(
      xlsx(
        workbook([
          ['deviceName', 'port'],
          [name, 7],
        ]),
      ),
    );
    await page.getByRole('button', { name: 'Import it' }).click();
    await page.getByText('1 of 1 rows').waitFor();
    expect(await devicesNamed(name)).toHaveLength(1);
    expectQuiet(console);
  });

  it('reads back what the export on the page of devices saved, as rows that are the same', async () => {
    const console = await opened('/devices');
    const { page } = console;
    await page.getByRole('button', { name: 'Export devices' }).click();
    await page.getByRole('dialog').getByLabel('Driver').selectOption(plant.driverId);
    await page.getByRole('dialog').getByLabel('Profile').selectOption(plant.profileId);
    const csv = await saved(page, 'Save as CSV');
    await console.go(ofPlant());
    await page.getByLabel('CSV or XLSX file').setInputFiles(table(csv));
    await page.getByText('No row would add or change anything.').waitFor();
    expectQuiet(console);
  });

  it('goes by the keyboard alone, on a phone in Chinese', async () => {
    const console = await opened(ofPlant(), { width: 360, language: 'zh' });
    const { page } = console;
    const name = fresh('keys');
    const file = page.getByLabel('CSV 或 XLSX 文件');
    await file.waitFor();
    // Listened for well before the key: until it listens, the browser opens a dialog of its own.
    const chosen = page.waitForEvent('filechooser', { timeout: 20_000 });
    const isThere = () => file.evaluate((element) => element.matches(':focus'));
    for (let presses = 0; presses < 60 && !(await isThere()); presses += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await (await chosen).setFiles(table(`deviceName\r\n${name}\r\n`));
    await tabTo(page, '导入');
    expect(await barriers(console)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('1 / 1 行').waitFor();
    await until(async () => expect(await devicesNamed(name)).toHaveLength(1));
    expect(await overflow(page)).toBe(0);
    expectQuiet(console);
  });
});

async function devicesNamed(deviceName: string) {
  const found = await world.admin.data('/api/v3/manager/device/list', { deviceName });
  return Records.parse(found).records;
}
