import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

import { finishedLine, type Mark, Marks, type Parked, parkedLine, startedLine } from './marks.ts';

/** Far beyond the validity of a command (10 s), so that the mark outlives any late redelivery. */
const KEEP_MS = 600_000;
const COMPACT_AFTER_LINES = 100_000;

/**
 * Makes a command run at most once: an append-only file in which every command is marked STARTED, synced to
 * disk, before its device is touched, and FINISHED once its result is published.
 */
export type CommandStore = {
  /** Commands that an earlier process started and did not finish: their outcome is unknown. */
  readonly orphans: readonly Mark[];
  /** Commands that waited in an earlier process, in their order. */
  readonly parked: readonly Parked[];
  readonly state: Marks['state'];
  /** Keeps the command for later; resolves when it is on disk. Throws when the store is full. */
  park(parked: Parked): Promise<void>;
  /** Resolves when the mark is on disk. Throws when the store is full of running commands. */
  start(mark: Mark): Promise<void>;
  finish(commandId: string): Promise<void>;
  close(): Promise<void>;
};

/** Opens or creates the file, drops a torn last line and forgets finished marks older than `keepMs`. */
export async function openCommandStore(
  file: string,
  now: () => number,
  keepMs = KEEP_MS,
): Promise<CommandStore> {
  await mkdir(dirname(file), { recursive: true });
  const marks = new Marks(await readIfThere(file), now, keepMs);
  let lines = 0;
  let handle = await compact();
  let last: Promise<void> = Promise.resolve();

  /** Writes the marks still needed to a new file and replaces the old one atomically. */
  async function compact(): Promise<FileHandle> {
    const kept = marks.lines();
    const fresh = await open(`${file}.new`, 'w', 0o600);
    await fresh.writeFile(kept.join(''));
    await fresh.datasync();
    await rename(`${file}.new`, file);
    const folder = await open(dirname(file), 'r');
    await folder.sync().finally(() => folder.close());
    lines = kept.length;
    return fresh;
  }

  /** One write at a time, so that a compaction never runs during an append. */
  function append(line: string): Promise<void> {
    const done = last.then(() => write(line));
    last = done.catch(() => {});
    return done;
  }

  async function write(line: string): Promise<void> {
    if (lines >= COMPACT_AFTER_LINES) {
      const old = handle;
      handle = await compact();
      await old.close();
    }
    lines += 1;
    await handle.write(line);
    await handle.datasync();
  }

  return {
    orphans: marks.orphans,
    parked: marks.parkedBefore,
    state: (id) => marks.state(id),
    async start(mark) {
      const takeBack = marks.start(mark);
      try {
        await append(startedLine(mark));
      } catch (error) {
        takeBack();
        throw error;
      }
    },
    async park(waiting) {
      const takeBack = marks.park(waiting);
      try {
        await append(parkedLine(waiting));
      } catch (error) {
        takeBack();
        throw error;
      }
    },
    async finish(commandId) {
      if (marks.finish(commandId)) await append(finishedLine(commandId));
    },
    async close() {
      await last;
      await handle.close();
    },
  };
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
