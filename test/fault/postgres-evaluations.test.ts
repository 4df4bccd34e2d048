import { expect, it } from 'vitest';

import { runEvaluations } from '../support/runs/rules/evaluations.ts';
import { startWorld } from '../support/world/app.ts';
import { freshDatabase } from '../support/world/database.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { ShiftedClock } from '../support/world/shifted-clock.ts';

const database = prepared(() => freshDatabase());
const clock = new ShiftedClock();
const first = started(() => startWorld({ database, clock }));
const second = started(() => startWorld({ database, clock }));

it('two data centers that evaluate a fingerprint 64 times at once have one state, exact counts and one alarm', async () => {
  const { found, expected } = await runEvaluations([first, second], 5);
  expect(found).toEqual(expected);
});
