import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { startBrowser } from '../support/console/open-console.ts';
import { reviewsIn } from '../support/console/reviews.ts';
import { openHistories } from '../support/runs/histories/history.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { seeded } from '../support/world/seeded.ts';

const HISTORIES = 3;

let world: World;
let browser: Browser;
beforeAll(async () => {
  world = await startWorld();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await world?.stop();
});

it('says of actions what their rows say at that moment, in random histories', async () => {
  const history = openHistories(world, seeded(20_261_128), reviewsIn(browser, world.base));
  const wrong: string[] = [];
  for (let n = 0; n < HISTORIES; n += 1) wrong.push(...(await history()).wrong);
  expect(wrong).toEqual([]);
}, 300_000);
