import { expect, it } from 'vitest';

import { startPlant } from '../support/runs/arguments/plant.ts';
import { spelledCalls } from '../support/runs/arguments/run.ts';
import { guessedWrites } from '../support/runs/arguments/wrong.ts';
import { started } from '../support/world/prepared.ts';

const SEED = 15;
const CALLS = 150;
const plant = started(() => startPlant());

it('arguments are understood as models spell them, and never as something else', async () => {
  const { understood, otherwise, refused } = await spelledCalls(plant, SEED, CALLS);
  expect(otherwise).toEqual([]);
  expect(understood, refused.join('\n')).toBeGreaterThanOrEqual(0.98 * CALLS);
});

it('a write that may be meant otherwise is refused', async () => {
  expect(await guessedWrites(plant)).toEqual([]);
});
