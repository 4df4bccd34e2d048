import { globSync, readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

const OWN = 'test/citations.test.ts';

const files = globSync([
  '{src,tools,providers,driver,test,docs}/**/*.{ts,md}',
  'sql/*.sql',
  '*.{md,yaml}',
  'Dockerfile',
  '.env.example',
])
  .filter((file) => file !== OWN)
  .toSorted();
const documents = files.filter((file) => file.endsWith('.md'));
const read = (file: string): string => readFileSync(file, 'utf8');

/** The text of a file with each comment on one line, so that a citation is found where it is broken. */
const joined = (file: string): string =>
  read(file).replaceAll(/[ \t]*\n[ \t]*(?:\*(?!\/)|--|\/\/)?[ \t]*(?=\S)/g, ' ');

/** Every file a citation may lead to. */
const all = globSync('{src,tools,providers,driver,sql,test,docs,.ci}/**').concat(
  globSync(['*', '.env.example']),
);

/** Where a file names others: code in a document, comments elsewhere. */
const namingOf = (file: string): string[] =>
  file.endsWith('.md')
    ? // A recipe makes files.
      [
        ...read(file)
          .replaceAll(/^New file .*$/gm, '')
          .matchAll(/`([^`\n]+)`/g),
      ].map(([, code = '']) => code)
    : read(file)
        .split('\n')
        .filter((line) => /^\s*(?:\/?\*|\/\/|--)/.test(line));

/** What a document can be cited by: its headings, the words in bold of its lists, first cells of its tables. */
type Targets = { names: readonly string[]; numbers: ReadonlyMap<string, readonly string[]> };

function targetsOf(file: string): Targets {
  const names: string[] = [];
  const numbers = new Map<string, string[]>();
  let heading = '';
  for (const line of read(file).split('\n')) {
    heading = /^#+ (.+)$/.exec(line)?.[1] ?? heading;
    const [, number] = /^ *(?:- )?(\d+(?:\.\d+)?)[.:] /.exec(line) ?? [];
    if (number !== undefined) numbers.set(heading, [...(numbers.get(heading) ?? []), number]);
    const [, bold] = /^(?:\d+\.|-) \*\*(.+?)\*\*/.exec(line) ?? [];
    const [, cell] = /^\| `?([^|`]+?)`? +\|/.exec(line) ?? [];
    names.push(...[heading, bold, cell].filter((name) => name !== undefined));
  }
  return { names, numbers };
}

const known = new Map(documents.map((file) => [file, targetsOf(file)]));

type Citation = { from: string; file: string; rest: string };

const citations: readonly Citation[] = files.flatMap((from) =>
  [...joined(from).matchAll(/\b(docs\/[\w/-]+\.md)\b(.{0,80})/g)].map(
    ([, file = '', rest = '']) => ({ from, file, rest }),
  ),
);

/** Why a citation leads nowhere; null where it leads to something. */
function wrong({ file, rest }: Citation): string | null {
  const targets = known.get(file);
  if (!targets) return `${file} does not exist`;
  const [, alone] = /^ (\d+(?:\.\d+)?(?:–\d+)?)(?![\w.]*\w)/.exec(rest) ?? [];
  if (alone !== undefined) {
    const own = [...targets.numbers.values()].filter((numbers) => hasAll(numbers, alone));
    return own.length === 1 ? null : `${file} has ${own.length} rules ${alone}`;
  }
  // A small letter after the comma goes on with the sentence, unless it is the name of a table or exchange.
  const [, named] = /^, ((?:[A-Z]|svc[_.]|\d+ ).*)$/.exec(rest) ?? [];
  if (named === undefined) return null;
  const name = longest(targets.names.filter((each) => startsWith(named, each)));
  if (name === undefined) return `${file} has no "${named.slice(0, 40)}"`;
  const [, number] = /^ (\d+(?:–\d+)?)\b/.exec(named.slice(name.length)) ?? [];
  if (number === undefined || hasAll(targets.numbers.get(name) ?? [], number)) return null;
  return `${file}, ${name} has no rule ${number}`;
}

/** `2–4` is the first and the last of some. */
const hasAll = (numbers: readonly string[], asked: string): boolean =>
  asked.split('–').every((number) => numbers.includes(number));
const startsWith = (text: string, name: string): boolean =>
  text.startsWith(name) && !/^\w/.test(text.slice(name.length));
const longest = (names: readonly string[]): string | undefined =>
  names.toSorted((one, other) => other.length - one.length)[0];

describe('a citation', () => {
  it('leads to a file, heading and rule that exist', () => {
    const lost = citations
      .map((citation) => ({ from: citation.from, why: wrong(citation) }))
      .filter(({ why }) => why !== null);
    expect(lost).toEqual([]);
    expect(citations.length).toBeGreaterThan(200);
  });

  it.each([
    ['docs/specification/login.md', ' 4.5)', null],
    ['docs/specification/login.md', ' 2–7)', null],
    ['docs/specification/login.md', ' 19)', 'rules 19'],
    ['docs/specification/login.md', ' 4.6)', 'rules 4.6'],
    ['docs/specification/service.md', ', Rules of the service 6)', null],
    ['docs/specification/service.md', ', Rules of the service 7)', 'no rule 7'],
    ['docs/specification/service.md', ' 3)', '2 rules 3'],
    ['docs/specification/limits.md', ', Command.', null],
    ['docs/specification/limits.md', ', Commands.', 'no "Commands'],
    ['docs/specification/limit.md', '', 'does not exist'],
  ])('%s%s is judged: %s', (file, rest, why) => {
    const found = wrong({ from: OWN, file, rest });
    if (why === null) expect(found).toBeNull();
    else expect(found).toContain(why);
  });

  it.each([
    ['a document that is not here', /\b(?:SPEC|DESIGN|STYLE)\.md\b/],
    ['a folder that is not here', /(?<![\w./-])(?:reference|notes|findings|shared)\/[\w-]+\.md\b/],
    [
      'a section of such a document',
      /\bSettled questions\b|\(notes: |\b(?:pattern|the reference's) P\d\b/,
    ],
    ['a class of another platform', /\bBaseVO\b/],
  ])('names never %s', (_what, pattern) => {
    expect(files.filter((file) => pattern.test(joined(file)))).toEqual([]);
  });
});

describe('a file named', () => {
  it.each(['tools', 'providers', 'driver'])(
    'by %s/README.md exists from there or the root',
    (at) => {
      const named = readFileSync(`${at}/README.md`, 'utf8').matchAll(/`([\w./-]+\.ts)`/g);
      const found = [...named].map(([, path = '']) => path);
      expect(found.length).toBeGreaterThan(2);
      expect(found.filter((path) => !all.includes(`${at}/${path}`) && !all.includes(path))).toEqual(
        [],
      );
    },
  );

  /** By the end of its path, as comments and documents name files beside them. */
  const exists = (named: string): boolean =>
    all.some((path) => path === named || path.endsWith(`/${named}`));
  const NAMED = /(?<![\w./*-])(\w[\w./-]*\.(?:ts|md|sql|json|yaml))\b(?![\w*-])/g;
  const lost = (text: string): string[] =>
    [...text.matchAll(NAMED)].map(([, path = '']) => path).filter((path) => !exists(path));

  it.each(['md', 'ts', 'sql'])('by the documents and comments of *.%s exists', (type) => {
    const found = files
      // What a proof wrote down is of its own commit.
      .filter((file) => file.endsWith(`.${type}`) && !file.startsWith('test/proof/'))
      .flatMap((file) =>
        namingOf(file)
          .flatMap(lost)
          .map((path) => `${file}: ${path}`),
      );
    expect(found).toEqual([]);
  });
});
