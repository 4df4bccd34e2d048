import { expect, it } from 'vitest';

import { createRandom } from '../support/hostile/random.ts';
import { lookUpForeign } from '../support/names/foreign.ts';
import { startWorld } from '../support/world/app.ts';

/** A sample of `npm run prove -- names`. */
it('a name is never found in another tenant that has the same ones', async () => {
  const world = await startWorld();
  try {
    const size = { devices: 300, phrases: 150 };
    const { asked, found, foreign } = await lookUpForeign(world, createRandom(11), size);
    expect(asked).toBe(300);
    expect(found).toBeGreaterThan(150);
    expect(foreign).toEqual([]);
  } finally {
    await world.stop();
  }
});
