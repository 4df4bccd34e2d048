import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { keepProposing } from '../../src/cli/demo/proposal.ts';
import { makeDemo } from '../../src/cli/demo/story.ts';
import { logIn, openConsole, startBrowser } from '../support/console/open-console.ts';
import { startWorld, type World } from '../support/world/app.ts';

/** Set: the pictures of the documents are made anew. */
const isMaking = process.env['UPDATE_PICTURES'] === '1';
const PICTURE = 'docs/picture/review.png';
const MAX_BYTES = 150_000;
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
const SOON = { timeout: 60_000 };

let world: World;
let browser: Browser;
let agent: ReturnType<typeof keepProposing>;
beforeAll(async () => {
  world = await startWorld({
    environment: { SVC_DEMO: 'on', SVC_DRIVER_READ_CRON: '0/30 * * * * ?' },
  });
  await makeDemo(world.app);
  agent = keepProposing(world.app, world.admin.tenantId);
  browser = await startBrowser();
});
afterAll(async () => {
  await agent?.stop();
  await browser?.close();
  await world?.stop();
});

describe('the picture in the README', () => {
  it('shows what a new person finds: the proposal of the demo, from the overview in one press', async () => {
    const console = await openConsole(browser, world.base, { width: 1100, height: 760 });
    await logIn(console);
    const { page } = console;
    await page
      .getByRole('link', { name: /set-point/ })
      .first()
      .click(SOON);
    await page.getByRole('heading', { name: 'Proposal', level: 1 }).waitFor();
    await page.getByText('demo-agent').first().waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Confirm' }).waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    expect(console.wrong).toEqual([]);
    if (isMaking) {
      mkdirSync('docs/picture', { recursive: true });
      writeFileSync(PICTURE, await page.screenshot());
    }
    await console.close();
    expect(existsSync(PICTURE)).toBe(true);
    expect(readFileSync(PICTURE).subarray(0, 4)).toEqual(PNG);
    expect(statSync(PICTURE).size).toBeLessThanOrEqual(MAX_BYTES);
    expect(readFileSync('README.md', 'utf8')).toContain(`](${PICTURE})`);
  });
});
