import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';

import { z } from 'zod';

import type { Clock } from '../../../src/core/clock.ts';
import type { Log } from '../../../src/core/log/log.ts';
import { PeerChange } from '../peer-changes.ts';
import { SpokenFormats } from './formats.ts';

const Saved = z.object({
  id: z.string(),
  endpoint: z.string(),
  deviceId: z.string(),
  peer: z.object({
    address: z.string(),
    port: z.number(),
    /** Over DTLS: of a session that may be over. */
    proven: z
      .object({ session: z.string(), deviceId: z.string(), mark: z.string().optional() })
      .optional(),
  }),
  version: z.string(),
  queueMode: z.boolean(),
  lifetimeS: z.number(),
  expiresAt: z.number(),
  /** Time of the last registration or update; missing in files of an earlier version. */
  heardAt: z.number().default(0),
  contentFormats: z.array(z.number()),
  /** In which of them, or others, the device was understood. */
  spoken: SpokenFormats.optional(),
  /** The path below which the device keeps its objects. */
  root: z.array(z.string()).default([]),
  /** Paths of the objects and instances that it registered, and how many more there were. */
  objects: z.array(z.string()).default([]),
  leftOut: z.number().default(0),
  /** Time at which it registered them. */
  objectsAt: z.number().default(0),
});
export type SavedRegistration = z.infer<typeof Saved>;

const Line = z.union([
  z.object({ registration: Saved }),
  z.object({ change: PeerChange }),
  z.object({ ended: z.string() }),
  /** The endpoint, in files of an earlier version. */
  z.object({ gone: z.string() }),
  z.object({ settled: z.string() }),
]);
type Line = z.infer<typeof Line>;
type Content = { registrations: SavedRegistration[]; changes: PeerChange[] };

const SAVE_EVERY_MS = 1_000;
/** Entries made into text in one go, so that the event loop is not blocked for long. */
const SLICE = 500;
/** Superfluous lines after which the file is written anew. */
const SLACK = 10_000;

/**
 * The registrations and changes of address in a file, so that no device is silent after a restart until its
 * next update. Changes are appended, once a second; now and then the whole file is rewritten.
 */
export type RegistrationStore = {
  /** The saved content; empty when the file is missing. Call once, before any `put`. */
  load(): Promise<Content>;
  put(registration: SavedRegistration): void;
  remove(deviceId: string): void;
  putChange(change: PeerChange): void;
  removeChange(deviceId: string): void;
  /** Saves the pending changes. */
  close(): Promise<void>;
};

export function openRegistrationStore(
  file: string,
  { clock, log }: { clock: Clock; log: Log },
): RegistrationStore {
  const registrations = new Map<string, SavedRegistration>();
  const changes = new Map<string, PeerChange>();
  /** Latest state of each entry since the last save; made into text when it is written. */
  let dirty = new Map<string, () => Line>();
  let pending: { cancel: () => void; save: () => void } | null = null;
  let savedAt = Number.NEGATIVE_INFINITY;
  let last: Promise<void> = Promise.resolve();
  let handle: FileHandle | null = null;
  let lines = 0;
  let closed = false;

  async function append(to: FileHandle, entries: Iterable<() => Line>): Promise<void> {
    let text = '';
    let count = 0;
    for (const entry of entries) {
      text += `${JSON.stringify(entry())}\n`;
      lines += 1;
      count += 1;
      if (count % SLICE !== 0) continue;
      await to.appendFile(text);
      text = '';
      await breathe();
    }
    if (text !== '') await to.appendFile(text);
    await to.datasync();
  }

  function* everything(): Generator<() => Line> {
    for (const registration of registrations.values()) yield () => ({ registration });
    for (const change of changes.values()) yield () => ({ change });
  }

  async function compact(): Promise<void> {
    await handle?.close();
    handle = null;
    await mkdir(dirname(file), { recursive: true });
    await rm(`${file}.new`, { force: true });
    const fresh = await open(`${file}.new`, 'a', 0o600);
    try {
      lines = 0;
      await append(fresh, everything());
    } finally {
      await fresh.close();
    }
    await rename(`${file}.new`, file);
    handle = await open(file, 'a', 0o600);
  }

  async function save(): Promise<void> {
    const entries = dirty;
    dirty = new Map();
    try {
      if (!handle || lines + entries.size > 2 * registrations.size + SLACK) await compact();
      else await append(handle, entries.values());
    } catch (error) {
      // The next save rewrites the whole file.
      await handle?.close().catch(() => {});
      handle = null;
      log.error({ error }, 'the registrations could not be saved');
    }
  }

  function saveSoon(key: string, entry: () => Line): void {
    if (closed) return;
    dirty.set(key, entry);
    if (pending) return;
    const run = (): void => {
      pending = null;
      savedAt = clock.now();
      last = last.then(save);
    };
    const wait = Math.max(0, savedAt + SAVE_EVERY_MS - clock.now());
    pending = { cancel: clock.after(wait, run), save: run };
  }

  function take(line: Line, named: Map<string, string>): void {
    if ('registration' in line) {
      const { endpoint, deviceId } = line.registration;
      registrations.set(deviceId, line.registration);
      named.set(endpoint, deviceId);
    } else if ('change' in line) changes.set(line.change.deviceId, line.change);
    else if ('ended' in line) registrations.delete(line.ended);
    else if ('gone' in line) registrations.delete(named.get(line.gone) ?? '');
    else changes.delete(line.settled);
  }

  return {
    async load() {
      const text = await readFile(file, 'utf8').catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT'))
          log.warn({ error }, 'saved registrations not read, devices have to register again');
        return '';
      });
      let broken = 0;
      const named = new Map<string, string>();
      for (const [index, row] of text.split('\n').entries()) {
        if (index % SLICE === 0) await breathe();
        if (row === '') continue;
        const line = Line.safeParse(parsed(row));
        if (line.success) take(line.data, named);
        else broken += 1;
      }
      // A crash may tear the last line; the next save leaves it out.
      if (broken > 0) log.warn({ broken }, 'invalid lines of the saved registrations skipped');
      return { registrations: [...registrations.values()], changes: [...changes.values()] };
    },
    put(registration) {
      registrations.set(registration.deviceId, registration);
      saveSoon(`registration ${registration.deviceId}`, () => ({ registration }));
    },
    remove(deviceId) {
      registrations.delete(deviceId);
      saveSoon(`registration ${deviceId}`, () => ({ ended: deviceId }));
    },
    putChange(change) {
      changes.set(change.deviceId, change);
      saveSoon(`change ${change.deviceId}`, () => ({ change }));
    },
    removeChange(deviceId) {
      changes.delete(deviceId);
      saveSoon(`change ${deviceId}`, () => ({ settled: deviceId }));
    },
    async close() {
      closed = true;
      pending?.cancel();
      pending?.save();
      await last;
      await handle?.close();
      handle = null;
    },
  };
}

function parsed(row: string): unknown {
  try {
    return JSON.parse(row);
  } catch {
    return null;
  }
}
