import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { recipesOf } from '../support/cases/recipe.ts';

/** The files that a flow of `docs/architecture.md` names. */
export function filesOfFlow(root: string, title: string): string[] {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith(title)) ?? '';
  const named = section.matchAll(/`((?:src|tools|providers|driver)\/[^`]+\.tsx?)`/g);
  return [...new Set([...named].map(([, file = '']) => file))];
}

/**
 * The files that a recipe of `docs/recipes.md` changes: those its steps name, what its commands write, and the snapshot
 * of each other tool that gets a new description. Null where there is no such recipe.
 */
export function filesOfRecipe(root: string, title: RegExp): string[] | null {
  const recipes = recipesOf(readFileSync(join(root, 'docs/recipes.md'), 'utf8'));
  const steps = recipes.find((recipe) => title.test(recipe.title))?.steps;
  if (!steps) return null;
  const files = steps.flatMap((step, at) => {
    if (step.kind === 'run') return writtenBy(step.script);
    const ofTest = [...step.text.matchAll(/expectAsReviewed\('(\w+)'\)/g)].map(
      ([, tool]) => `test/tools/__snapshots__/${tool}.json`,
    );
    const isOtherTool =
      step.kind === 'instead of' && /^tools\/(?!(index|list)\.ts)/.test(step.file);
    return [step.file, ...ofTest, ...(isOtherTool ? [`the snapshot of edit ${at}`] : [])];
  });
  return [...new Set(files)];
}

/** The files that the commands of a recipe write. */
export function writtenBy(script: string): string[] {
  return [
    ...(/ -u\b/.test(script) && script.includes('test/catalog.test.ts')
      ? ['test/tools/tools-list.txt']
      : []),
    ...(script.includes('UPDATE_TRIPS=1') ? ['test/api/trips/trips.txt'] : []),
    ...(script.includes('UPDATE_SCHEMA=1') ? ['sql/schema.sql'] : []),
  ];
}

/** Without a recipe: of one page, its file and its words, and the lists of pages and words and the document that name it. */
export function filesOfPage(root: string, page = 'approvals'): string[] {
  const app = 'src/console/app';
  const lists = globSync(`${app}/{*,page/*,word/shell}.{ts,tsx}`, { cwd: root });
  const own = globSync(`${app}/{page/*,word}/${page}.{ts,tsx}`, { cwd: root });
  return [...lists, ...own, 'docs/architecture.md'].filter(
    (file) =>
      basename(file).startsWith(page) ||
      new RegExp(`\\b${page}\\b`, 'i').test(readFileSync(join(root, file), 'utf8')),
  );
}
