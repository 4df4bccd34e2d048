import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';

import { z } from 'zod';

import type { Clock } from '../../../src/core/clock.ts';
import type { Log } from '../../../src/core/log/log.ts';
import {
  RESERVE,
  type Saveable,
  type SavedSession,
  type SessionKeeper,
} from '../../dtls/saved-session.ts';
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
  /** Digest of the factory key that this registration with the device's own key made needless. */
  spent: z.string().optional(),
});
export type SavedRegistration = z.infer<typeof Saved>;

/** A DTLS session, see `SavedSession`. */
const Session = z.object({
  id: z.string(),
  holder: z.string(),
  address: z.object({ address: z.string(), port: z.number() }),
  sequence: z.number(),
  newest: z.number(),
  secret: z.string(),
});

const Line = z.union([
  z.object({ registration: Saved }),
  z.object({ change: PeerChange }),
  z.object({ ended: z.string() }),
  /** The endpoint, in files of an earlier version. */
  z.object({ gone: z.string() }),
  z.object({ settled: z.string() }),
  z.object({ session: Session }),
  z.object({ over: z.string() }),
]);
type Line = z.infer<typeof Line>;
type Content = {
  registrations: SavedRegistration[];
  changes: PeerChange[];
  /** Their sequence numbers are reserved on disk already. */
  sessions: SavedSession[];
};
type Entry = { line: () => Line; isKept?: () => void };

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
  sessions: SessionKeeper;
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
  const sessions = new Map<string, Saveable>();
  let dirty = new Map<string, Entry>();
  let pending: { cancel: () => void; save: () => void } | null = null;
  let savedAt = Number.NEGATIVE_INFINITY;
  let last: Promise<void> = Promise.resolve();
  let handle: FileHandle | null = null;
  let lines = 0;
  /** A save waits for the one before it. */
  let queued = false;
  let closed = false;

  async function append(to: FileHandle, entries: Iterable<Entry>): Promise<void> {
    let text = '';
    let count = 0;
    for (const entry of entries) {
      text += `${JSON.stringify(entry.line())}\n`;
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

  function* everything(): Generator<Entry> {
    for (const registration of registrations.values()) yield { line: () => ({ registration }) };
    for (const change of changes.values()) yield { line: () => ({ change }) };
    for (const session of sessions.values()) yield entryOf(session);
  }

  async function compact(): Promise<void> {
    await handle?.close();
    handle = null;
    await mkdir(dirname(file), { recursive: true });
    await rm(`${file}.new`, { force: true });
    const fresh = await open(`${file}.new`, 'a', 0o600);
    let kept: Entry[] = [];
    try {
      lines = 0;
      const all = [...everything()];
      await append(fresh, all);
      kept = all;
    } finally {
      await fresh.close();
    }
    await rename(`${file}.new`, file);
    handle = await open(file, 'a', 0o600);
    for (const { isKept } of kept) isKept?.();
  }

  async function save(): Promise<void> {
    const entries = dirty;
    dirty = new Map();
    queued = false;
    try {
      if (!handle || lines + entries.size > 2 * (registrations.size + sessions.size) + SLACK)
        await compact();
      else {
        await append(handle, entries.values());
        for (const { isKept } of entries.values()) isKept?.();
      }
    } catch (error) {
      // The next save rewrites the whole file.
      await handle?.close().catch(() => {});
      handle = null;
      log.error({ error }, 'the registrations could not be saved');
    }
  }

  function saveSoon(key: string, entry: Entry, isUrgent = false): void {
    if (closed) return;
    dirty.set(key, entry);
    // The save that is about to begin takes it along.
    if (queued || (pending && !isUrgent)) return;
    pending?.cancel();
    const run = (): void => {
      pending = null;
      queued = true;
      savedAt = clock.now();
      last = last.then(save);
    };
    if (isUrgent) return run();
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
    else if ('session' in line) {
      const { sequence } = line.session;
      // From here on this process may use them.
      const saved = { ...line.session, sequence: sequence + RESERVE };
      sessions.set(saved.id, { saved: () => saved, isKept() {} });
    } else if ('over' in line) sessions.delete(line.over);
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
      if (sessions.size > 0)
        await compact().catch((error: unknown) => {
          // Without the reservation on disk their numbers might come twice.
          sessions.clear();
          log.warn({ error }, 'saved DTLS sessions not restored, devices have to open new ones');
        });
      return {
        registrations: [...registrations.values()],
        changes: [...changes.values()],
        sessions: [...sessions.values()].map((session) => {
          const saved = session.saved();
          return { ...saved, sequence: saved.sequence - RESERVE };
        }),
      };
    },
    put(registration) {
      registrations.set(registration.deviceId, registration);
      saveSoon(`registration ${registration.deviceId}`, {
        line: () => ({ registration }),
      });
    },
    remove(deviceId) {
      registrations.delete(deviceId);
      saveSoon(`registration ${deviceId}`, { line: () => ({ ended: deviceId }) });
    },
    putChange(change) {
      changes.set(change.deviceId, change);
      saveSoon(`change ${change.deviceId}`, { line: () => ({ change }) });
    },
    removeChange(deviceId) {
      changes.delete(deviceId);
      saveSoon(`change ${deviceId}`, { line: () => ({ settled: deviceId }) });
    },
    sessions: {
      put(id, session, isUrgent) {
        sessions.set(id, session);
        saveSoon(`session ${id}`, entryOf(session), isUrgent);
      },
      remove(id) {
        if (sessions.delete(id)) saveSoon(`session ${id}`, { line: () => ({ over: id }) });
      },
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

const entryOf = (session: Saveable): Entry => ({
  line: () => ({ session: session.saved() }),
  isKept: () => session.isKept(),
});

function parsed(row: string): unknown {
  try {
    return JSON.parse(row);
  } catch {
    return null;
  }
}
