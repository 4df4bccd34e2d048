import { expect, it } from 'vitest';

import { createRandom } from '../support/hostile/random.ts';
import { forge } from '../support/runs/forged/run.ts';
import { startWorld } from '../support/world/app.ts';

/** Each attempt with each credential once; `npm run prove -- forged` makes 1,000. */
const ATTEMPTS = 312;

it('confirms nothing for a credential that is no interactive login of the tenant', async () => {
  const world = await startWorld();
  try {
    const { statuses, wrong } = await forge(world, createRandom(20_261_122), ATTEMPTS);
    expect(wrong).toEqual([]);
    expect([...statuses.values()].reduce((sum, count) => sum + count)).toBe(ATTEMPTS);
  } finally {
    await world.stop();
  }
}, 120_000);
