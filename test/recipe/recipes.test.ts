import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { filesOfRecipe, writtenBy } from '../measure/touched.ts';
import { changedBy, copyTree, recipesOf, runIn, write } from '../support/cases/recipe.ts';

const LIMIT_MS = 600_000;
const recipes = recipesOf(readFileSync('docs/recipes.md', 'utf8'));

it('there is a recipe for what is added most often', () => {
  expect(recipes.map(({ title }) => title)).toEqual([
    'A tool',
    'An endpoint',
    'A column',
    'A driver',
    'A channel',
    'A model provider',
    'A page of the console',
  ]);
});

it.each([/^A tool$/, /^An endpoint$/, /^A page of the console$/])(
  '%s touches at most four files',
  (title) => {
    expect(filesOfRecipe('.', title)?.length).toBeLessThanOrEqual(4);
  },
);

/** A command that only looks: those of all recipes run as one, at the end. */
const CHECK = /^npm test -- ((?:test\/\S+ ?)+)$/;
const commandsOf = ({ steps }: (typeof recipes)[number]): string[] =>
  steps.flatMap((step) => (step.kind === 'run' ? step.script.trim().split('\n') : []));
const commands = [...new Set(recipes.flatMap(commandsOf))];
const toCheck = new Set(commands.flatMap((command) => CHECK.exec(command)?.[1]?.split(' ') ?? []));

describe('docs/recipes.md, applied to a copy of the tree one after the other', () => {
  let tree: string;
  const changed = new Set<string>();

  beforeAll(async () => {
    tree = await mkdtemp(join(tmpdir(), 'svc-recipe-'));
    await copyTree(tree);
  });
  afterAll(() => rm(tree, { recursive: true, force: true }));

  it.each(recipes)('$title: each place is where it says', async (recipe) => {
    const files = changedBy(recipe.steps, tree);
    await write(tree, files);
    for (const file of files.keys()) changed.add(file);
    expect(commandsOf(recipe).length).toBeGreaterThan(0);
  });

  it(
    'types, format and lint are right',
    async () => {
      await runIn(tree, 'npx tsc');
      const formatted = [...changed].filter((file) => /\.tsx?$/.test(file));
      await runIn(tree, `npx oxfmt --check ${formatted.join(' ')}`);
      await runIn(tree, `npx oxlint --deny-warnings ${formatted.join(' ')}`);
    },
    LIMIT_MS,
  );

  // A command of several recipes runs once: it finds the work of all.
  it.each(commands.filter((command) => !CHECK.test(command)))(
    '%s: writes what it should',
    async (command) => {
      const written = writtenBy(command).map((file) => join(tree, file));
      const before = written.map((file) => readFileSync(file, 'utf8'));
      await runIn(tree, command);
      for (const [i, file] of written.entries())
        expect(readFileSync(file, 'utf8'), file).not.toBe(before[i]);
    },
    LIMIT_MS,
  );

  it(
    'the tests that they name pass',
    async () => {
      expect(toCheck.size).toBeGreaterThan(10);
      await runIn(tree, `npm test -- ${[...toCheck].join(' ')}`);
    },
    LIMIT_MS,
  );
});
