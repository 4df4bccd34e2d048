import { expect, it } from 'vitest';

import { addProvider } from '../support/neighbours/providers.ts';
import { startPlant } from '../support/runs/tour/plant.ts';
import { smallModel, startHeldModel } from '../support/runs/tour/small-model.ts';
import { tour } from '../support/runs/tour/tour.ts';

const SEED = 11;
const MODEL = 'small:8b';
/** 40 % of the prompt of a short turn while every request listed thirty tools (about 5,700 tokens, o200k). */
const MAX_TOKENS = 2_280;

it('a model with ten tools does the tasks of the tour, with at most 40 % of the tokens of before', async () => {
  await using started = new AsyncDisposableStack();
  const held = await startHeldModel();
  const { baseUrl } = held.model;
  started.defer(() => held.model.stop());
  const plant = await startPlant(SEED, {
    allow: [`provider:${new URL(baseUrl).host}`],
    async before(admin) {
      await addProvider(admin, { name: 'local', baseUrl, model: MODEL });
    },
  });
  started.defer(() => plant.stop());
  const agent = smallModel(plant.people.anna, plant.agent, held, MODEL);
  const tasks = await tour(plant, { ...agent, name: 'anna' });
  for (const { task, tokens } of agent.sizes) console.log(`${task}: ${tokens} tokens`);
  console.log(`${tasks.length} tasks, ${agent.searches()} searches`);
  expect(tasks.flatMap(({ wrong }) => wrong.map((fact) => JSON.stringify(fact)))).toEqual([]);
  expect(tasks).toHaveLength(16);
  expect(agent.missing).toEqual([]);
  expect(agent.sizes.filter(({ tokens }) => tokens > MAX_TOKENS)).toEqual([]);
}, 300_000);
