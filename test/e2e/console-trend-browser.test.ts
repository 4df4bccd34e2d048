import { readFile } from 'node:fs/promises';

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { csvRows } from '../../src/kernel/input/csv.ts';
import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { watched } from '../support/devices/watched.ts';
import { PASSWORD, worker } from '../support/people/accounts.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { until } from '../support/world/until.ts';

const MINUTE_MS = 60_000;
/** One each half minute of two hours, with half an hour without. */
const VALUES = Array.from({ length: 240 }, (_, index) => index).filter(
  (index) => index < 60 || index >= 120,
);
const SPIKE = 93.5;

const Alarms = z.object({ records: z.array(z.object({ id: z.string() })) });
const world = startedWorld();
const { at } = consoles(world);
const mine = prepared(() => world.tenant('trend'));
const plant = prepared(() => watched(world, mine, 'boiler'));
const site = prepared(() => plant.site);
beforeAll(async () => {
  const now = world.clock.now();
  await mine.data('/api/v3/data/point_value/import', {
    values: VALUES.map((index) => ({
      deviceId: site.deviceId,
      pointId: site.pointId,
      value: String(index === 200 ? SPIKE : 20 + (index % 10)),
      createTime: new Date(now - 125 * MINUTE_MS + index * 30_000).toISOString(),
    })),
  });
  await plant.measure(85);
});

const opened = (query = '', shown = {}, person = {}) =>
  at(
    `/devices/${site.deviceId}${query}`,
    { tenant: 'trend', name: 'trend-admin', ...person },
    shown,
  );

/** The row of the table below the lines: lowest, mean, highest, values, gaps. */
const figures = async (page: Page): Promise<string[]> =>
  page.locator('.trend tbody tr').first().locator('td').allTextContents();

const DRAWN = `(() => {
  const canvas = document.querySelector('.trend canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return data.some((part) => part > 0);
})()`;

describe('the trend of a device', () => {
  it('draws what was stored and says it in figures, with the gap, the spike and the alarm', async () => {
    const console = await opened();
    const { page } = console;
    await page.locator('.trend canvas').waitFor();
    expect(await page.evaluate(DRAWN)).toBe(true);
    const [lowest, , highest, count, gaps] = await figures(page);
    expect([lowest, highest, count, gaps]).toEqual(['20 °C', `${SPIKE} °C`, '181', '1']);
    const happened = page.getByRole('list', { name: 'In this time' });
    await happened.getByText('firing').waitFor();
    await happened.getByRole('link', { name: 'boiler too hot' }).waitFor();
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('marks an alarm that is over and a write, each in its shape, and nothing of another time', async () => {
    await plant.measure(20);
    const [alarm] = Alarms.parse(
      await mine.data('/api/v3/data/dashboard/alert/page', { deviceId: site.deviceId }),
    ).records;
    await mine.data('/api/v3/data/dashboard/alert/confirm', { source: 'point', id: alarm?.id });
    const { deviceId, pointId } = site;
    await mine.data('/api/v3/data/point_command/write', { deviceId, pointId, value: '21' });
    const console = await opened('?span=1h');
    const { page } = console;
    const happened = page.getByRole('list', { name: 'In this time' });
    await happened.getByText(`write 21 °C to`).waitFor();
    await happened.getByText('closed').waitFor();
    expect(await happened.getByRole('listitem').count()).toBe(2);
    await page.getByText('▼ alarm raised · ■ written').waitFor();
    expect(await page.getByText(/^(No alarm of the device|Nothing was written to)/).count()).toBe(
      0,
    );
    const before = (minutes: number) =>
      new Date(world.clock.now() - minutes * MINUTE_MS).toISOString();
    await console.go(`/devices/${site.deviceId}?from=${before(120)}&to=${before(60)}`);
    await page.getByText(/^No alarm of the device .* in this time/).waitFor();
    await page.getByText(/^Nothing was written to these points/).waitFor();
    expectQuiet(console);
  });

  it('says that there was no alarm only where it knows it', async () => {
    const { name } = await worker(mine, [
      'svc-center-manager:device:get',
      'svc-center-manager:point:list',
      'svc-center-data:point_value:list',
    ]);
    const console = await opened('?span=1h', {}, { name, password: PASSWORD });
    const { page } = console;
    await page.locator('.trend canvas').waitFor();
    await page.getByText('Alarms are not shown: your rights do not include them.').waitFor();
    await page.getByText('Writes are not shown: your rights do not include them.').waitFor();
    expect(await page.getByText(/^(No alarm of the device|Nothing was written to)/).count()).toBe(
      0,
    );
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it("shows a time of the person's own, typed in, and refuses one that ends before it begins", async () => {
    const console = await opened();
    const { page } = console;
    await page.getByRole('button', { name: 'A time of your own' }).click();
    const field = (time: number): string =>
      new Date(time - new Date(time).getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
    const end = Math.floor(world.clock.now() / MINUTE_MS) * MINUTE_MS;
    await page.getByLabel('From', { exact: true }).fill(field(end - 10 * MINUTE_MS));
    await page.getByLabel('To', { exact: true }).fill(field(end - 20 * MINUTE_MS));
    await page.getByText('The end has to be after the beginning.').waitFor();
    expect(await barriers(console)).toEqual([]);
    await page.getByLabel('To', { exact: true }).fill(field(end));
    await page.keyboard.press('Enter');
    await page.waitForURL(/from=/);
    await until(async () => {
      const [, , , count] = await figures(page);
      expect(Number(count)).toBeGreaterThanOrEqual(8);
      expect(Number(count)).toBeLessThanOrEqual(20);
    });
    expectQuiet(console);
  });

  it('is moved and zoomed by the keyboard alone, keeps the time in the address, and goes back', async () => {
    const console = await opened('?span=1h');
    const { page } = console;
    await page.locator('.trend canvas').waitFor();
    // Of the last hour, in which one comes each half minute, and some minutes before now.
    const hour = Number((await figures(page))[3]);
    expect(hour).toBeGreaterThan(80);
    expect(hour).toBeLessThanOrEqual(121);
    const press = async (name: string): Promise<void> => {
      const button = page.getByRole('button', { name, exact: true });
      const isThere = () => button.evaluate((element) => element.matches(':focus'));
      for (let presses = 0; presses < 60 && !(await isThere()); presses += 1)
        await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
    };
    await press('Further');
    await until(async () => expect(Number((await figures(page))[3])).toBeGreaterThan(hour));
    expect(page.url()).toMatch(/from=.*&to=/);
    const [, , , longer] = await figures(page);
    const address = page.url();
    await press('Earlier');
    await until(async () => expect((await figures(page))[3]).not.toBe(longer));
    await page.goto(address);
    await until(async () => expect((await figures(page))[3]).toBe(longer));
    expectQuiet(console);
  });

  it('shows a longer look at what is dragged over', async () => {
    const console = await opened();
    const { page } = console;
    const chart = page.locator('.trend .u-over');
    let before = await chart.boundingBox();
    // What is above it may still come.
    const box = await until(async () => {
      const now = await chart.boundingBox();
      const was = before;
      before = now;
      expect(now).toEqual(was);
      if (!now) throw new Error('there is no chart');
      return now;
    });
    await page.mouse.move(box.x + box.width * 0.9, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.95, box.y + 60, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=/);
    const { searchParams } = new URL(page.url());
    const [from, to] = ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? ''));
    // A twentieth of a day.
    expect(((to ?? 0) - (from ?? 0)) / MINUTE_MS).toBeGreaterThan(60);
    expect(((to ?? 0) - (from ?? 0)) / MINUTE_MS).toBeLessThan(85);
    expectQuiet(console);
  });

  it('lists the stored values page by page and saves them as a file', async () => {
    const console = await opened('?span=24h');
    const { page } = console;
    await page.getByRole('button', { name: 'Stored values', exact: true }).click();
    const rows = page
      .locator('tbody tr')
      .filter({ has: page.locator('.chip', { hasText: 'good' }) });
    await rows.first().getByText('20 °C').waitFor();
    const newest = await rows.first().textContent();
    await page.getByRole('button', { name: 'Older values' }).click();
    await until(async () => expect(await rows.first().textContent()).not.toBe(newest));
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const path = await (await saved).path();
    const [titles, ...lines] = await Array.fromAsync(csvRows(await readFile(path, 'utf8'), 1_000));
    expect(titles?.[0]).toBe('createTime');
    expect(lines).toHaveLength(VALUES.length + 2);
    const column = (name: string): number => titles?.indexOf(name) ?? -1;
    const values = lines.map((line) => Number(line[column('value')]));
    expect(values.filter((value) => value === SPIKE)).toHaveLength(1);
    expect(values.toSorted((a, b) => b - a).slice(0, 2)).toEqual([SPIKE, 85]);
    const times = lines.map((line) => Date.parse(line[column('createTime')] ?? ''));
    expect(times.every(Number.isFinite)).toBe(true);
    expect(new Set(times).size).toBe(lines.length);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
  });

  it('puts a chosen point on the overview of this browser, in Chinese and on a phone too', async () => {
    const console = await opened('', { width: 360, language: 'zh', look: 'dark' });
    const { page } = console;
    const star = page.getByRole('button', { name: /在总览中显示/ }).first();
    await star.click();
    expect(await star.getAttribute('aria-pressed')).toBe('true');
    await page.locator('.trend canvas').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await console.go('/');
    await page.getByRole('heading', { name: '收藏' }).waitFor();
    await page.getByText('最近 24 小时').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await page.reload();
    await page.getByText('最近 24 小时').waitFor();
    expectQuiet(console);
  });
});
