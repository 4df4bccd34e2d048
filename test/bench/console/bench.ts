import type { Browser } from 'playwright-core';

import { site } from '../../../src/console/site.ts';
import { startBrowser } from '../../support/console/chromium.ts';
import { freshDatabases } from '../database.ts';
import { NODE_OPTIONS } from '../platform/options.ts';
import { freshDirectory, next, start, stop } from '../process.ts';
import { type Row, row } from '../row.ts';
import { firstPaint } from './first-paint.ts';
import { Ready } from './question.ts';
import { scrolled } from './scrolled.ts';
import { trendWeek } from './trend-week.ts';
import { valuesShown } from './values-shown.ts';

const SERVER = new URL('./server.ts', import.meta.url);
const START_MS = 300_000;

/** What the console weighs, and how soon a person sees what it shows, in Chromium. */
export async function console(): Promise<Row[]> {
  const began = performance.now();
  const { files } = await site();
  const bundled = performance.now() - began;
  const bytes = [...files.values()].reduce((sum, { gzip }) => sum + gzip.length, 0);
  const rows = [
    row('console', 'bundled', 'ms', bundled, null, '<= 300'),
    row('console', 'gzipped', 'kB', bytes / 1_000, null, '<= 170'),
  ];
  await using databases = await freshDatabases(process.env['DATABASE_URL']);
  const engines = { embedded: {}, ...(databases && { postgres: await databases.make() }) };
  const browser = await startBrowser();
  try {
    for (const [name, databaseUrl] of Object.entries(engines))
      rows.push(...(await onEngine(browser, name, databaseUrl)));
  } finally {
    await browser.close();
  }
  return rows;
}

async function onEngine(browser: Browser, name: string, databaseUrl: unknown): Promise<Row[]> {
  const server = start(SERVER, {
    options: NODE_OPTIONS,
    env: {
      SVC_DATA_DIR: await freshDirectory(),
      ...(typeof databaseUrl === 'string' && { DATABASE_URL: databaseUrl }),
    },
  });
  const { url, deviceId } = await next(server, Ready, START_MS);
  const { paint, interactive } = await firstPaint(browser, url);
  const { script, rowsMost, rowsLeast } = await scrolled(browser, url);
  const { pressed, entered } = await trendWeek(browser, url, deviceId);
  const { p50, p99 } = await valuesShown(browser, url, deviceId, server);
  await stop(server);
  const of = (metric: string, unit: string, value: number, goal: Row['goal'] = null): Row =>
    row('console', `${metric}-${name}`, unit, value, null, goal);
  return [
    of('first-paint-cpu-4x', 'ms', paint, '<= 1000'),
    of('interactive-cpu-4x', 'ms', interactive, '<= 1500'),
    of('scroll-100000-script-per-frame-p99', 'ms', script, '<= 20'),
    of('scroll-100000-rows-most', 'rows', rowsMost),
    of('scroll-100000-rows-least', 'rows', rowsLeast),
    of('trend-week-604800-pressed', 'ms', pressed.total, '<= 500'),
    of('trend-week-604800-entered', 'ms', entered.total, '<= 500'),
    of('trend-week-604800-route', 'ms', pressed.route),
    of('trend-week-604800-drawing', 'ms', pressed.draw),
    of('value-received-to-screen-p50', 'ms', p50),
    of('value-received-to-screen-p99', 'ms', p99, '<= 1000'),
  ];
}
