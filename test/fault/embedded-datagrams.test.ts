import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { DatagramBench } from '../support/runs/datagrams/bench.ts';

/** A small part of `npm run prove -- datagrams`. */
describe('mutated datagrams of every kind at the LwM2M server', () => {
  let folder: string;
  let bench: DatagramBench;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-datagrams-'));
    bench = await DatagramBench.open({ SVC_DATA_DIR: folder });
  });
  afterAll(async () => {
    await bench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('leave it answering, within its memory, and strangers get at most three times what they send', async () => {
    const { wrong, growthMb, amplification } = await bench.besiege(6_000);
    expect(wrong).toEqual([]);
    expect(growthMb).toBeLessThanOrEqual(100);
    expect(amplification).toBeLessThanOrEqual(3);
  }, 180_000);

  it('as a flood of Registers of unknown names are some lines in the log', async () => {
    const { lines, calls } = await bench.flood(2_000, 5);
    expect(calls).toBeGreaterThan(20);
    expect(lines).toBeLessThanOrEqual(100);
  });
});
