import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, it } from 'vitest';

import { mutations } from '../../proof/mutations/index.ts';
import { chapters, rowsOf } from './chapters.ts';

/** Raised when there are more; lowered only with a promise that is taken back. */
const FEWEST = 1277;

const sections = chapters.flatMap(({ file, sections: own }) =>
  own.map((section) => ({ part: `${file}, ${section.title}`, ...section })),
);
const statements = sections.flatMap(({ part, statements: own }) =>
  own.map((statement) => ({ part, ...statement })),
);

/**
 * Titles of the tests of a file, shared suites it takes from `test/support` included: texts handed to
 * `it`, `test` or their `each`, with what to run.
 */
function titlesIn(file: string): string[] {
  if (!existsSync(file)) return [];
  const calls =
    /(describe[^'"`]{0,20}|)(['"`])((?:\\.|(?!\2)[^\\\n])*)\2,\s*(?:[A-Z_]+,\s*)?(?:async\s*)?(?:\(|\w+\s*=>)/g;
  const own = readFileSync(file, 'utf8');
  const shared = [...own.matchAll(/from '((?:\.\.\/)+support\/[\w/-]+\.ts)'/g)].map(
    ([, path = '']) => readFileSync(join(dirname(file), path), 'utf8'),
  );
  return [own, ...shared]
    .flatMap((source) => [...source.matchAll(calls)])
    .filter(([, before]) => before === '')
    .map(([, , , title = '']) => title.replaceAll(/\\(['"`])/g, '$1'));
}

it('has a test for every item of its lists, and says nothing twice', () => {
  expect(sections.flatMap(({ unproved }) => unproved)).toEqual([]);
  // The chapters are the only list of what is promised: one that goes shows here.
  expect(statements.length).toBeGreaterThanOrEqual(FEWEST);
  const said = statements.map(({ part, key, text }) => `${part}, ${key}: ${text}`);
  expect(said).toEqual([...new Set(said)]);
});

it.each(statements)('$part, $key: $text', ({ file, name }) => {
  expect(titlesIn(file)).toContain(name);
});

it.each(chapters)('$file opens with two to six sentences of prose', ({ title, opening }) => {
  expect(title).not.toBe('');
  expect(opening).not.toMatch(/^[|\-\d]/);
  const sentences = opening.match(/[.!?](?= |$)/gm) ?? [];
  expect(sentences.length).toBeGreaterThanOrEqual(2);
  expect(sentences.length).toBeLessThanOrEqual(6);
});

it('has every chapter in its table of contents', () => {
  const contents = readFileSync('docs/specification/README.md', 'utf8');
  const listed = [...contents.matchAll(/^\| \[([\w-]+\.md)\]\(\1\)/gm)].map(([, file]) => file);
  expect(new Set(listed)).toEqual(new Set(chapters.map(({ file }) => file)));
  expect(listed).toHaveLength(chapters.length);
});

it('says of each contradiction and silence what was chosen', () => {
  const rows = sections
    .filter(({ part }) => part === 'settled.md, Contradictions and silences')
    .flatMap(rowsOf);
  expect(rows.length).toBeGreaterThanOrEqual(50);
  for (const [question = '', answer = '', ...rest] of rows) {
    expect(question).toMatch(/\?$/);
    expect(answer).not.toBe('');
    expect(rest).toEqual([]);
  }
});

/** `npm run prove -- spec` needs each place to be there once, and each test to exist. */
it.each(mutations)('$file can still be broken: $search', ({ file, search, test: [own, name] }) => {
  expect(readFileSync(file, 'utf8').split(search)).toHaveLength(2);
  expect(titlesIn(`test/${own}.test.ts`).filter((title) => title.includes(name))).not.toEqual([]);
});

it('sixty places at least can be broken', () => {
  expect(mutations.length).toBeGreaterThanOrEqual(60);
});
