import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';

import { logIn, openConsole } from '../../support/console/open-console.ts';
import { percentile } from '../percentile.ts';
import { WEEK_VALUES } from './question.ts';

const ROUNDS = 10;
const LOOKS = 300;
const LOOK_MS = 100;
const ROUTE = '/api/v3/data/point_value/trend';
/** The span ends up to 2,016 s after now (a 300th of it), where no value is yet. */
const LEAST_VALUES = WEEK_VALUES - (7 * 86_400) / 300;

/**
 * In the page: `begin()` notes the time; `answered` is when the last answer of the route was there, `drawn` the first frame
 * on the screen with the canvas that was made after it.
 */
const WATCH = `
  globalThis.seen = { began: 0, asked: 0, answered: 0, drawn: 0 };
  globalThis.begin = () => { seen = { began: performance.now(), asked: 0, answered: 0, drawn: 0 }; };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if (entry.name.endsWith('${ROUTE}')) Object.assign(seen, { asked: entry.startTime, answered: entry.responseEnd });
  }).observe({ type: 'resource' });
  globalThis.frames = [];
  new MutationObserver((changes) => {
    const isNew = changes.some(({ addedNodes }) => [...addedNodes].some((node) =>
      node instanceof Element && (node.matches('.trend canvas') || node.querySelector('.trend canvas, canvas'))));
    // The frame after the next one begins when the one with the lines is on the screen.
    if (isNew) requestAnimationFrame(() => requestAnimationFrame((at) => frames.push(at)));
  }).observe(document, { subtree: true, childList: true });
`;
const READ = `({ ...seen, drawn: frames.find((at) => seen.answered > 0 && at > seen.answered) ?? 0 })`;
const Seen = z.object({
  began: z.number(),
  asked: z.number(),
  answered: z.number(),
  drawn: z.number(),
});

export type TrendWeek = { total: number; route: number; draw: number };

/** Medians in ms, of a page that has not asked for the week before. */
export async function trendWeek(
  browser: Browser,
  url: string,
  deviceId: string,
): Promise<{ pressed: TrendWeek; entered: TrendWeek }> {
  const console = await openConsole(browser, url);
  await logIn(console);
  const { page } = console;
  await page.addInitScript({ content: WATCH });
  const pressed: TrendWeek[] = [];
  const entered: TrendWeek[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await console.go(`/devices/${deviceId}`);
    await page.locator('.trend canvas').waitFor();
    await page.waitForTimeout(1_000);
    await page.evaluate(
      `document.addEventListener('pointerdown', begin, { once: true, capture: true })`,
    );
    await page.getByRole('button', { name: '7 days', exact: true }).click();
    pressed.push(await timesOf(page));
    await console.go('/devices');
    await page.locator('.chunked [role=listitem]').first().waitFor();
    await page.waitForTimeout(1_000);
    // As a link does.
    await page.evaluate(`begin();
      history.pushState(null, '', '/console/devices/${deviceId}?span=7d');
      dispatchEvent(new PopStateEvent('popstate'));`);
    entered.push(await timesOf(page));
  }
  await console.close();
  return { pressed: middleOf(pressed), entered: middleOf(entered) };
}

async function timesOf(page: Page): Promise<TrendWeek> {
  const read = async () => Seen.parse(await page.evaluate(READ));
  for (let looks = 0; looks < LOOKS && (await read()).drawn === 0; looks += 1)
    await page.waitForTimeout(LOOK_MS);
  const { began, asked, answered, drawn } = await read();
  if (drawn === 0) throw new Error('the week was not drawn');
  const [, , , count = ''] = await page
    .locator('.trend tbody tr')
    .first()
    .locator('td')
    .allTextContents();
  if (Number(count.replaceAll(/\D/g, '')) < LEAST_VALUES)
    throw new Error(`the trend is of ${count} values`);
  return { total: drawn - began, route: answered - asked, draw: drawn - answered };
}

const middleOf = (all: readonly TrendWeek[]): TrendWeek => {
  const middle = (of: keyof TrendWeek): number =>
    percentile(
      all.map((each) => each[of]),
      0.5,
    );
  return { total: middle('total'), route: middle('route'), draw: middle('draw') };
};
