import { expect, it } from 'vitest';

import { createRandom } from '../support/hostile/random.ts';
import { approve } from '../support/runs/approvals/run.ts';
import { startWorld } from '../support/world/app.ts';

/** `npm run prove -- approvals` makes 2,000. */
const PROPOSALS = 60;

it('decides what is inside of a standing approval, and nothing else', async () => {
  const world = await startWorld();
  try {
    const { wrong, kinds } = await approve(world, createRandom(20_261_123), PROPOSALS);
    expect(wrong).toEqual([]);
    expect(kinds.size).toBe(10);
  } finally {
    await world.stop();
  }
}, 180_000);
