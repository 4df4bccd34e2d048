import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { site } from '../../src/console/site.ts';

/** Of the first page, and of all with what is loaded when it is needed. */
const MAX_FIRST = 110 * 1_024;
const MAX_GZIPPED = 250 * 1_024;
const APP = 'src/console/app';
const read = (file: string): string => readFileSync(file, 'utf8');
const screens = globSync('src/console/{app,card,chart,view}/**/*.tsx');

/** What vendors call themselves and their servers. */
const OF_VENDORS = /^\.[a-z]+\.(name|server)$/;

const Title = z.looseObject({ title: z.unknown().optional() });

/** What a file of the catalogue exports. */
const Parts = z.array(z.custom<{ both: { en: unknown; zh: unknown } }>());

describe('the console', () => {
  it('is at most 250 KB when it is compressed, of which the first page takes 110 KB', async () => {
    const { files, script, style, needed } = await site();
    const sizeOf = (names: readonly string[]): number =>
      names.reduce((sum, name) => sum + (files.get(name)?.gzip.length ?? Number.NaN), 0);
    expect(sizeOf([...files.keys()])).toBeLessThanOrEqual(MAX_GZIPPED);
    expect(sizeOf([script, style, ...needed])).toBeLessThanOrEqual(MAX_FIRST);
  });

  it('makes no markup of a text, evaluates nothing and keeps no credential', () => {
    const all = globSync('src/console/{app,card,chart,sentence,view}/**/*.{ts,tsx}').filter(
      (file) => !file.endsWith('operations.ts'),
    );
    for (const file of all)
      expect(read(file), file).not.toMatch(
        /[iI]nnerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|sessionStorage|indexedDB|document\.cookie|https?:\/\//,
      );
  });
});

describe('its catalogue of words', async () => {
  const files = globSync([
    `${APP}/word/**/!(words).ts`,
    'src/console/card/card-words.ts',
    'src/console/view/words.ts',
  ]);
  const parts = await Promise.all(
    files.map(
      async (file) =>
        [
          file,
          Parts.parse(Object.values(await import(pathToFileURL(resolve(file)).href))),
        ] as const,
    ),
  );

  /** Every text by its name; of a function, what it makes of two numbers. */
  function textsOf(given: unknown, at = ''): [name: string, text: string][] {
    if (typeof given === 'string') return [[at, given]];
    if (typeof given === 'function') return [[at, String(given(7, 12))]];
    if (typeof given !== 'object' || given === null) throw new Error(`${at} is no text`);
    return Object.entries(given).flatMap(([name, each]) => textsOf(each, `${at}.${name}`));
  }

  it.each(parts)('%s has each text in both languages', (_file, exported) => {
    for (const { both } of exported) {
      const [en, zh] = [textsOf(both.en), textsOf(both.zh)];
      expect(zh.map(([name]) => name)).toEqual(en.map(([name]) => name));
      for (const [name, text] of [...en, ...zh]) expect(text.trim(), name).not.toBe('');
      for (const [name, text] of en) expect(text, name).not.toMatch(/\p{Script=Han}/u);
      // What is the same in both is a name or a sign.
      const same = new Set(zh.map(([, text]) => text));
      for (const [name, text] of en)
        if (!OF_VENDORS.test(name) && same.has(text) && /[a-z]{3}/i.test(text))
          expect.soft([name, text]).toEqual('not English');
    }
  });

  it('has no title of a page, which its row has', async () => {
    const { pages } = await import('../../src/console/app/part/pages.ts');
    const titles = pages.map(({ title }) => title?.en).filter((title) => title !== undefined);
    for (const [file, exported] of parts)
      for (const { both } of exported)
        expect.soft(titles, file).not.toContain(Title.parse(both.en).title);
  });

  it('has every text that a screen shows', () => {
    const literal =
      /(?<!<kbd)>\s*[^<>{}()=;]*\p{L}{2,}[^<>{}()=;]*\s*<\/|\b(?:aria-label|label|title|placeholder|hint|alt)="[^"]*\p{L}/u;
    for (const file of screens) expect(literal.exec(read(file))?.[0] ?? null, file).toBeNull();
  });
});

it('docs/console.md has a row for every page that is more than a word of the palette', async () => {
  const { pages } = await import('../../src/console/app/part/pages.ts');
  const document = read('docs/console.md');
  const shown = pages.filter(({ group }) => group !== 'palette');
  const addresses = shown.map(({ pattern }) => `/console${pattern === '/' ? '' : pattern}`);
  const named = addresses.filter((address) => !address.includes(':'));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((address) => !document.includes(`\`${address}\``))).toEqual([]);
});

describe('its styles', () => {
  it('keep to the scales of type, space and colour', async () => {
    const { style, files } = await site();
    const css = files.get(style)?.plain.toString() ?? '';
    const valuesOf = (property: RegExp): string[] =>
      [...css.matchAll(property)].flatMap(([, value = '']) => value.split(/[\s/]+/));
    const sizes = valuesOf(/font-size:([^;}]+)/g);
    expect(new Set(sizes)).toEqual(
      new Set(['12px', '14px', '16px', '20px', '28px'].filter((size) => sizes.includes(size))),
    );
    const spaces = valuesOf(
      /(?:^|[;{])(?:gap|row-gap|column-gap|padding(?:-\w+)*|margin(?:-\w+)*):([^;}]+)/g,
    );
    expect(
      spaces.filter((space) => !/^(0|auto|4px|8px|12px|16px|24px|32px|56px)$/.test(space)),
    ).toEqual([]);
    const colours =
      css
        .replace(/:root\{[^}]*\}/g, '')
        .match(/#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\([^)]*\)/gi) ?? [];
    expect(new Set(colours).size).toBeLessThanOrEqual(1);
  });

  it('move nothing for longer than 150 ms, and nothing where that is not asked for', async () => {
    const { style, files } = await site();
    const css = files.get(style)?.plain.toString() ?? '';
    const times = [...css.matchAll(/(\d*\.?\d+)(ms|s)\b/g)].map(
      ([, n, unit]) => Number(n) * (unit === 's' ? 1_000 : 1),
    );
    expect(Math.max(...times)).toBeLessThanOrEqual(150);
    expect(
      css.replace(/@media\(prefers-reduced-motion:no-preference\)\{(?:[^{}]*\{[^{}]*\})*\}/g, ''),
    ).not.toMatch(/transition|animation/);
  });
});
