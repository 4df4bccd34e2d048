import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

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

it.each([/^A tool$/, /^An endpoint$/])('%s touches at most four files', (title) => {
  expect(filesOfRecipe('.', title)?.length).toBeLessThanOrEqual(4);
});

describe('docs/recipes.md', () => {
  it.each(recipes)(
    '$title: applied to a copy of the tree, its commands pass',
    async ({ steps }) => {
      const tree = await mkdtemp(join(tmpdir(), 'svc-recipe-'));
      onTestFinished(() => rm(tree, { recursive: true, force: true }));
      await copyTree(tree);
      const changed = changedBy(steps, tree);
      await write(tree, changed);
      await runIn(tree, 'npx tsc');
      const formatted = [...changed.keys()].filter((file) => file.endsWith('.ts'));
      await runIn(tree, `npx oxfmt --check ${formatted.join(' ')}`);
      const commands = steps.filter((step) => step.kind === 'run');
      expect(commands.length).toBeGreaterThan(0);
      for (const { script } of commands) {
        await runIn(tree, script);
        for (const file of writtenBy(script))
          expect(readFileSync(join(tree, file), 'utf8'), file).not.toBe(readFileSync(file, 'utf8'));
      }
    },
    LIMIT_MS,
  );
});
