import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { readThroughKills } from '../support/runs/listeners/kills.ts';
import { byStreaming, byWaiting } from '../support/runs/listeners/ways.ts';
import { freshDatabase } from '../support/world/database.ts';
import { seeded } from '../support/world/seeded.ts';

/** A sample of `npm run prove -- listeners`: six kills of two hundred. */
it.each([
  ['a reader that waits', byWaiting],
  ['a reader of the live stream', byStreaming],
])(
  '%s misses and repeats nothing, whoever is killed when',
  { timeout: 240_000 },
  async (_reader, way) => {
    const data = await freshDatabase('empty');
    const directory = await mkdtemp(join(tmpdir(), 'listeners-'));
    try {
      const environment = { SVC_DATA_DIR: directory, ...data.environment };
      const { events, kills, ...wrong } = await readThroughKills(environment, 6, seeded(11), way);
      expect(events).toBeGreaterThan(0);
      expect(kills.server).toBeGreaterThan(0);
      expect(wrong).toEqual({ missed: 0, doubled: 0, outOfOrder: 0 });
    } finally {
      await data.remove();
      await rm(directory, { recursive: true, force: true });
    }
  },
);
