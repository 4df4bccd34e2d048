import { readFile } from 'node:fs/promises';

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { csvRows } from '../../src/core/input/csv.ts';
import {
  barriers,
  type Console,
  logIn,
  openConsole,
  startBrowser,
} from '../support/console/open-console.ts';
import { watched } from '../support/devices/watched.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { until } from '../support/world/until.ts';
import type { Site } from '../tools/agent.ts';

const WIDER = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
const MINUTE_MS = 60_000;
/** One each half minute of two hours, with half an hour without. */
const VALUES = Array.from({ length: 240 }, (_, index) => index).filter(
  (index) => index < 60 || index >= 120,
);
const SPIKE = 93.5;

let world: World;
let browser: Browser;
let mine: Session;
let site: Site;
beforeAll(async () => {
  world = await startWorld();
  browser = await startBrowser();
  mine = await world.tenant('trend');
  const plant = await watched(world, mine, 'boiler');
  ({ site } = plant);
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
afterAll(async () => {
  await browser?.close();
  await world?.stop();
});

function expectQuiet({ wrong, outside }: Console): void {
  expect(wrong).toEqual([]);
  expect(outside).toEqual([]);
}

async function opened(query = '', shown = {}): Promise<Console> {
  const console = await openConsole(browser, world.base, shown);
  await console.go(`/devices/${site.deviceId}${query}`);
  await logIn(console, { tenant: 'trend', name: 'trend-admin' });
  return console;
}

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
    await console.close();
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
    await console.close();
  });

  it('shows a longer look at what is dragged over', async () => {
    const console = await opened();
    const { page } = console;
    const box = await page.locator('.trend .u-over').boundingBox();
    if (!box) throw new Error('there is no chart');
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
    await console.close();
  });

  it('lists the stored values page by page and saves them as a file', async () => {
    const console = await opened('?span=24h');
    const { page } = console;
    await page.getByRole('button', { name: 'Stored values', exact: true }).click();
    const rows = page
      .locator('tbody tr')
      .filter({ has: page.locator('.chip', { hasText: 'good' }) });
    await rows.first().getByText('85').waitFor();
    const newest = await rows.first().textContent();
    await page.getByRole('button', { name: 'Older values' }).click();
    await until(async () => expect(await rows.first().textContent()).not.toBe(newest));
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const path = await (await saved).path();
    const [titles, ...lines] = await Array.fromAsync(csvRows(await readFile(path, 'utf8'), 1_000));
    expect(titles?.[0]).toBe('createTime');
    expect(lines).toHaveLength(VALUES.length + 1);
    expect(await barriers(console)).toEqual([]);
    expectQuiet(console);
    await console.close();
  });

  it('puts a chosen point on the overview of this browser, in Chinese and on a phone too', async () => {
    const console = await opened('', { width: 360, language: 'zh', look: 'dark' });
    const { page } = console;
    const star = page.getByRole('button', { name: /在总览中显示/ }).first();
    await star.click();
    expect(await star.getAttribute('aria-pressed')).toBe('true');
    await page.locator('.trend canvas').waitFor();
    expect(await page.evaluate(WIDER)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await console.go('/');
    await page.getByRole('heading', { name: '收藏' }).waitFor();
    await page.getByText('最近 24 小时').waitFor();
    expect(await page.evaluate(WIDER)).toBe(0);
    expect(await barriers(console)).toEqual([]);
    await page.reload();
    await page.getByText('最近 24 小时').waitFor();
    expectQuiet(console);
    await console.close();
  });
});
