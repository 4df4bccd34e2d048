import fs from 'node:fs';
import type { Worker } from 'node:worker_threads';

import type pg from 'pg';

import type { Clock } from '../../kernel/clock.ts';
import { Unavailable } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/process/log.ts';
import { startLink } from './link.ts';
import type { Link } from './link.ts';
import { lockDirectory } from './lock.ts';
import { defaultLimits, maintain } from './maintenance.ts';
import { backupOf, offerBackup, type OnlineBackup } from './online-backup.ts';
import { EngineSocket } from './socket.ts';

/** A PostgreSQL inside this process, durable like a server, with exactly one session. */
export type EmbeddedEngine = {
  /** Hand this to `new pg.Pool({...poolConfig})`; max is 1. */
  poolConfig: pg.PoolConfig;
  /** Runs one round of maintenance between transactions; false when one stayed open for a minute. */
  maintain(): Promise<boolean>;
  /** The same that is offered to other processes. */
  backup: OnlineBackup;
  /** Checkpoints, ends the engine and releases the directory. End the pool first. */
  close(): Promise<void>;
};

const LOOK_EVERY_MS = 5_000;
const PATIENCE_MS = 60_000;
const CLOSE_MS = 30_000;

/**
 * Opens (and on the first start makes) the database below `dataDir`. Throws Unavailable (503) when
 * another process has it, when it cannot be opened, or when commits do not reach the disk.
 */
export async function openEmbedded(options: {
  dataDir: string;
  clock: Clock;
  log: Log;
  /** Started ahead by `startThread`; without it one is started here. */
  thread?: Worker | undefined;
}): Promise<EmbeddedEngine> {
  const { dataDir, clock, log, thread } = options;
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const release = lockDirectory(dataDir);
  let link: Link;
  try {
    link = await startLink(dataDir, thread);
  } catch (error) {
    release();
    throw error;
  }

  const backup = backupOf(link);
  const offered = offerBackup(dataDir, backup, log);
  let lastCheckpoint = clock.now();
  let quietAt = link.sent();
  async function round(): Promise<boolean> {
    // A checkpoint may remove log that the backup needs.
    if (backup.isUnderWay()) return false;
    const cancel = clock.after(PATIENCE_MS, () => link.waive());
    const since = clock.now() - lastCheckpoint;
    const done = await maintain(link, defaultLimits, since).finally(cancel);
    if (done === undefined) return false;
    if (done.checkpointed) {
      lastCheckpoint = clock.now();
      quietAt = link.sent();
    }
    if (done.checkpointed || done.tables.length > 0) log.debug(done, 'database maintenance');
    return true;
  }
  const stopLooking = clock.every(LOOK_EVERY_MS, async () => {
    if (link.sent() === quietAt) return; // nothing happened since the last checkpoint
    await round().catch((error: unknown) =>
      log.warn({ err: error }, 'database maintenance failed'),
    );
  });

  link.onDeath((reason) => {
    stopLooking();
    log.error({ err: reason }, 'the embedded database died');
  });

  let taken = false;
  const claim = (): (() => void) | undefined => {
    if (taken) return undefined;
    taken = true;
    return () => {
      taken = false;
    };
  };
  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    stopLooking();
    await offered.stop();
    const late = Promise.withResolvers<never>();
    const cancel = clock.after(CLOSE_MS, () =>
      late.reject(new Unavailable('The embedded database did not close in time')),
    );
    try {
      await Promise.race([link.close(), late.promise]);
    } catch (error) {
      // No data is lost: acknowledged commits are on disk and the next start recovers.
      log.warn({ err: error }, 'the embedded database did not close cleanly');
    } finally {
      cancel();
      await link.kill();
      release();
    }
  }

  return {
    poolConfig: {
      max: 1,
      idleTimeoutMillis: 0,
      host: 'embedded',
      user: 'postgres',
      database: 'postgres',
      password: '',
      ssl: false,
      stream: () => new EngineSocket(link, claim),
    },
    maintain: round,
    backup,
    close: () => (closed ??= close()),
  };
}
