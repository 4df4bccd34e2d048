import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

import { z } from 'zod';

/** Mark of a command: enough to answer it after a crash. */
type Mark = { commandId: string; tenantId: string; at: number };

const Line = z.union([
  z.object({ started: z.string(), tenantId: z.string(), at: z.number() }),
  z.object({ finished: z.string() }),
  z.object({ parked: z.string(), tenantId: z.string(), at: z.number(), work: z.unknown() }),
]);

/** Far beyond the validity of a command (10 s), so that the mark outlives any late redelivery. */
const KEEP_MS = 600_000;
const MAX_MARKS = 50_000;
const COMPACT_AFTER_LINES = 100_000;

/** A command that no device has seen: it waits for its device. */
type Parked = Mark & { work: unknown };

/**
 * Makes a command run at most once: an append-only file in which every command is marked STARTED, synced to
 * disk, before its device is touched, and FINISHED once its result is published.
 */
export type CommandStore = {
  /** Commands that an earlier process started and did not finish: their outcome is unknown. */
  readonly orphans: readonly Mark[];
  /** Commands that waited in an earlier process, in their order. */
  readonly parked: readonly Parked[];
  /**
   * `parked`: waits for its device; `running`: started by this process; `interrupted`: started by an earlier one and
   * not finished.
   */
  state(commandId: string): 'new' | 'parked' | 'running' | 'interrupted' | 'finished';
  /** Keeps the command for later; resolves when it is on disk. Throws when the store is full. */
  park(parked: Parked): Promise<void>;
  /** Resolves when the mark is on disk. Throws when the store is full of running commands. */
  start(mark: Mark): Promise<void>;
  finish(commandId: string): Promise<void>;
  close(): Promise<void>;
};

/** Opens or creates the file, drops a torn last line and forgets finished marks older than `keepMs`. */
// oxlint-disable-next-line max-lines-per-function
export async function openCommandStore(
  file: string,
  now: () => number,
  keepMs = KEEP_MS,
): Promise<CommandStore> {
  await mkdir(dirname(file), { recursive: true });
  const started = new Map<string, Mark>();
  const finished = new Map<string, Mark>();
  const parked = new Map<string, Parked>();
  for (const line of (await readIfThere(file)).split('\n')) {
    const parsed = Line.safeParse(parseJson(line));
    if (!parsed.success) continue;
    if ('started' in parsed.data) {
      const { started: commandId, tenantId, at } = parsed.data;
      parked.delete(commandId);
      started.set(commandId, { commandId, tenantId, at });
    } else if ('parked' in parsed.data) {
      const { parked: commandId, ...rest } = parsed.data;
      started.delete(commandId);
      parked.set(commandId, { commandId, ...rest });
    } else ended(parsed.data.finished);
  }
  const parkedBefore = [...parked.values()];
  const orphans = [...started.values()];
  const orphanIds = new Set(orphans.map(({ commandId }) => commandId));
  let lines = 0;
  let handle = await compact();
  let last: Promise<void> = Promise.resolve();

  /** False when it neither waited nor ran. */
  function ended(commandId: string): boolean {
    const mark = started.get(commandId) ?? parked.get(commandId);
    if (!mark) return false;
    started.delete(commandId);
    parked.delete(commandId);
    finished.set(commandId, { commandId, tenantId: mark.tenantId, at: mark.at });
    return true;
  }

  /** Throws when there is no room for one more. */
  function demandRoom(): void {
    forgetOld();
    if (started.size + parked.size >= MAX_MARKS) throw new Error('too many commands are under way');
  }

  function forgetOld(): void {
    for (const [commandId, { at }] of finished) {
      if (at > now() - keepMs && finished.size + started.size < MAX_MARKS) break;
      finished.delete(commandId);
    }
  }

  /** Writes the marks still needed to a new file and replaces the old one atomically. */
  async function compact(): Promise<FileHandle> {
    forgetOld();
    const kept = [
      ...[...started.values(), ...finished.values()].map(startedLine),
      ...[...finished.keys()].map(finishedLine),
      ...[...parked.values()].map(parkedLine),
    ];
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
    orphans,
    parked: parkedBefore,
    state(id) {
      if (parked.has(id)) return 'parked';
      if (started.has(id)) return orphanIds.has(id) ? 'interrupted' : 'running';
      return finished.has(id) ? 'finished' : 'new';
    },
    async start(mark) {
      const waited = parked.get(mark.commandId);
      if (!waited) demandRoom();
      started.set(mark.commandId, mark);
      parked.delete(mark.commandId);
      try {
        await append(startedLine(mark));
      } catch (error) {
        started.delete(mark.commandId);
        if (waited) parked.set(mark.commandId, waited);
        throw error;
      }
    },
    async park(waiting) {
      const { commandId } = waiting;
      const mark = started.get(commandId);
      if (!mark) demandRoom();
      parked.set(commandId, waiting);
      started.delete(commandId);
      try {
        await append(parkedLine(waiting));
      } catch (error) {
        parked.delete(commandId);
        if (mark) started.set(commandId, mark);
        throw error;
      }
    },
    async finish(commandId) {
      if (ended(commandId)) await append(finishedLine(commandId));
    },
    async close() {
      await last;
      await handle.close();
    },
  };
}

const startedLine = ({ commandId, tenantId, at }: Mark): string =>
  `${JSON.stringify({ started: commandId, tenantId, at })}\n`;
const parkedLine = ({ commandId, tenantId, at, work }: Parked): string =>
  `${JSON.stringify({ parked: commandId, tenantId, at, work })}\n`;
const finishedLine = (commandId: string): string => `${JSON.stringify({ finished: commandId })}\n`;

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null; // the torn last line of a crash: its device was not touched
  }
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
