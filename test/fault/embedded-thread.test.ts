import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { expect, it } from 'vitest';

import { systemClock } from '../../src/core/clock.ts';
import { createLog } from '../../src/core/log/log.ts';
import { openEmbedded } from '../../src/db/embedded/engine.ts';
import { startThread } from '../../src/db/embedded/thread.ts';

it('an engine opens in the thread that was started ahead, and ends it', async () => {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'embedded-'));
  try {
    const thread = startThread();
    const ended = once(thread, 'exit');
    const log = createLog('silent');
    const engine = await openEmbedded({ dataDir, clock: systemClock, log, thread });
    expect(fs.existsSync(path.join(dataDir, 'pg', 'PG_VERSION'))).toBe(true);
    await engine.close();
    await ended;
  } finally {
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
});
