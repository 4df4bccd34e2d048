import type { Address } from './contract.ts';
import type { Agreed } from './handshake.ts';
import { opened, type Protection, sealed } from './protection.ts';
import { ContentType, type DtlsRecord, MAX_SEQUENCE, ReplayWindow } from './record.ts';
import {
  copied,
  RESERVE,
  type Saveable,
  type SavedSession,
  type SessionKeys,
} from './saved-session.ts';

const WARNING = 1;
const CLOSE_NOTIFY = 0;
/** Of a session that sends much; each saving reserves more than was used since the one before. */
const MAX_RESERVE = 65_536;
const GROWTH = 4;

/** What a record of a session was. */
export type Received =
  | { kind: 'data'; data: Buffer; isNewest: boolean }
  | { kind: 'closed' | 'forged' | 'replayed' | 'ignored' };

/** Keys and numbers of a client that proved its key. */
export class Session implements Saveable {
  readonly id: string;
  readonly holder: string;
  readonly mark: string;
  /** Ours, in the records of the client; null where none was agreed on. */
  readonly cid: Buffer | null;
  readonly clientRandom: Buffer;
  address: Address;
  heardAt: number;
  #read: Protection;
  #write: Protection;
  #window: ReplayWindow;
  #sequence: number;
  /** Until the first data of the client shows that it has the last flight. */
  #lastFlight: Agreed['lastFlight'] | null;
  /** The keys as they are saved; null where sessions are not saved. */
  #secret: Buffer | null;
  /** No sequence number from here on is used: first it has to be on disk that it may be. */
  #limit: number;
  /** What the last saving said: the limit, and the number that was next. */
  #saved: { limit: number; at: number };

  constructor(
    {
      read,
      write,
      window,
      ...agreed
    }: Omit<Agreed, 'key' | 'lastFlight'> & {
      lastFlight: Agreed['lastFlight'] | null;
    },
    given: {
      id: string;
      address: Address;
      clientRandom: Buffer;
      now: number;
      secret: Buffer | null;
    },
  ) {
    this.id = given.id;
    this.holder = agreed.holder;
    this.mark = agreed.mark;
    this.#read = kept(read);
    this.#write = kept(write);
    this.cid = this.#read.cid;
    this.clientRandom = copied(given.clientRandom);
    this.address = given.address;
    this.heardAt = given.now;
    this.#window = window;
    this.#sequence = agreed.sequence;
    this.#lastFlight = agreed.lastFlight;
    this.#secret = given.secret;
    // A session that was never saved is not restored: none of its numbers can come twice.
    this.#limit = given.secret ? agreed.sequence + RESERVE : MAX_SEQUENCE + 1;
    this.#saved = { limit: this.#limit, at: agreed.sequence };
  }

  /** As it was saved, with the next process's right to its numbers. */
  static restored(
    saved: SavedSession,
    { read, write, clientRandom }: SessionKeys,
    { mark, now }: { mark: string; now: number },
  ): Session {
    const window = new ReplayWindow(saved.newest);
    const { id, holder, address, sequence } = saved;
    const secret = Buffer.from(saved.secret, 'base64');
    const agreed = { holder, mark, read, write, window, sequence, lastFlight: null };
    return new Session(agreed, { id, address, clientRandom, now, secret });
  }

  saved(): SavedSession {
    const { id, holder, address } = this;
    const at = this.#sequence;
    const reserve = Math.max(RESERVE, Math.min(MAX_RESERVE, GROWTH * (at - this.#saved.at)));
    this.#saved = { limit: at + reserve, at };
    const secret = this.#secret?.toString('base64') ?? '';
    const newest = this.#window.newest;
    return { id, holder, address, sequence: this.#saved.limit, newest, secret };
  }

  isKept(): void {
    this.#limit = Math.max(this.#limit, this.#saved.limit);
  }

  /** Whether it has to be saved soon to go on. */
  get isLow(): boolean {
    return this.#secret !== null && this.#limit - this.#sequence < RESERVE / 2;
  }

  /** A record with `data`; null once the numbers are used up (RFC 6347 4.1), or until more of them are reserved. */
  seal(data: Buffer, type: number = ContentType.APPLICATION_DATA): Buffer | null {
    if (this.#sequence > MAX_SEQUENCE || this.#sequence >= this.#limit) return null;
    this.#sequence += 1;
    return sealed(this.#write, type, this.#sequence - 1, data);
  }

  closeNotify(): Buffer | null {
    return this.seal(Buffer.of(WARNING, CLOSE_NOTIFY), ContentType.ALERT);
  }

  receive(record: DtlsRecord, now: number): Received {
    // Where a connection id was agreed on, only records with it count (RFC 9146 3).
    if (record.epoch !== 1 || (this.cid !== null) !== (record.cid !== null))
      return { kind: 'ignored' };
    if (!this.#window.isNew(record.sequence)) return { kind: 'replayed' };
    const isNewest = record.sequence > this.#window.newest;
    const content = opened(this.#read, record);
    if (!content) return { kind: 'forged' };
    this.#window.take(record.sequence);
    this.heardAt = now;
    switch (content.type) {
      case ContentType.APPLICATION_DATA:
        this.#lastFlight = null;
        return { kind: 'data', data: content.data, isNewest };
      case ContentType.ALERT:
        // Every alert in a session ends it, but a warning other than the farewell.
        return content.data[0] === WARNING && content.data[1] !== CLOSE_NOTIFY
          ? { kind: 'ignored' }
          : { kind: 'closed' };
      case ContentType.HANDSHAKE:
        // The client sent its proof again: it has not seen the end of the handshake.
        if (this.#sequence < this.#limit) this.#lastFlight?.(this.#sequence);
        this.#sequence += 1;
        return { kind: 'ignored' };
      default:
        return { kind: 'ignored' };
    }
  }
}

const kept = ({ suite, key, iv, cid }: Protection): Protection => ({
  suite,
  key: copied(key),
  iv: copied(iv),
  cid: cid && copied(cid),
});
