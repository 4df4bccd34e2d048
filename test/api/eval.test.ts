import { expect, it } from 'vitest';

import { openSuite, tasks } from '../support/runs/eval/suite.ts';
import { started } from '../support/world/prepared.ts';

const suite = started(() => openSuite());

/** The first task of each kind. */
const sample = [...Map.groupBy(tasks, ({ kind }) => kind).values()].map(([first]) => first);

it('has 150 tasks and more, of twenty kinds and more, each with a name of its own', () => {
  expect(tasks.length).toBeGreaterThanOrEqual(150);
  expect(sample.length).toBeGreaterThanOrEqual(20);
  expect(new Set(tasks.map(({ kind, name }) => `${kind}: ${name}`)).size).toBe(tasks.length);
});

it('ends the first task of each kind rightly, with the same bytes in both dialects', async () => {
  const wrong: string[] = [];
  for (const [at, task] of sample.entries()) {
    if (!task) continue;
    const result = await suite.play(task, at % 2 === 0);
    wrong.push(...result.wrong.map((why) => `${task.kind}, ${task.name}: ${why}`));
  }
  expect(wrong).toEqual([]);
});
