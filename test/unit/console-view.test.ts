import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { bundle } from '../../src/console/bundle.ts';
import { viewPage } from '../../src/console/view-page.ts';

const MAX_GZIPPED = 60 * 1_024;
const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');
const inside = (page: string, tag: string): string =>
  new RegExp(`<${tag}>(.*)</${tag}>`, 's').exec(page)?.[1] ?? '';

describe.each(['trend', 'alarms', 'proposal'] as const)('the page of the view %s', (name) => {
  it('is at most 60 KB when it is compressed', async () => {
    expect(gzipSync(await viewPage(name)).length).toBeLessThanOrEqual(MAX_GZIPPED);
  });

  it('allows its own script and style alone, by their content', async () => {
    const page = await viewPage(name);
    const [script, style] = [inside(page, 'script'), inside(page, 'style')];
    expect(script.length).toBeGreaterThan(1_000);
    expect(page).toContain(
      `content="default-src 'none'; script-src 'sha256-${hashOf(script)}'; style-src 'sha256-${hashOf(style)}'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"`,
    );
  });

  // Its elements could make markup of a text where a source asks them to: test/unit/console-app looks for that.
  it('has nothing that loads, evaluates, keeps or makes markup of a text', async () => {
    const page = await viewPage(name);
    expect(page.replaceAll(/dangerouslySetInnerHTML|\.innerHTML\b/g, '')).not.toMatch(
      /\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|\beval\(|Function\(|\bimport\(|innerHTML|outerHTML|insertAdjacentHTML|document\.write|localStorage|sessionStorage|indexedDB|\.cookie|url\(|@import|<link|<img|\ssrc=/,
    );
  });
});

it('bundles the same sources to the same bytes, also side by side', async () => {
  const folder = fileURLToPath(new URL('../../src/console/view/', import.meta.url));
  const entries = ['trend.tsx', 'alarms.tsx', 'proposal.tsx', 'style.css'].map(
    (one) => folder + one,
  );
  const [one, other] = await Promise.all([bundle(entries), bundle(entries.toReversed())]);
  expect([...one.keys()].toSorted()).toEqual(['alarms.js', 'proposal.js', 'style.css', 'trend.js']);
  for (const [name, made] of one) {
    expect(other.get(name)).toEqual(made);
    expect(made.hash).toBe(hashOf(made.text));
  }
});

it('says which source cannot be bundled, and goes on with the next', async () => {
  await expect(bundle(['/nowhere/missing.ts'])).rejects.toThrow('missing.ts');
  const [style] = await bundle([
    fileURLToPath(new URL('../../src/console/view/style.css', import.meta.url)),
  ]);
  expect(style?.[0]).toBe('style.css');
});
