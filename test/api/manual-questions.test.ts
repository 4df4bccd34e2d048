import { expect, it } from 'vitest';

import { createRandom } from '../support/hostile/random.ts';
import { askLibrary } from '../support/manuals/trial.ts';
import { startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();

/** At full size: `npm run prove -- manuals`. */
it('questions over twenty documents find the right page among the first three', async () => {
  const size = { pages: 8, rows: 40, questions: 60 };
  const { asked, amongFirst, wrong } = await askLibrary(world.admin, createRandom(1), size);
  expect(amongFirst, wrong.join('\n')).toBeGreaterThanOrEqual(0.95 * asked);
}, 180_000);
