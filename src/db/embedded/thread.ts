import { Worker } from 'node:worker_threads';

/** Exit code of the thread when the disk refuses to sync (sysexits.h, EX_IOERR). */
export const DISK_REFUSED = 74;

/**
 * Starts the thread of an engine. It loads the engine and then waits for its directory: nothing is opened or
 * made before. It does not keep the process alive until then.
 */
export function startThread(): Worker {
  const thread = new Worker(new URL('./worker.ts', import.meta.url), {
    name: 'embedded-database',
    // PostgreSQL's own depth check has to trigger first: a stack overflow of the thread ends the engine.
    resourceLimits: { stackSizeMb: 64 },
  });
  thread.unref();
  return thread;
}
