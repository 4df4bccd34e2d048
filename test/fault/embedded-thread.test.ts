import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';

import pg from 'pg';
import { expect, it } from 'vitest';

import { openEmbedded } from '../../src/db/embedded/engine.ts';
import { startThread } from '../../src/db/embedded/thread.ts';
import { singleTrips } from '../../src/db/trip/single.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';

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

/** A disk that refuses every sync as soon as there is a file of this name. */
const refusing = (flag: string): string => `import fs from 'node:fs';
  const { fdatasyncSync } = fs;
  fs.fdatasyncSync = (fd) => {
    if (fs.existsSync(${JSON.stringify(flag)})) throw new Error('EIO');
    fdatasyncSync(fd);
  };`;

it('the thread ends at once when the disk refuses a sync, and no trip is answered', async () => {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'embedded-'));
  const flag = path.join(dataDir, 'refuse');
  const script = `data:text/javascript,${encodeURIComponent(refusing(flag))}`;
  const log = createLog('silent');
  const opened = { dataDir, clock: systemClock, log };
  try {
    const thread = new Worker(new URL('../../src/db/embedded/worker.ts', import.meta.url), {
      execArgv: ['--import', script],
      resourceLimits: { stackSizeMb: 64 },
    });
    const engine = await openEmbedded({ ...opened, thread });
    const pool = new pg.Pool(engine.poolConfig);
    const ignore = (): void => {};
    pool.on('error', ignore).on('connect', (client) => client.on('error', ignore));
    const send = singleTrips(pool);
    const keep = (n: number) =>
      send([{ sql: 'insert into kept values ($1)', parameters: [String(n)] }]);
    await pool.query('create table kept (n int)');
    await keep(0);
    fs.writeFileSync(flag, '');
    const all = await Promise.allSettled([1, 2, 3].map(keep));
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    const [first] = all;
    expect(first?.status === 'rejected' && String(first.reason.cause)).toMatch(
      /the disk refused to sync/,
    );
    await pool.end();
    await engine.close();
    fs.rmSync(flag);
    const again = await openEmbedded(opened);
    const client = new pg.Client(again.poolConfig);
    await client.connect();
    const { rows } = await client.query<{ n: number }>('select n from kept order by n limit 1');
    expect(rows).toEqual([{ n: 0 }]);
    await client.end();
    await again.close();
  } finally {
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
});
