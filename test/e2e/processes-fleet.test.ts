import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { FleetBench } from '../support/runs/driver-fleet/bench.ts';
import { type FreshDatabase, freshDatabase } from '../support/world/database.ts';

/** A small part of `npm run prove -- fleet`, whose devices are off for so long that each outage is told. */
const size = {
  devices: 20,
  lifetimeS: 20,
  faultsMs: 18_000,
  chances: { reboot: 0.1, rebind: 0.1, outage: 0.05 },
};

describe('simulated devices at two nodes that are killed and started again', () => {
  let folder: string;
  let data: FreshDatabase;
  let bench: FleetBench;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-devices-'));
    data = await freshDatabase('empty');
    bench = await FleetBench.open({ ...data.environment, SVC_DATA_DIR: folder }, size);
  }, 180_000);
  afterAll(async () => {
    await bench?.close();
    await data?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  it('keep their values and observations, with one alarm for each outage', async () => {
    const { facts, wrong } = await bench.run();
    expect({ facts: wrong.length > 0 ? facts : [], wrong }).toEqual({ facts: [], wrong: [] });
  }, 300_000);
});
