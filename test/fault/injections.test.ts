import { expect, it } from 'vitest';

import { createRandom } from '../support/hostile/random.ts';
import { injections } from '../support/runs/injections/run.ts';

/** `npm run prove -- injections` plants 500. */
const PLANTED = 25;

it('leaves an agent that obeys planted instructions with tainted cards, and nothing else', async () => {
  const { read, obeyed, wrong } = await injections(PLANTED, createRandom(20_261_122));
  expect(wrong).toEqual([]);
  expect(read).toBeGreaterThan(PLANTED / 2);
  expect(obeyed).toBeGreaterThan(PLANTED / 3);
}, 300_000);
