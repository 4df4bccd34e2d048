import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';

import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/log/log.ts';
import {
  RESERVE,
  type Saveable,
  type SavedSession,
  type SessionKeeper,
} from '../../dtls/saved-session.ts';
import {
  type Entry,
  entryOf,
  type Line,
  lineIn,
  registered,
  rowsOf,
  type SavedRegistration,
  sessionEntry,
} from './journal.ts';
import type { PeerChange } from './peer-changes.ts';

type Content = {
  registrations: SavedRegistration[];
  changes: PeerChange[];
  /** Their sequence numbers are reserved on disk already. */
  sessions: SavedSession[];
};

/**
 * An update that was answered and not written is lost with the process: the registration would then end before the
 * device speaks again.
 */
const WRITE_EVERY_MS = 20;
/** What was written is lost with the power only. */
const SYNC_EVERY_MS = 1_000;
/** Entries made into text in one go, so that the event loop is not blocked for long. */
const SLICE = 500;
/** Lines for each registration and session, and beyond, after which the file is written anew. */
const MAX_LINES_OF_ONE = 4;
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

// oxlint-disable-next-line max-lines-per-function
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
  /** Registrations of which only the times are new since the last save. */
  let heard = new Set<SavedRegistration>();
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

  async function append(to: FileHandle, rows: Iterable<string>): Promise<void> {
    let text = '';
    let count = 0;
    for (const row of rows) {
      text += `${row}\n`;
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
      await append(fresh, rowsOf([], all));
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
    const [times, entries] = [heard, [...dirty.values()]];
    const isDue = isSyncDue || clock.elapsed() >= syncedAt + SYNC_EVERY_MS;
    heard = new Set();
    dirty = new Map();
    queued = false;
    isSyncDue = false;
    try {
      const due = lines + times.size + entries.length;
      if (!handle || due > MAX_LINES_OF_ONE * (registrations.size + sessions.size) + SLACK)
        return await compact();
      await append(handle, rowsOf(times, entries));
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
    saveInTime(isUrgent);
  }

  function saveInTime(isUrgent: boolean): void {
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
      if (closed) return;
      heard.add(registration);
      saveInTime(false);
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
      if (dirty.size > 0 || heard.size > 0 || isUnsynced) saveNow();
      await last;
      await handle?.close();
      handle = null;
    },
  };
}
