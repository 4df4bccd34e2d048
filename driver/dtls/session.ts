import type { Address } from './contract.ts';
import type { Agreed } from './handshake/handshake.ts';
import { opened, type Protection, sealed } from './record/protection.ts';
import { ContentType, type DtlsRecord, MAX_SEQUENCE } from './record/record.ts';
import type { ReplayWindow } from './record/replay-window.ts';

const WARNING = 1;
const CLOSE_NOTIFY = 0;

/** What a record of a session was. */
export type Received =
  | { kind: 'data'; data: Buffer; isNewest: boolean }
  | { kind: 'closed' | 'forged' | 'replayed' | 'ignored' };

/** Keys and numbers of a client that proved its key. */
export class Session {
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

  constructor(
    agreed: Agreed,
    given: { id: string; address: Address; clientRandom: Buffer; now: number },
  ) {
    this.id = given.id;
    this.holder = agreed.holder;
    this.mark = agreed.mark;
    this.cid = agreed.read.cid;
    this.clientRandom = given.clientRandom;
    this.address = given.address;
    this.heardAt = given.now;
    this.#read = kept(agreed.read);
    this.#write = kept(agreed.write);
    this.#window = agreed.window;
    this.#sequence = agreed.sequence;
    this.#lastFlight = agreed.lastFlight;
  }

  /** A record with `data`; null once the numbers are used up (RFC 6347 4.1). */
  seal(data: Buffer, type: number = ContentType.APPLICATION_DATA): Buffer | null {
    if (this.#sequence > MAX_SEQUENCE) return null;
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
        this.#lastFlight?.(this.#sequence);
        this.#sequence += 1;
        return { kind: 'ignored' };
      default:
        return { kind: 'ignored' };
    }
  }
}

/** Copies of their own: parts of a shared page would keep all of it. */
function kept({ suite, key, iv, cid }: Protection): Protection {
  const copy = (bytes: Buffer): Buffer => Buffer.from(Uint8Array.from(bytes).buffer);
  return { suite, key: copy(key), iv: copy(iv), cid: cid && copy(cid) };
}
