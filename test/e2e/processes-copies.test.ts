import { afterAll, beforeAll, expect, it } from 'vitest';

import { CopiesBench } from '../support/runs/copies/run.ts';
import { type FreshDatabase, freshDatabase } from '../support/world/database.ts';

/** A sample of `npm run prove -- copies`. */
let data: FreshDatabase;
let bench: CopiesBench;

beforeAll(async () => {
  data = await freshDatabase('empty');
  bench = await CopiesBench.open(data.environment);
}, 180_000);
afterAll(async () => {
  await bench?.close();
  await data?.remove();
});

it('two copies of each driver, one killed again and again: no write twice, no false end, no flip', async () => {
  const size = { reads: 60, writes: 30, killEveryMs: 12_000, gapMs: 500 };
  const { reads, writes, kills, wrong } = await bench.run(size);
  expect([reads, writes]).toEqual([60, 30]);
  expect(kills).toBeGreaterThan(1);
  expect(wrong).toEqual([]);
}, 240_000);
