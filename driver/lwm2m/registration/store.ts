import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';

import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
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

type Parts = { clock: Clock; log: Log };

/**
 * The registrations and changes of address in a file, so that no device is silent after a restart until its
 * next update. Changes are appended at once and brought to the disk once a second; now and then the whole file is
 * rewritten.
 */
export class RegistrationStore {
  readonly #parts: Parts;
  readonly #file: string;
  readonly #registrations = new Map<string, SavedRegistration>();
  readonly #changes = new Map<string, PeerChange>();
  readonly #sessions = new Map<string, Saveable>();
  /**
   * Latest state of each entry since the last save, of a registration by the id of its device; made into text when it is
   * written.
   */
  #dirty = new Map<string, Entry>();
  /** Registrations of which only the times are new since the last save. */
  #heard = new Set<SavedRegistration>();
  #pending: { cancel: () => void } | null = null;
  /** Something was written that is not certainly on the disk; entries of it that are to hear when it is. */
  #isUnsynced = false;
  #written: Entry[] = [];
  #syncedAt = Number.NEGATIVE_INFINITY;
  #cancelSync: (() => void) | null = null;
  #last: Promise<void> = Promise.resolve();
  #handle: FileHandle | null = null;
  #lines = 0;
  /** A save waits for the one before it. */
  #queued = false;
  /** The next save is brought to the disk, however soon it comes. */
  #isSyncDue = false;
  #closed = false;
  readonly sessions: SessionKeeper = {
    put: (id, session, isUrgent) => {
      this.#sessions.set(id, session);
      this.#saveSoon(`session ${id}`, sessionEntry(session), isUrgent);
    },
    remove: (id) => {
      if (!this.#sessions.delete(id)) return;
      this.#saveSoon(`session ${id}`, entryOf({ over: id }));
    },
  };

  constructor(file: string, parts: Parts) {
    this.#file = file;
    this.#parts = parts;
  }

  /** The saved content; empty when the file is missing. Call once, before any `put`. */
  async load(): Promise<Content> {
    const { log } = this.#parts;
    const text = await readFile(this.#file, 'utf8').catch((error: unknown) => {
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
      if (line) this.#take(line, named);
      else broken += 1;
    }
    // A crash may tear the last line; the next save leaves it out.
    if (broken > 0) log.warn({ broken }, 'invalid lines of the saved registrations skipped');
    if (this.#sessions.size > 0)
      await this.#compact().catch((error: unknown) => {
        // Without the reservation on disk their numbers might come twice.
        this.#sessions.clear();
        log.warn({ error }, 'saved DTLS sessions not restored, devices have to open new ones');
      });
    return {
      registrations: [...this.#registrations.values()],
      changes: [...this.#changes.values()],
      sessions: [...this.#sessions.values()].map((session) => {
        const saved = session.saved();
        return { ...saved, sequence: saved.sequence - RESERVE };
      }),
    };
  }

  put(registration: SavedRegistration): void {
    this.#registrations.set(registration.deviceId, registration);
    this.#saveSoon(registration.deviceId, registered(registration));
  }

  /** The same for one of which only the times changed. */
  heard(registration: SavedRegistration): void {
    if (registration.isUnsaved) return this.put(registration);
    if (this.#closed) return;
    this.#heard.add(registration);
    this.#saveInTime(false);
  }

  remove(deviceId: string): void {
    this.#registrations.delete(deviceId);
    this.#saveSoon(deviceId, entryOf({ ended: deviceId }));
  }

  putChange(change: PeerChange): void {
    this.#changes.set(change.deviceId, change);
    this.#saveSoon(`change ${change.deviceId}`, entryOf({ change }));
  }

  removeChange(deviceId: string): void {
    this.#changes.delete(deviceId);
    this.#saveSoon(`change ${deviceId}`, entryOf({ settled: deviceId }));
  }

  /** Saves the pending changes. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelSync?.();
    this.#isSyncDue = true;
    if (this.#dirty.size > 0 || this.#heard.size > 0 || this.#isUnsynced) this.#saveNow();
    await this.#last;
    await this.#handle?.close();
    this.#handle = null;
  }

  readonly #save = async (): Promise<void> => {
    const { clock, log } = this.#parts;
    const [times, entries] = [this.#heard, [...this.#dirty.values()]];
    const isDue = this.#isSyncDue || clock.elapsed() >= this.#syncedAt + SYNC_EVERY_MS;
    this.#heard = new Set();
    this.#dirty = new Map();
    this.#queued = false;
    this.#isSyncDue = false;
    try {
      const due = this.#lines + times.size + entries.length;
      if (
        !this.#handle ||
        due > MAX_LINES_OF_ONE * (this.#registrations.size + this.#sessions.size) + SLACK
      )
        return await this.#compact();
      await this.#append(this.#handle, rowsOf(times, entries));
      for (const entry of entries) if (entry.isKept) this.#written.push(entry);
      this.#isUnsynced = true;
      if (isDue) return await this.#sync(this.#handle);
      this.#cancelSync ??= clock.after(this.#syncedAt + SYNC_EVERY_MS - clock.elapsed(), () => {
        this.#cancelSync = null;
        if (!this.#closed) this.#saveNow();
      });
    } catch (error) {
      // The next save rewrites the whole file.
      await this.#handle?.close().catch(() => {});
      this.#handle = null;
      this.#written = [];
      log.error({ error }, 'the registrations could not be saved');
    }
  };

  readonly #saveNow = (): void => {
    this.#pending?.cancel();
    this.#pending = null;
    this.#queued = true;
    this.#last = this.#last.then(this.#save);
  };

  async #append(to: FileHandle, rows: Iterable<string>): Promise<void> {
    let text = '';
    let count = 0;
    for (const row of rows) {
      text += `${row}\n`;
      this.#lines += 1;
      count += 1;
      if (count % SLICE !== 0) continue;
      await to.appendFile(text);
      text = '';
      await breathe();
    }
    if (text !== '') await to.appendFile(text);
  }

  /** Brings to the disk what was written. */
  async #sync(to: FileHandle): Promise<void> {
    this.#cancelSync?.();
    this.#cancelSync = null;
    this.#syncedAt = this.#parts.clock.elapsed();
    const kept = this.#written;
    this.#isUnsynced = false;
    await to.datasync();
    this.#written = [];
    for (const { isKept } of kept) isKept?.();
  }

  *#everything(): Generator<Entry> {
    for (const registration of this.#registrations.values()) yield registered(registration);
    for (const change of this.#changes.values()) yield entryOf({ change });
    for (const session of this.#sessions.values()) yield sessionEntry(session);
  }

  async #compact(): Promise<void> {
    await this.#handle?.close();
    this.#handle = null;
    await mkdir(dirname(this.#file), { recursive: true });
    await rm(`${this.#file}.new`, { force: true });
    const fresh = await open(`${this.#file}.new`, 'a', 0o600);
    const all = [...this.#everything()];
    try {
      this.#lines = 0;
      await this.#append(fresh, rowsOf([], all));
      await fresh.datasync();
    } finally {
      await fresh.close();
    }
    await rename(`${this.#file}.new`, this.#file);
    this.#handle = await open(this.#file, 'a', 0o600);
    this.#written = all.filter(({ isKept }) => isKept);
    await this.#sync(this.#handle);
  }

  #saveSoon(key: string, entry: Entry, isUrgent = false): void {
    if (this.#closed) return;
    this.#dirty.set(key, entry);
    this.#saveInTime(isUrgent);
  }

  #saveInTime(isUrgent: boolean): void {
    this.#isSyncDue ||= isUrgent;
    // The save that is about to begin takes it along.
    if (this.#queued || (this.#pending && !isUrgent)) return;
    if (isUrgent) return this.#saveNow();
    this.#pending = { cancel: this.#parts.clock.after(WRITE_EVERY_MS, this.#saveNow) };
  }

  #take(line: Line, named: Map<string, string>): void {
    if ('registration' in line) {
      const { endpoint, deviceId } = line.registration;
      this.#registrations.set(deviceId, line.registration);
      named.set(endpoint, deviceId);
    } else if ('heard' in line) {
      const known = this.#registrations.get(line.heard.deviceId);
      if (known?.id === line.heard.id) Object.assign(known, line.heard);
    } else if ('change' in line) this.#changes.set(line.change.deviceId, line.change);
    else if ('ended' in line) this.#registrations.delete(line.ended);
    else if ('session' in line) {
      const { sequence } = line.session;
      // From here on this process may use them.
      const saved = { ...line.session, sequence: sequence + RESERVE };
      this.#sessions.set(saved.id, { saved: () => saved, isKept() {} });
    } else if ('over' in line) this.#sessions.delete(line.over);
    else if ('gone' in line) this.#registrations.delete(named.get(line.gone) ?? '');
    else this.#changes.delete(line.settled);
  }
}
