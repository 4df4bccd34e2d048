import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, it } from 'vitest';

import { mutations } from '../../proof/mutations/index.ts';
import { parts } from './parts.ts';

type Row = { section: string; statement: string; file: string; name: string };

const [proved = '', silences = ''] = readFileSync(
  new URL('README.md', import.meta.url),
  'utf8',
).split('\n## Contradictions and silences\n');

const sections = proved
  .split('\n## ')
  .slice(1)
  .map((text) => ({ title: text.split('\n')[0] ?? '', text }));

/** The rows of the tables: statement, file in backticks, test name. */
const rows: Row[] = sections.flatMap(({ title, text }) =>
  [...text.matchAll(/^\| (.+?) +\| `([^`]*)` *\| (.*?) *\|$/gm)].map(
    ([, statement = '', file = '', name = '']) => ({ section: title, statement, file, name }),
  ),
);

/**
 * Titles of the tests of a file, shared suites it takes from `test/support` included: texts handed to
 * `it`, `test` or their `each`, with what to run.
 */
function titlesIn(file: string): string[] {
  if (!existsSync(file)) return [];
  const calls =
    /(describe[^'"`]{0,20}|)(['"`])((?:\\.|(?!\2)[^\\\n])*)\2,\s*(?:async\s*)?(?:\(|\w+\s*=>)/g;
  const own = readFileSync(file, 'utf8');
  const shared = [...own.matchAll(/from '((?:\.\.\/)+support\/[\w-]+\.ts)'/g)].map(
    ([, path = '']) => readFileSync(join(dirname(file), path), 'utf8'),
  );
  return [own, ...shared]
    .flatMap((source) => [...source.matchAll(calls)])
    .filter(([, before]) => before === '')
    .map(([, , , title = '']) => title.replaceAll(/\\(['"`])/g, '$1'));
}

const lines = proved
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| *(Statement|-+) *\|/.test(line));

it('has a test and a name in every row of the tables, and says nothing twice', () => {
  expect(rows.length).toBeGreaterThanOrEqual(300);
  expect(rows.length).toBe(lines.length);
  const statements = rows.map(({ section, statement }) => `${section}: ${statement}`);
  expect(statements).toEqual([...new Set(statements)]);
});

it.each(Object.entries(parts))('leaves nothing out of "%s"', (title, firsts) => {
  const own = rows.filter(({ section }) => section === title);
  const missing = firsts.filter(
    (first) =>
      !own.some(({ statement }) => new RegExp(`^${literal(first)}(?![\\w-])`).test(statement)),
  );
  expect(missing).toEqual([]);
});

const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

it('has no part that SPEC.md has not', () => {
  expect(sections.map(({ title }) => title)).toEqual(Object.keys(parts));
});

it.each(rows)('$section, $statement', ({ file, name }) => {
  expect(titlesIn(file)).toContain(name);
});

it('says of each contradiction and silence what was chosen', () => {
  const answers = silences.split('\n').filter((line) => /^\| [^-S]/.test(line));
  expect(answers.length).toBeGreaterThanOrEqual(30);
  for (const line of answers) expect(line).toMatch(/^\| [^|]{4,} \| [^|]{4,} \|$/);
});

/** `npm run prove -- spec` needs each place to be there once, and each test to exist. */
it.each(mutations)('$file can still be broken: $search', ({ file, search, test: [own, name] }) => {
  expect(readFileSync(file, 'utf8').split(search)).toHaveLength(2);
  expect(titlesIn(`test/${own}.test.ts`).filter((title) => title.includes(name))).not.toEqual([]);
});

it('sixty places at least can be broken', () => {
  expect(mutations.length).toBeGreaterThanOrEqual(60);
});
