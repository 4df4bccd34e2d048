import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';

import type { Clock } from '../../../src/core/clock.ts';
import type { Log } from '../../../src/core/log/log.ts';
import {
  RESERVE,
  type Saveable,
  type SavedSession,
  type SessionKeeper,
} from '../../dtls/saved-session.ts';
import type { PeerChange } from '../peer/changes.ts';
import { heardLine, type Line, lineIn, type SavedRegistration } from './saved-line.ts';

type Content = {
  registrations: SavedRegistration[];
  changes: PeerChange[];
  /** Their sequence numbers are reserved on disk already. */
  sessions: SavedSession[];
};
type Entry = { text: () => string; isKept?: () => void };

/**
 * An update that was answered and not written is lost with the process: the registration would then end before the
 * device speaks again.
 */
const WRITE_EVERY_MS = 20;
/** What was written is lost with the power only. */
const SYNC_EVERY_MS = 1_000;
/** Entries made into text in one go, so that the event loop is not blocked for long. */
const SLICE = 500;
/** Superfluous lines after which the file is written anew. */
const SLACK = 10_000;

/**
 * The registrations and changes of address in a file, so that no device is silent after a restart until its
 * next update. Changes are appended at once and brought to the disk once a second; now and then the whole file is
 * rewritten.
 */
export type RegistrationStore = {
  /** The saved content; empty when the file is missing. Call once, before any `put`. */
  load(): Promise<Content>;
  put(registration: SavedRegistration): void;
  /** The same for one of which only the times changed. */
  heard(registration: SavedRegistration): void;
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
  const sessions = new Map<string, Saveable>();
  /**
   * Latest state of each entry since the last save, of a registration by the id of its device; made into text when it is
   * written.
   */
  let dirty = new Map<string, Entry>();
  let pending: { cancel: () => void } | null = null;
  /** Something was written that is not certainly on the disk; entries of it that are to hear when it is. */
  let isUnsynced = false;
  let written: Entry[] = [];
  let syncedAt = Number.NEGATIVE_INFINITY;
  let cancelSync: (() => void) | null = null;
  let last: Promise<void> = Promise.resolve();
  let handle: FileHandle | null = null;
  let lines = 0;
  /** A save waits for the one before it. */
  let queued = false;
  /** The next save is brought to the disk, however soon it comes. */
  let isSyncDue = false;
  let closed = false;

  async function append(to: FileHandle, entries: Iterable<Entry>): Promise<void> {
    let text = '';
    let count = 0;
    for (const entry of entries) {
      text += `${entry.text()}\n`;
      lines += 1;
      count += 1;
      if (count % SLICE !== 0) continue;
      await to.appendFile(text);
      text = '';
      await breathe();
    }
    if (text !== '') await to.appendFile(text);
  }

  /** Brings to the disk what was written. */
  async function sync(to: FileHandle): Promise<void> {
    cancelSync?.();
    cancelSync = null;
    syncedAt = clock.elapsed();
    const kept = written;
    isUnsynced = false;
    await to.datasync();
    written = [];
    for (const { isKept } of kept) isKept?.();
  }

  function* everything(): Generator<Entry> {
    for (const registration of registrations.values()) yield registered(registration);
    for (const change of changes.values()) yield entryOf({ change });
    for (const session of sessions.values()) yield sessionEntry(session);
  }

  async function compact(): Promise<void> {
    await handle?.close();
    handle = null;
    await mkdir(dirname(file), { recursive: true });
    await rm(`${file}.new`, { force: true });
    const fresh = await open(`${file}.new`, 'a', 0o600);
    const all = [...everything()];
    try {
      lines = 0;
      await append(fresh, all);
      await fresh.datasync();
    } finally {
      await fresh.close();
    }
    await rename(`${file}.new`, file);
    handle = await open(file, 'a', 0o600);
    written = all.filter(({ isKept }) => isKept);
    await sync(handle);
  }

  async function save(): Promise<void> {
    const entries = [...dirty.values()];
    const isDue = isSyncDue || clock.elapsed() >= syncedAt + SYNC_EVERY_MS;
    dirty = new Map();
    queued = false;
    isSyncDue = false;
    try {
      if (!handle || lines + entries.length > 2 * (registrations.size + sessions.size) + SLACK)
        return await compact();
      await append(handle, entries);
      for (const entry of entries) if (entry.isKept) written.push(entry);
      isUnsynced = true;
      if (isDue) return await sync(handle);
      cancelSync ??= clock.after(syncedAt + SYNC_EVERY_MS - clock.elapsed(), () => {
        cancelSync = null;
        if (!closed) saveNow();
      });
    } catch (error) {
      // The next save rewrites the whole file.
      await handle?.close().catch(() => {});
      handle = null;
      written = [];
      log.error({ error }, 'the registrations could not be saved');
    }
  }

  function saveNow(): void {
    pending?.cancel();
    pending = null;
    queued = true;
    last = last.then(save);
  }

  function saveSoon(key: string, entry: Entry, isUrgent = false): void {
    if (closed) return;
    dirty.set(key, entry);
    isSyncDue ||= isUrgent;
    // The save that is about to begin takes it along.
    if (queued || (pending && !isUrgent)) return;
    if (isUrgent) return saveNow();
    pending = { cancel: clock.after(WRITE_EVERY_MS, saveNow) };
  }

  function take(line: Line, named: Map<string, string>): void {
    if ('registration' in line) {
      const { endpoint, deviceId } = line.registration;
      registrations.set(deviceId, line.registration);
      named.set(endpoint, deviceId);
    } else if ('heard' in line) {
      const known = registrations.get(line.heard.deviceId);
      if (known?.id === line.heard.id) Object.assign(known, line.heard);
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
        const line = lineIn(row);
        if (line) take(line, named);
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
      saveSoon(registration.deviceId, registered(registration));
    },
    heard(registration) {
      if (registration.isUnsaved) return this.put(registration);
      // What waits to be written has the times of that moment.
      if (!dirty.has(registration.deviceId))
        saveSoon(registration.deviceId, { text: () => heardLine(registration) });
    },
    remove(deviceId) {
      registrations.delete(deviceId);
      saveSoon(deviceId, entryOf({ ended: deviceId }));
    },
    putChange(change) {
      changes.set(change.deviceId, change);
      saveSoon(`change ${change.deviceId}`, entryOf({ change }));
    },
    removeChange(deviceId) {
      changes.delete(deviceId);
      saveSoon(`change ${deviceId}`, entryOf({ settled: deviceId }));
    },
    sessions: {
      put(id, session, isUrgent) {
        sessions.set(id, session);
        saveSoon(`session ${id}`, sessionEntry(session), isUrgent);
      },
      remove(id) {
        if (!sessions.delete(id)) return;
        saveSoon(`session ${id}`, entryOf({ over: id }));
      },
    },
    async close() {
      closed = true;
      cancelSync?.();
      isSyncDue = true;
      if (dirty.size > 0 || isUnsynced) saveNow();
      await last;
      await handle?.close();
      handle = null;
    },
  };
}

const entryOf = (line: Line): Entry => ({ text: () => JSON.stringify(line) });

const sessionEntry = (session: Saveable): Entry => ({
  text: () => JSON.stringify({ session: session.saved() }),
  isKept: () => session.isKept(),
});

/** With the formats of the moment in which it is written. */
const registered = (registration: SavedRegistration): Entry => ({
  text() {
    delete registration.isUnsaved;
    return JSON.stringify({ registration });
  },
});
