import { expect, it } from 'vitest';

import { startBrowser } from '../support/console/chromium.ts';
import { reviewsIn } from '../support/console/reviews.ts';
import { openHistories } from '../support/runs/histories/history.ts';
import { started, startedWorld } from '../support/world/prepared.ts';
import { seeded } from '../support/world/seeded.ts';

const HISTORIES = 3;

const world = startedWorld();
const browser = started(startBrowser);

it('says of actions what their rows say at that moment, in random histories', async () => {
  const history = openHistories(world, seeded(20_261_128), reviewsIn(browser, world.base));
  const wrong: string[] = [];
  for (let n = 0; n < HISTORIES; n += 1) wrong.push(...(await history()).wrong);
  expect(wrong).toEqual([]);
}, 300_000);
