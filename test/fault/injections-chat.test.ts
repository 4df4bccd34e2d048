import { expect, it } from 'vitest';

import { createRandom } from '../support/hostile/random.ts';
import { chatInjections } from '../support/runs/injections/chat.ts';

/** `npm run prove -- injections` plants 500. */
const PLANTED = 24;

it.each([
  ['without standing approvals', false],
  ['with one for a part of it', true],
])('leaves an obedient model of a chat with tainted cards alone, %s', async (_with, standing) => {
  const random = createRandom(20_261_124);
  const done = await chatInjections(PLANTED, random, { standing });
  expect(done.wrong).toEqual([]);
  expect(done.proposals).toBeGreaterThan(PLANTED / 3);
  expect(done.clean).toEqual(standing ? { decided: 2, waited: 2 } : { decided: 0, waited: 4 });
});
