import type { Browser } from 'playwright-core';
import { z } from 'zod';

import { logIn, openConsole } from '../../support/console/open-console.ts';
import { percentile } from '../percentile.ts';

const ROUNDS = 5;
/** How much slower the browser computes. */
const THROTTLE = 4;

/** In the page: when the heading and the navigation of the overview came, and when the last long task ended. */
const WATCH = `
  globalThis.seen = { there: 0, busy: 0 };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) seen.busy = startTime + duration;
  }).observe({ type: 'longtask', buffered: true });
  const look = () => {
    if (document.querySelector('main h1') && document.querySelector('nav a')) seen.there = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
`;
const READ = `({ ...seen, paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0 })`;
const Seen = z.object({
  there: z.number().positive(),
  busy: z.number(),
  paint: z.number().positive(),
});

/**
 * Medians, in ms after the address was entered, with an empty cache and a session: something is painted; the overview is
 * there and the page takes what is pressed.
 */
export async function firstPaint(
  browser: Browser,
  url: string,
): Promise<{ paint: number; interactive: number }> {
  const console = await openConsole(browser, url);
  await logIn(console);
  const state = await console.context.storageState();
  await console.close();
  const all: { paint: number; interactive: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const context = await browser.newContext({ storageState: state });
    await context.addInitScript({ content: WATCH });
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: THROTTLE });
    await page.goto(`${url}/console`);
    await page.locator('main h1').waitFor();
    // Long enough for a task that began with the heading to end.
    await page.waitForTimeout(1_000);
    const { there, busy, paint } = Seen.parse(await page.evaluate(READ));
    all.push({ paint, interactive: Math.max(there, busy) });
    await context.close();
  }
  const middle = (of: 'paint' | 'interactive'): number =>
    percentile(
      all.map((each) => each[of]),
      0.5,
    );
  return { paint: middle('paint'), interactive: middle('interactive') };
}
