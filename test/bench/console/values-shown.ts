import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Browser } from 'playwright-core';
import { z } from 'zod';

import { logIn, openConsole } from '../../support/console/open-console.ts';
import { percentile } from '../percentile.ts';
import { ask } from '../process.ts';
import { Reported } from './question.ts';

const VALUES = 100;
const EVERY_MS = 250;

/** In the page: when each text of the form 1234.5 was drawn first. */
const WATCH = `
  globalThis.drawn = {};
  new MutationObserver(() => {
    const found = document.querySelector('main').textContent.match(/9\\d{3}\\.5/g) ?? [];
    for (const text of found) drawn[text] ??= Date.now();
  }).observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true });
`;

/** From receiving a value to its text in the open page of the device, in ms. */
export async function valuesShown(
  browser: Browser,
  url: string,
  deviceId: string,
  server: ChildProcess,
): Promise<{ p50: number; p99: number }> {
  const console = await openConsole(browser, url);
  await logIn(console);
  await console.go(`/devices/${deviceId}`);
  const { page } = console;
  await page.getByText('live', { exact: true }).waitFor();
  await page.getByText('point 1', { exact: true }).first().waitFor();
  await page.evaluate(WATCH);
  const received = new Map<string, number>();
  for (let at = 0; at < VALUES; at += 1) {
    const text = `${9_000 + at}.5`;
    const { receivedAt } = await ask(server, { text }, Reported);
    received.set(text, receivedAt);
    await sleep(EVERY_MS);
  }
  await sleep(2_000);
  const drawn = z.record(z.string(), z.number()).parse(await page.evaluate('drawn'));
  await console.close();
  const delays = [...received].map(([text, at]) => (drawn[text] ?? Number.POSITIVE_INFINITY) - at);
  return { p50: percentile(delays, 0.5), p99: percentile(delays, 0.99) };
}
