import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';

const MEMORY = '/dev/shm';
const ROOM = 4 * 1024 ** 3;

/**
 * A folder in memory for the databases of a run, gone when the process ends; undefined where the machine
 * has none with 4 GiB to spare. Copies of the template and synced commits cost a disk more than the tests do.
 */
export function memoryFolder(): string | undefined {
  if (!existsSync(MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (Math.min(bavail * bsize, freemem()) < ROOM) return undefined;
  const folder = mkdtempSync(`${MEMORY}/svc-test-`);
  process.once('exit', () => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    } catch (error) {
      // A process that a broken-off run left behind still writes: no reason to fail the run.
      console.error(`${folder} is left: ${String(error)}`);
    }
  });
  return folder;
}
