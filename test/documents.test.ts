import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { changedBy, recipesOf } from './support/cases/recipe.ts';

const README_BYTES = 8 * 1024;

const documents = globSync('**/*.md', { exclude: ['**/node_modules/**', 'data/**'] }).toSorted();
const read = (file: string): string => readFileSync(file, 'utf8');
/** Without code, where brackets mean other things. */
const prose = (file: string): string =>
  read(file)
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/(`+)[^\n]*?\1/g, (code) => code.replaceAll(/[[\]()]/g, ''));

/** As GitHub makes the anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (file: string): string[] =>
  [...prose(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

/** Relative links of a document that lead nowhere. */
function deadLinks(file: string): string[] {
  const links = [...prose(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return links
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#', 2);
      const to = path === '' ? file : join(dirname(file), path);
      if (!existsSync(to)) return true;
      return anchor !== undefined && !anchorsOf(to).includes(anchor);
    });
}

describe('the documents', () => {
  it('begin with a README of at most 8 KB', () => {
    expect(statSync('README.md').size).toBeLessThanOrEqual(README_BYTES);
  });

  it('link only to what is there', () => {
    const dead = documents.flatMap((file) => deadLinks(file).map((link) => `${file}: ${link}`));
    expect(dead).toEqual([]);
  });

  it.each(recipesOf(read('docs/recipes.md')))('$title finds each place it names', ({ steps }) => {
    expect(changedBy(steps, '.').size).toBeGreaterThan(2);
  });
});
