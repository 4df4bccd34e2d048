import { setTimeout as sleep } from 'node:timers/promises';

import { type Row, row } from '../row.ts';
import { population } from './population.ts';

/** Five to warm up, ten that count. */
const MINUTES = 15;
const PER_SECOND = 10_000;
/** Enough message ids for all requests of the four minutes in which a server remembers them. */
const SOCKETS = 64;
/** It remembers the message ids of the last 247 s (RFC 7252 4.8.2): until then the process grows to its size. */
const WARM_S = 300;
const LOOK_S = 5;

/** A quarter of an hour at 10,000 updates a second of as many devices: what was answered, and how the process grew. */
export async function steady(): Promise<Row[]> {
  await using all = await population(PER_SECOND, { sockets: SOCKETS });
  const began = performance.now();
  const sizes: number[] = [];
  let answered = 0;
  for (let second = 0; second < MINUTES * 60; second += 1) {
    await all.update(PER_SECOND);
    answered += PER_SECOND;
    if (second >= WARM_S && second % LOOK_S === 0) sizes.push((await all.driver.used()).megabytes);
    await sleep(Math.max(0, began + (second + 1) * 1_000 - performance.now()));
  }
  const rate = answered / ((performance.now() - began) / 1_000);
  // Between two collections a process has any size: what it comes back to is what it keeps.
  const half = sizes.length / 2;
  const growth = Math.min(...sizes.slice(half)) - Math.min(...sizes.slice(0, half));
  return [
    row('lwm2m', 'steady-rate', '/s', rate, null, '>= 9900'),
    row('lwm2m', 'steady-growth-mb', 'mb', growth, null, '<= 20'),
  ];
}
