import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

import { Unavailable } from '../../kernel/errors.ts';
import { isAlive, thisProcess } from '../../kernel/process/process-identity.ts';
import type { ProcessIdentity } from '../../kernel/process/process-identity.ts';

type Holder = ProcessIdentity & {
  nonce: string;
  /**
   * Inode of the lock file: it differs in a lock that was copied with its directory, which does not count.
   */
  inode: number;
};

const ATTEMPTS = 5;
const DEPTH = 3;

function read(lock: string): Holder | undefined {
  try {
    const holder: Holder = JSON.parse(fs.readFileSync(lock, 'utf8'));
    return { ...holder, inode: holder.inode === fs.statSync(lock).ino ? holder.inode : -1 };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Unavailable(`${lock} cannot be read; remove it if no process uses the data`, error);
  }
}

function draft(lock: string): { file: string; nonce: string } {
  const nonce = randomUUID();
  const file = `${lock}.${process.pid}-${nonce}`;
  const fd = fs.openSync(file, 'wx', 0o600);
  try {
    const holder: Holder = { ...thisProcess(), nonce, inode: fs.fstatSync(fd).ino };
    fs.writeSync(fd, JSON.stringify(holder));
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  return { file, nonce };
}

function tryLink(file: string, lock: string): boolean {
  try {
    fs.linkSync(file, lock); // atomic, exclusive, and never seen half written
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function acquire(lock: string, depth: number): string {
  const { file, nonce } = draft(lock);
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (tryLink(file, lock)) return nonce;
      const holder = read(lock);
      if (holder === undefined) continue;
      if (depth >= DEPTH || (holder.inode >= 0 && isAlive(holder))) {
        throw new Unavailable(
          `The data in ${path.dirname(lock)} is in use by process ${holder.pid}; stop it first, or use its console or REST`,
        );
      }
      // Only the holder of the claim on this very lock may replace it: two processes that find the same
      // stale lock must not remove each other's new one.
      const claim = `${lock}.${holder.nonce}`;
      acquire(claim, depth + 1);
      try {
        if (read(lock)?.nonce !== holder.nonce) continue;
        fs.renameSync(file, lock);
        return nonce;
      } finally {
        fs.rmSync(claim, { force: true });
      }
    }
    throw new Unavailable(`${lock} changes hands all the time; another process is starting`);
  } finally {
    fs.rmSync(file, { force: true });
  }
}

/**
 * Locks `dataDir` for this process; returns its release. Throws Unavailable (503) naming the pid while
 * another live process holds the lock: two engines on the same files destroy them.
 */
export function lockDirectory(dataDir: string): () => void {
  const lock = path.join(dataDir, 'embedded.lock');
  const nonce = acquire(lock, 0);
  return () => {
    if (read(lock)?.nonce === nonce) fs.rmSync(lock);
  };
}
