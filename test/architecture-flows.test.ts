import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

const text = readFileSync('docs/architecture.md', 'utf8');
const sectionOf = (title: string): string =>
  text.split(/^## /m).find((section) => section.startsWith(title)) ?? '';

type Hop = { number: string; by: string; file: string; name: string; what: string };

const hopsOf = (title: string): Hop[] =>
  [...sectionOf(title).matchAll(/^\| (\d+) \| ([^|]+) \| `([^`]+)` `([^`]+)` \| (.+) \|$/gm)].map(
    ([, number = '', by = '', file = '', name = '', what = '']) => ({
      number,
      by,
      file,
      name,
      what,
    }),
  );

/**
 * The text of the function of this name, else of the first property: from its head to the line in front of
 * the next thing that is as far to the left. Empty where there is none.
 */
function bodyOf(file: string, name: string): string {
  const lines = readFileSync(file, 'utf8').split('\n');
  const heads = [
    `^ *(export )?((async )?function\\*? ${name}\\b|const ${name}\\b)`,
    `^ *(readonly |async |\\*)*#${name}\\b`,
    `^ *((async )?${name}\\(.*\\{$|${name}: (async )?\\()`,
  ].map((head) => new RegExp(head));
  const [start = -1] = heads
    .map((head) => lines.findIndex((line) => head.test(line)))
    .filter((at) => at >= 0);
  if (start < 0) return '';
  const indent = lines[start]?.search(/\S/) ?? 0;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => {
    const at = line.search(/\S/);
    return at >= 0 && at <= indent && !/^[)}\]]/.test(line.slice(at));
  });
  return rest.slice(0, end < 0 ? undefined : end).join('\n');
}

/** Whether `name(…)` is in the text. */
const calls = (body: string, name: string, before = '\\b'): boolean =>
  new RegExp(`${before}${name}(<[^>()]*>)?\\(`).test(body);

/** The file that a name comes from, at the start or on its first use; null for a file's own. */
function importedFrom(file: string, name: string): string | null {
  const source = readFileSync(file, 'utf8');
  const isAwaited = new RegExp(`\\{[^}]*\\b${name}\\b[^}]*\\} = await \\w+\\(\\)`).test(source);
  const later = /onFirstUse\(\(\) => import\('(\.[^']+)'\)\)/.exec(source)?.[1];
  if (isAwaited && later) return join(dirname(file), later);
  const imports = source.matchAll(/^import ([^;]+?) from '(\.[^']+)';/gm);
  for (const [, names = '', path = ''] of imports)
    if (new RegExp(`\\b${name}\\b`).test(names)) return join(dirname(file), path);
  return null;
}

/** Why a row does not lead to another; null where it does. */
function broken(from: Hop, to: Hop, link: string): string | null {
  const body = bodyOf(from.file, from.name);
  const [, topic] = /· `(svc\.e\.\w+)`/.exec(link) ?? [];
  if (topic !== undefined) {
    const publishes =
      calls(body, 'publish') && readFileSync(from.file, 'utf8').includes(`'${topic}'`);
    if (!publishes) return `${from.name} does not publish ${topic}`;
    const subscribes = new RegExp(`subscribe\\(\\s*'${topic.replaceAll('.', '\\.')}'`);
    return subscribes.test(bodyOf(to.file, to.name))
      ? null
      : `${to.name} does not subscribe to ${topic}`;
  }
  const [, alias] = /as `(\w+)`/.exec(link) ?? [];
  if (alias !== undefined) return calls(body, alias) ? null : `${from.name} calls no ${alias}`;
  const isOwn = from.file === to.file || importedFrom(from.file, to.name) === to.file;
  if (isOwn && calls(body, to.name)) return null;
  // Of an object that was handed over: `driver.read(…)`.
  return calls(body, to.name, '\\.') ? null : `${from.name} does not call ${to.name}`;
}

describe.each([
  ['Flow 1', 25],
  ['Flow 2', 40],
])('docs/architecture.md, %s', (title, atLeast) => {
  const hops = hopsOf(title);
  const byNumber = new Map(hops.map((hop) => [hop.number, hop]));

  it('numbers its rows without a gap', () => {
    expect(hops.length).toBeGreaterThanOrEqual(atLeast);
    expect(hops.map(({ number }) => number)).toEqual(hops.map((_, at) => `${at + 1}`));
    expect(sectionOf(title).match(/^\| \d/gm)).toHaveLength(hops.length);
  });

  it.each(hops)('$number: $name is in $file', ({ file, name }) => {
    expect(bodyOf(file, name)).not.toBe('');
  });

  it.each(hops)('$number: $name is reached by $by', (hop) => {
    const [numbers] = /^\d+(, \d+)*/.exec(hop.by) ?? [];
    // A person, an agent or the clock begins.
    if (numbers === undefined) return expect(hop.by).toMatch(/^(a person|an agent|the schedule)/);
    for (const number of numbers.split(', ')) {
      const from = byNumber.get(number);
      expect(Number(number)).toBeLessThan(Number(hop.number));
      expect(from && broken(from, hop, hop.by)).toBeNull();
    }
    return undefined;
  });

  it.each(hops)('$number: $name opens a transaction where it says so', ({ file, name, what }) => {
    const opens = /\b(inTenant|inOneTrip|acrossTenants)\(/.test(bodyOf(file, name));
    expect(opens).toBe(what.startsWith('**Tx**'));
  });
});

describe('docs/architecture.md, Folders', () => {
  const named = [...sectionOf('Folders').matchAll(/`([\w./-]+\/)`/g)].map(([, path = '']) => path);

  it('name every folder', () => {
    const folders = globSync('{src,tools,providers,driver,sql}/**/', {
      exclude: ['**/node_modules'],
    }).map((folder) => `${folder.replace(/\/$/, '')}/`);
    expect(folders.length).toBeGreaterThan(100);
    expect(folders.filter((folder) => !named.includes(folder))).toEqual([]);
  });
});
