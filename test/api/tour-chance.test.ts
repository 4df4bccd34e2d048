import { randomInt } from 'node:crypto';

import { expect, it } from 'vitest';

import { harderTasks } from '../support/runs/tour/chance-harder.ts';
import { startChancePlant } from '../support/runs/tour/chance-plant.ts';
import { operatorTasks } from '../support/runs/tour/chance-tasks.ts';
import { chanceTour } from '../support/runs/tour/chance-tour.ts';
import { started } from '../support/world/prepared.ts';

/** Another one at each run; `TOUR_SEED` makes the same one again. */
const seed = Number(process.env['TOUR_SEED'] ?? randomInt(1_000_000));
const plant = started(() => startChancePlant(seed));

it.each([
  { of: 'sixteen tasks', tasks: operatorTasks, count: 16, maxCalls: 24, maxTokens: 6_000 },
  { of: 'eleven harder tasks', tasks: harderTasks, count: 11, maxCalls: 45, maxTokens: 14_000 },
])('of a plant by chance: $of', async ({ of, tasks, count, maxCalls, maxTokens }) => {
  const tour = await chanceTour(plant, tasks);
  for (const { name, calls, tokens } of tour.done)
    console.log(`${name}: ${calls} calls, ${tokens} tokens`);
  const { calls, tokens, facts, times } = tour;
  console.log(
    `seed ${seed}, ${plant.chance.zone}: ${of}, ${calls} calls, ${tokens} tokens, ${facts} facts, ${times} times`,
  );
  expect(tour.wrong, `seed ${seed}`).toEqual([]);
  expect(tour.foreign, `seed ${seed}`).toEqual([]);
  expect(times).toBeGreaterThan(0);
  expect(tour.done).toHaveLength(count);
  expect(calls).toBeLessThanOrEqual(maxCalls);
  expect(tokens).toBeLessThanOrEqual(maxTokens);
});
