import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { createRandom } from '../support/hostile/random.ts';
import { sendBodies } from '../support/runs/bodies.ts';

/** Of each revision; `npm run prove -- bodies` sends 10,000. */
const BODIES = 300;

it('answers hostile bodies of both revisions without an exit or a 5xx', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-bodies-'));
  try {
    const runs = await sendBodies({ SVC_DATA_DIR: directory }, createRandom(20_261_122), BODIES);
    expect(runs.flatMap(({ wrong }) => wrong)).toEqual([]);
    expect(runs.map(({ sent }) => sent)).toEqual([BODIES, BODIES]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}, 180_000);
