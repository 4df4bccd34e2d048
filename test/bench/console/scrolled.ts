import type { Browser } from 'playwright-core';

import { logIn, openConsole } from '../../support/console/open-console.ts';
import { percentile } from '../percentile.ts';
import { MANY } from './question.ts';

const STEPS = 300;
const STEP_PX = 1_500;
const FRAME = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))';

/** Scrolls through the list of all devices: script of one step (ms, p99) and rows in the document. */
export async function scrolled(
  browser: Browser,
  url: string,
): Promise<{ script: number; rowsMost: number; rowsLeast: number }> {
  const console = await openConsole(browser, url);
  await logIn(console);
  await console.go('/devices');
  const { page } = console;
  await page.getByText(`${MANY.toLocaleString('en')} devices`).waitFor();
  const devtools = await console.context.newCDPSession(page);
  await devtools.send('Performance.enable');
  const spent = async (): Promise<number> => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0) * 1_000;
  };
  const scripts: number[] = [];
  const rows: number[] = [];
  await page.mouse.move(600, 500);
  for (let step = 0; step < STEPS; step += 1) {
    const before = await spent();
    await page.mouse.wheel(0, STEP_PX);
    await page.evaluate(FRAME);
    // One step is drawn in one or two frames: counted as one.
    scripts.push((await spent()) - before);
    rows.push(await page.locator('.chunked [role=listitem]').count());
  }
  await console.close();
  return {
    script: percentile(scripts, 0.99),
    rowsMost: Math.max(...rows),
    rowsLeast: Math.min(...rows),
  };
}
