import { randomInt } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { harderTasks } from '../support/runs/tour/chance-harder.ts';
import { startChancePlant } from '../support/runs/tour/chance-plant.ts';
import { operatorTasks } from '../support/runs/tour/chance-tasks.ts';
import { chanceTour } from '../support/runs/tour/chance-tour.ts';
import type { Seed } from '../support/runs/tour/chance.ts';
import { started } from '../support/world/prepared.ts';

/** Plant A, seeds that failed once, and another one at each run; `TOUR_SEED` makes one again. */
const KEPT: readonly Seed[] = ['A'];
const again = process.env['TOUR_SEED'];
const seeds: readonly Seed[] =
  again === undefined ? [...KEPT, randomInt(1_000_000)] : [again === 'A' ? again : Number(again)];

describe.each(seeds)('of the plant %s', (seed) => {
  const plant = started(() => startChancePlant(seed));

  it.each([
    { of: 'sixteen tasks', tasks: operatorTasks, count: 16, maxCalls: 24, maxTokens: 6_000 },
    { of: 'eleven harder tasks', tasks: harderTasks, count: 11, maxCalls: 45, maxTokens: 14_000 },
  ])('$of', async ({ of, tasks, count, maxCalls, maxTokens }) => {
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
});
