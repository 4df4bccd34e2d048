import { afterAll, describe, expect, it } from 'vitest';

import { holdsOf } from '../support/runs/anonymous/accepted.ts';
import { sampledCells } from '../support/runs/anonymous/cells.ts';
import { costsOf, describedCost } from '../support/runs/anonymous/costs.ts';
import { startCounted } from '../support/runs/anonymous/counted.ts';
import { flood } from '../support/runs/anonymous/flood.ts';
import { entrances } from '../support/runs/anonymous/routes.ts';
import { freshDatabase } from '../support/world/database.ts';
import { prepared } from '../support/world/prepared.ts';

const HEAP_MB = 512;
/** `npm run prove -- anonymous` has 20, and 1 ms for the middle of them on a machine at rest. */
const TIMES = 5;
const MOST_CPU_US = 10_000;
const MOST_READ = 128 * 1024;
/** Every so many of the kinds. */
const STEP = 9;
const HELD_STEP = 83;
const MOST_HELD_MS = 100;

describe('a platform with a small heap', () => {
  const database = prepared(() => freshDatabase());
  const counted = prepared(() => startCounted(database.environment, HEAP_MB));
  afterAll(async () => {
    await counted?.stop();
    await database?.remove();
  });
  const cells = () =>
    sampledCells(entrances(), [...counted.given.keys()]).filter((_, index) => index % STEP === 0);

  it('spends next to nothing on a caller without a credential that holds', async () => {
    const costs = await costsOf(counted, cells(), { times: TIMES, limitUs: MOST_CPU_US });
    const wrong = costs.filter(
      ({ cpuUs, mostRead }) => cpuUs > MOST_CPU_US || mostRead > MOST_READ,
    );
    expect(wrong.map(describedCost)).toEqual([]);
  }, 120_000);

  it('takes many of them at once', async () => {
    const { times, wrong } = await flood(counted, cells(), { count: 500, width: 16, restMs: 100 });
    expect(wrong).toEqual([]);
    expect(times.length).toBeGreaterThan(0);
  }, 120_000);

  it('is not held by the largest bodies of those that have one', async () => {
    const holds = await holdsOf(counted, HELD_STEP);
    expect(holds.length).toBeGreaterThan(50);
    const wrong = holds.filter(({ heldMs, status }) => heldMs > MOST_HELD_MS || status >= 500);
    expect(wrong).toEqual([]);
  }, 180_000);
});
