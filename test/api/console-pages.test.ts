import { describe, expect, it } from 'vitest';

import { startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();

const open = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${world.base}${path}`, { headers });
const filesIn = (page: string): string[] =>
  [...page.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, file = '']) => file);

describe('the console', () => {
  it('is one document under every address of its pages, for this host alone', async () => {
    const [page, ...others] = await Promise.all(
      ['/console', '/console/devices/7', '/console/a/b/c?d=e'].map(async (path) => {
        const answer = await open(path);
        expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
        expect(answer.headers.get('content-security-policy')).toMatch(
          /^default-src 'none'; script-src 'self'; style-src 'self';(?!.*unsafe).*frame-ancestors 'none'; require-trusted-types-for 'script'/,
        );
        return answer.text();
      }),
    );
    for (const other of others) expect(other).toBe(page);
    expect(page).not.toMatch(/<style|style=|<script>|\son\w+=|https?:\/\/(?!www\.w3\.org)/);
  });

  it('says in its document whether there may be a session, so that none is asked for in vain', async () => {
    expect(await (await open('/console')).text()).toContain('data-session="none"');
    const other = await open('/console', { cookie: 'svc_console=anything' });
    expect(await other.text()).toContain('data-session="maybe"');
  });

  it('has files that are kept for ever under the name of their content, compressed where it is taken', async () => {
    const files = filesIn(await (await open('/console')).text());
    const named = (file: string): string => file.replace(/\.(?:[0-9a-f]{16}|[0-9A-Z]{8})\./, '.');
    expect(new Set(files.map(named))).toEqual(
      new Set(
        ['console.css', 'chunk.js', 'main.js', 'manifest.webmanifest'].map(
          (name) => `/console/assets/${name}`,
        ),
      ),
    );
    const main = await (await open(files.at(-1) ?? '')).text();
    const parts = [...main.matchAll(/["'`]\.\/([\w.-]+\.js)["'`]/g)].map(
      ([, name]) => `/console/assets/${name}`,
    );
    // The pages of the second look and what the first one needs, which the document names.
    expect(new Set(parts.map(named))).toContain('/console/assets/other.js');
    for (const file of new Set([...files, ...parts])) {
      const plain = await open(file, { 'accept-encoding': 'identity' });
      const small = await open(file, { 'accept-encoding': 'gzip' });
      expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect([
        plain.headers.get('content-encoding'),
        small.headers.get('content-encoding'),
      ]).toEqual([null, 'gzip']);
      expect(await small.text()).toBe(await plain.text());
    }
  });

  it('has no other files', async () => {
    for (const name of ['main.js', 'main.0000000000000000.js', '..%2f..%2fpackage.json'])
      expect((await open(`/console/assets/${name}`)).status).toBe(404);
  });
});
