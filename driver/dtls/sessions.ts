import { randomBytes } from 'node:crypto';

import { CountByKey } from '../../src/kernel/count.ts';
import type { Address } from './contract.ts';
import type { Handshake } from './handshake.ts';
import type { Session } from './session.ts';

const MAX_HANDSHAKES = 10_000;
/** Handshakes of one host, behind which may be many devices. */
const MAX_OF_HOST = 256;
export const CID_BYTES = 6;
const MAX_SESSIONS = 100_000;
/** Of one holder: a client that began anew, perhaps elsewhere, leaves its former session behind. */
const MAX_OF_HOLDER = 4;

const addressKey = ({ address, port }: Address): string => `${address} ${port}`;
const cidKey = (cid: Buffer): string => cid.toString('latin1');

/** The living sessions by address and by connection id; when there are too many, the one longest silent goes. */
export class Sessions {
  /** In the order of what was heard last. */
  #byId = new Map<string, Session>();
  #byAddress = new Map<string, Session>();
  #byCid = new Map<string, Session>();
  #byHolder = new Map<string, Session[]>();
  #ended: (session: Session) => void;

  constructor(ended: (session: Session) => void) {
    this.#ended = ended;
  }

  get size(): number {
    return this.#byId.size;
  }

  byId(id: string): Session | undefined {
    return this.#byId.get(id);
  }

  byAddress(address: Address): Session | undefined {
    return this.#byAddress.get(addressKey(address));
  }

  byCid(cid: Buffer): Session | undefined {
    return this.#byCid.get(cidKey(cid));
  }

  newCid(isTaken: (cid: Buffer) => boolean): Buffer {
    for (;;) {
      const cid = randomBytes(CID_BYTES);
      if (!this.#byCid.has(cidKey(cid)) && !isTaken(cid)) return cid;
    }
  }

  /** A session without connection ids that had this address before ends: its client began anew. */
  add(session: Session): void {
    const former = this.byAddress(session.address);
    if (former && former.cid === null) this.remove(former);
    this.#byId.set(session.id, session);
    this.#byAddress.set(addressKey(session.address), session);
    if (session.cid) this.#byCid.set(cidKey(session.cid), session);
    const own = this.ofHolder(session.holder);
    this.#byHolder.set(session.holder, [...own, session]);
    const silent = own.length < MAX_OF_HOLDER ? undefined : longestSilent(own);
    if (silent) this.remove(silent);
    if (this.#byId.size <= MAX_SESSIONS) return;
    const [oldest] = this.#byId.values();
    if (oldest) this.remove(oldest);
  }

  heard(session: Session): void {
    this.#byId.delete(session.id);
    this.#byId.set(session.id, session);
  }

  /** The client answers from elsewhere now; a session without connection ids keeps its address. */
  moved(session: Session, to: Address): void {
    const former = addressKey(session.address);
    if (this.#byAddress.get(former) === session) this.#byAddress.delete(former);
    session.address = to;
    const other = this.byAddress(to);
    if (!other || other.cid !== null) this.#byAddress.set(addressKey(to), session);
  }

  remove(session: Session): void {
    if (!this.#byId.delete(session.id)) return;
    const key = addressKey(session.address);
    if (this.#byAddress.get(key) === session) this.#byAddress.delete(key);
    if (session.cid) this.#byCid.delete(cidKey(session.cid));
    const rest = this.ofHolder(session.holder).filter((other) => other !== session);
    if (rest.length > 0) this.#byHolder.set(session.holder, rest);
    else this.#byHolder.delete(session.holder);
    this.#ended(session);
  }

  ofHolder(holder: string): readonly Session[] {
    return this.#byHolder.get(holder) ?? [];
  }

  all(): readonly Session[] {
    return [...this.#byId.values()];
  }
}

const longestSilent = (sessions: readonly Session[]): Session | undefined =>
  sessions.toSorted((one, other) => one.heardAt - other.heardAt)[0];

/** Handshakes that were begun and not ended, bounded in all and for each host. */
export class HalfOpen {
  #byAddress = new Map<string, Handshake>();
  #byCid = new Map<string, Handshake>();
  #ofHost = new CountByKey();

  get size(): number {
    return this.#byAddress.size;
  }

  hasRoom({ address }: Address): boolean {
    return this.size < MAX_HANDSHAKES && this.#ofHost.of(address) < MAX_OF_HOST;
  }

  byAddress(address: Address): Handshake | undefined {
    return this.#byAddress.get(addressKey(address));
  }

  byCid(cid: Buffer): Handshake | undefined {
    return this.#byCid.get(cid.toString('latin1'));
  }

  add(from: Address, handshake: Handshake): void {
    this.#byAddress.set(addressKey(from), handshake);
    if (handshake.cid) this.#byCid.set(handshake.cid.toString('latin1'), handshake);
    this.#ofHost.add(from.address, 1);
  }

  remove(from: Address): void {
    const handshake = this.byAddress(from);
    if (!handshake) return;
    handshake.close();
    this.#byAddress.delete(addressKey(from));
    if (handshake.cid) this.#byCid.delete(handshake.cid.toString('latin1'));
    this.#ofHost.add(from.address, -1);
  }

  close(): void {
    for (const handshake of this.#byAddress.values()) handshake.close();
    this.#byAddress.clear();
    this.#byCid.clear();
    this.#ofHost = new CountByKey();
  }
}
