import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';

import { consoles } from '../support/console/consoles.ts';
import { barriers, logIn } from '../support/console/open-console.ts';
import { expectQuiet, overflow } from '../support/console/page-state.ts';
import { watched } from '../support/devices/watched.ts';
import { startTcpProxy } from '../support/proxies/tcp-proxy.ts';
import { startedWorld } from '../support/world/prepared.ts';

const SOON = { timeout: 30_000 };
const WALL = { width: 2560, height: 1440 };
const HOUR_MS = 3_600_000;

const world = startedWorld();
const { open, at } = consoles(world);

/** Goes to the wall by the menu. */
const toWall = async (page: Page): Promise<void> => {
  await page.getByRole('link', { name: 'Alarm wall' }).first().click();
  await page.getByText(/^As of \d\d:\d\d:\d\d/).waitFor(SOON);
};

/** How many fire of a level, as the wall says it. */
const count = (page: Page, level: string): Promise<string> =>
  page.locator('.counts > div', { hasText: level }).locator('dd').innerText();

/** In the page: names of the entries in sight, and whether one of them is cut off. */
const IN_SIGHT = `(() => {
  const list = document.querySelector('.cycle').getBoundingClientRect();
  const items = [...document.querySelectorAll('.cycle > li')].filter((item) => getComputedStyle(item).visibility === 'visible');
  const isWhole = (item) => { const { top, bottom } = item.getBoundingClientRect(); return top >= list.top - 1 && bottom <= list.bottom + 1; };
  return { names: items.map((item) => item.querySelector('.strong').textContent), whole: items.every(isWhole) };
})()`;
const inSight = async (page: Page): Promise<{ names: string[]; whole: boolean }> =>
  page.evaluate(IN_SIGHT);

describe('the wall', () => {
  it('counts what fires by level, and says what, where, the value and since when, without a press', async () => {
    const mine = await world.tenant('wall');
    const boiler = await watched(world, mine, 'boiler', { severity: 'P2' });
    const pump = await watched(world, mine, 'pump', { severity: 'P0' });
    await boiler.measure(60, 91);
    const console = await at('/alarms', 'wall', WALL);
    const { page } = console;
    await toWall(page);
    expect(await page.getByRole('navigation').count()).toBe(0);
    expect(await page.getByRole('button').count()).toBe(0);
    await page.locator('.cycle li', { hasText: 'boiler too hot' }).getByText('91').waitFor(SOON);
    expect([await count(page, 'P0'), await count(page, 'P2')]).toEqual(['0', '1']);
    await page.getByText('No device is offline.').waitFor();
    await page.locator('.wall .chip', { hasText: 'live' }).waitFor(SOON);
    await pump.measure(60, 95);
    await page.locator('.cycle li', { hasText: 'pump too hot' }).getByText('95').waitFor(SOON);
    expect(await count(page, 'P0')).toBe('1');
    expect((await inSight(page)).names).toEqual(['pump too hot', 'boiler too hot']);
    await expect.poll(() => page.title(), SOON).toMatch(/^\(2\) Alarm wall/);
    expect([await overflow(page), await barriers(console)]).toEqual([0, []]);
    await page.getByRole('link', { name: 'Leave the wall' }).click();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    expectQuiet(console);
  });

  it('displays what does not fit in turns, each entry whole; a telephone scrolls', async () => {
    const mine = await world.tenant('wall-turns');
    const names = Array.from({ length: 7 }, (_, n) => `kiln-${n}`);
    for (const name of names) await (await watched(world, mine, name)).measure(60, 91);
    const console = await at('/', 'wall-turns', { width: 1280, height: 560, look: 'dark' });
    const { page } = console;
    await toWall(page);
    await page.getByText(/^1 of \d$|^2 of \d$/).waitFor(SOON);
    const seen = new Set<string>();
    const wanted = names.map((name) => `${name} too hot`);
    await expect
      .poll(
        async () => {
          const { names: now, whole } = await inSight(page);
          expect(whole).toBe(true);
          expect(now.length).toBeLessThan(wanted.length);
          for (const name of now) seen.add(name);
          return [...seen].toSorted();
        },
        { timeout: 60_000, interval: 500 },
      )
      .toEqual(wanted);
    expect([await overflow(page), await barriers(console)]).toEqual([0, []]);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(async () => (await inSight(page)).names.length, SOON).toBe(wanted.length);
    expect([await overflow(page), await barriers(console)]).toEqual([0, []]);
  });

  it('says that it is not renewed while the line is cut, and when its login ends', async () => {
    await world.tenant('wall-line');
    const port = Number(new URL(world.base).port);
    const line = await startTcpProxy({ host: '127.0.0.1', port });
    onTestFinished(() => line.stop());
    const console = await open({}, `http://127.0.0.1:${line.port}`);
    const { page } = console;
    await logIn(console, 'wall-line');
    await toWall(page);
    await page.locator('.wall .chip', { hasText: 'live' }).waitFor(SOON);
    await page.getByText('The login of this screen ends').waitFor();
    line.cut();
    const stale = page.getByRole('alert').getByText(/^Not renewed since \d\d:\d\d/);
    await stale.waitFor(SOON);
    expect(await count(page, 'P1')).toBe('0');
    expect(await barriers(console)).toEqual([]);
    line.mend();
    await stale.waitFor({ state: 'detached', ...SOON });
  });

  it('warns in the last hour of its login, and says when that has ended', async () => {
    await world.tenant('wall-ends');
    // For the browser the login was half an hour less than twelve hours ago.
    world.clock.shift(-11.5 * HOUR_MS);
    const console = await at('/', 'wall-ends', { look: 'dark' });
    const { page } = console;
    await toWall(page);
    await page.getByText(/^The login of this screen ends at \d\d:\d\d\. Log out/).waitFor();
    expect(await barriers(console)).toEqual([]);
    world.clock.shift(12 * HOUR_MS);
    await page.getByText('The session has ended.').waitFor(SOON);
  });
});
