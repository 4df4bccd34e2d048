import { expect, it } from 'vitest';

import { startPlant } from '../support/runs/tour/plant.ts';
import { tour } from '../support/runs/tour/tour.ts';
import { started } from '../support/world/prepared.ts';

const SEED = 11;
const MAX_CALLS = 24;
/** Ages and ids in the answers vary by up to 50 tokens from run to run. */
const MAX_TOKENS = 6_000;

const plant = started(() => startPlant(SEED));

it('an agent does sixteen tasks of an operator with few calls and tokens, and is told the truth', async () => {
  const tasks = await tour(plant);
  const sum = (count: (task: (typeof tasks)[number]) => number): number =>
    tasks.reduce((total, task) => total + count(task), 0);
  const [calls, tokens] = [sum((task) => task.calls), sum((task) => task.tokens)];
  for (const { name, calls: asked, tokens: read, facts } of tasks)
    console.log(`${name}: ${asked} calls, ${read} tokens, ${facts} facts`);
  console.log(
    `tour: ${tasks.length} tasks, ${calls} calls, ${tokens} tokens (o200k, texts of the answers), ${sum((task) => task.facts)} facts`,
  );
  expect(tasks.flatMap(({ wrong }) => wrong.map((fact) => JSON.stringify(fact)))).toEqual([]);
  expect(tasks).toHaveLength(16);
  expect(calls).toBeLessThanOrEqual(MAX_CALLS);
  expect(tokens).toBeLessThanOrEqual(MAX_TOKENS);
});
