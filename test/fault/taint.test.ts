import { expect, it } from 'vitest';

import { createRandom } from '../support/hostile/random.ts';
import { taint } from '../support/runs/taint/run.ts';

/** `npm run prove -- taint` reads 10,000 times, and plants 1,000. */
const CLEAN = 305;
const DIRTY = 40;

it('marks the proposals of an agent that read an order, by any door and key, and no others', async () => {
  const { clean, shown, wrong } = await taint(
    { clean: CLEAN, dirty: DIRTY },
    createRandom(20_261_127),
  );
  expect(wrong).toEqual([]);
  expect(clean).toBe(CLEAN);
  expect(shown).toBeGreaterThan(DIRTY / 2);
}, 300_000);
