import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { OutcomeBench } from '../support/runs/outcome/bench.ts';
import { faultyRound } from '../support/runs/outcome/rounds.ts';
import { seeded } from '../support/world/seeded.ts';

/** A sample of `npm run prove -- outcome`: two of its rounds, with ten devices. */
describe('faulty writes', () => {
  let dataDir: string;
  let bench: OutcomeBench;
  const random = seeded(1);
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'outcome-'));
    bench = await OutcomeBench.open(10, dataDir);
  }, 120_000);
  afterAll(async () => {
    await bench.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it.each([
    [0, 'nothing else'],
    [1, 'a driver that dies'],
  ])(
    'are told as what the device did, round %i: %s',
    async (round) => {
      const judged = await faultyRound(bench, round, random);
      expect(judged.flatMap(({ wrong }) => wrong)).toEqual([]);
      expect(judged).toHaveLength(10);
      expect(judged.map(({ first }) => first)).toContain('UNKNOWN');
    },
    120_000,
  );
});
