import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { consoles } from '../support/console/consoles.ts';
import { barriers } from '../support/console/open-console.ts';
import { expectQuiet } from '../support/console/page-state.ts';
import { watched } from '../support/devices/watched.ts';
import { startedWorld } from '../support/world/prepared.ts';

const SOON = { timeout: 30_000 };
const Manifest = z.looseObject({
  start_url: z.string(),
  display: z.string(),
  icons: z.array(z.looseObject({ src: z.string() })),
});

const world = startedWorld();
const { at } = consoles(world);

/** In the page: remembers tones and notifications, which a browser without a screen does not show. */
const HEARD = `
  globalThis.heard = { tones: [], shown: [] };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...given) {
    globalThis.heard.tones.push(this.frequency.value);
    return start.apply(this, given);
  };
  globalThis.Notification = class extends EventTarget {
    static requestPermission = async () => 'granted';
    constructor(title, { body }) {
      super();
      globalThis.heard.shown.push([title, body]);
    }
    close() {}
  };`;

describe('an alarm that begins', () => {
  it('is counted in the title, heard by its level, and shown by the computer where a person wants that', async () => {
    const mine = await world.tenant('attention');
    const boiler = await watched(world, mine, 'boiler', { severity: 'P2' });
    const pump = await watched(world, mine, 'pump', { severity: 'P0' });
    await boiler.measure(60, 91);
    const console = await at('/', 'attention');
    const { page, context } = console;
    await expect.poll(() => page.title(), SOON).toMatch(/^\(1\) /);
    await context.addInitScript({ content: HEARD });
    await page.reload();
    await page.getByRole('button', { name: 'attention-admin' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('A sound when an alarm fires').check();
    await dialog.getByLabel('A notification of this computer').check();
    expect(await barriers(console)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.locator('.top .chip', { hasText: 'live' }).waitFor(SOON);
    const heard = () => page.evaluate('globalThis.heard');
    // The one that it plays as an example; what fired before makes none.
    expect(await heard()).toEqual({ tones: [587], shown: [] });
    await pump.measure(60, 91);
    await expect.poll(heard, SOON).toEqual({
      tones: [587, 880, 1175, 880, 1175],
      shown: [['P0 critical · pump too hot', expect.any(String)]],
    });
    await expect.poll(() => page.title(), SOON).toMatch(/^\(2\) /);
    expectQuiet(console);
  });
});

describe('the console as an app', () => {
  it('is installed by what its document names, of this host alone', async () => {
    const page = await (await fetch(`${world.base}/console`)).text();
    const [, href = ''] = /<link rel="manifest" href="([^"]+)">/.exec(page) ?? [];
    const answer = await fetch(world.base + href);
    expect(answer.headers.get('content-type')).toBe('application/manifest+json; charset=utf-8');
    const manifest = Manifest.parse(await answer.json());
    expect(manifest).toMatchObject({ start_url: '/console', display: 'standalone' });
    for (const { src } of manifest.icons) {
      const icon = await fetch(world.base + src);
      expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    }
  });
});
