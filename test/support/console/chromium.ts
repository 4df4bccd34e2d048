import { existsSync } from 'node:fs';

import type { Browser } from 'playwright-core';

/** The shell without windows takes half the time of the whole browser, which draws as if for a screen. */
const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** Where Debian has the browser; undefined where it is missing. */
export const chromiumPath = PLACES.find((place) => existsSync(place));

export async function startBrowser(): Promise<Browser> {
  if (!chromiumPath) throw new Error('no Chromium at /usr/bin');
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
}
