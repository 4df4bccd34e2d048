import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, it } from 'vitest';

import { mutations } from '../../proof/mutations/index.ts';

type Row = { statement: string; file: string; name: string };

/** The rows of the table: statement, file in backticks, test name. */
const rows: Row[] = [
  ...readFileSync(new URL('README.md', import.meta.url), 'utf8').matchAll(
    /^\| (.+?) +\| `([^`]*)` *\| (.*?) *\|$/gm,
  ),
].map(([, statement = '', file = '', name = '']) => ({ statement, file, name }));

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

const lines = readFileSync(new URL('README.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| *(Statement|-+) *\|/.test(line));

it('has a test and a name in every row of the table', () => {
  expect(rows.length).toBeGreaterThanOrEqual(100);
  expect(rows.length).toBe(lines.length);
  const statements = rows.map(({ statement }) => statement);
  expect(statements).toEqual([...new Set(statements)]);
});

it.each(rows)('$statement', ({ file, name }) => {
  expect(titlesIn(file)).toContain(name);
});

/** `npm run prove -- spec` needs each place to be there once, and each test to exist. */
it.each(mutations)('$file can still be broken: $search', ({ file, search, test: [own, name] }) => {
  expect(readFileSync(file, 'utf8').split(search)).toHaveLength(2);
  expect(titlesIn(`test/${own}.test.ts`).filter((title) => title.includes(name))).not.toEqual([]);
});

it('thirty places at least can be broken', () => {
  expect(mutations.length).toBeGreaterThanOrEqual(30);
});
