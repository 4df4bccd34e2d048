import { randomBytes } from 'node:crypto';

import type { Clock } from '../../src/kernel/clock.ts';
import { TimerWheel } from '../timer-wheel.ts';
import { type ClientHello, parseClientHello } from './client-hello.ts';
import {
  type Address,
  type DtlsCounters,
  newDtlsCounters,
  type PreSharedKey,
  type SessionFacts,
} from './contract.ts';
import { type Cookies, createCookies } from './cookie.ts';
import { type Fragment, fragmentsOf, HandshakeType, messageOf } from './handshake-message.ts';
import { type Agreed, Handshake } from './handshake.ts';
import { suites } from './protection.ts';
import { ContentType, DTLS_1_0, type DtlsRecord, plainRecord, recordsOf } from './record.ts';
import { openedKeys, type SavedSession, sealedKeys, type SessionKeeper } from './saved-session.ts';
import { Session } from './session.ts';
import { CID_BYTES, HalfOpen, Sessions } from './sessions.ts';

/**
 * DTLS 1.2 with pre-shared keys, as a server without a transport (RFC 6347, 4279, 6655, 5487, 7627, 9146): datagrams
 * come in by `receive` and leave by `send`. Nothing is kept of a client before it returned a cookie; what is forged,
 * replayed or of no session is counted and not answered.
 */
export class DtlsServer {
  readonly counters: DtlsCounters = newDtlsCounters();
  #clock: Clock;
  #wheel: TimerWheel;
  #cookies: Cookies;
  #halfOpen: HalfOpen;
  #sessions: Sessions;
  #given: {
    send: (datagram: Buffer, to: Address) => void;
    keys: (identity: Buffer) => readonly PreSharedKey[];
    received: (session: SessionFacts, data: Buffer) => void;
    ended: (session: SessionFacts) => void;
    keeper?: SessionKeeper | undefined;
  };

  constructor(given: {
    clock: Clock;
    send: (datagram: Buffer, to: Address) => void;
    /** The keys of an identity, compared as bytes; none for an unknown one. */
    keys: (identity: Buffer) => readonly PreSharedKey[];
    received: (session: SessionFacts, data: Buffer) => void;
    ended: (session: SessionFacts) => void;
    /** Where sessions are kept that are to outlive this process; without it they end with it. */
    keeper?: SessionKeeper | undefined;
  }) {
    this.#given = given;
    this.#clock = given.clock;
    this.#wheel = new TimerWheel(given.clock);
    this.#cookies = createCookies(given.clock);
    this.#halfOpen = new HalfOpen();
    this.#sessions = new Sessions((session) => {
      given.keeper?.remove(session.id);
      given.ended(session);
    });
  }

  get size(): { sessions: number; halfOpen: number } {
    return { sessions: this.#sessions.size, halfOpen: this.#halfOpen.size };
  }

  /** Whether the session lives; data for one that ended is dropped. */
  send(sessionId: string, data: Buffer): boolean {
    const session = this.#sessions.byId(sessionId);
    const record = session?.seal(data);
    if (!session) return false;
    if (session.isLow) this.#given.keeper?.put(session.id, session, true);
    if (!record) return false;
    this.#given.send(record, session.address);
    return true;
  }

  /** Goes on with a session of an earlier process; false where none of the keys is the one that it was opened with. */
  restore(saved: SavedSession, keys: readonly PreSharedKey[]): boolean {
    const sealed = Buffer.from(saved.secret, 'base64');
    for (const { key, holder, mark } of keys) {
      const found = holder === saved.holder ? openedKeys(sealed, key) : null;
      if (!found) continue;
      const session = Session.restored(saved, found, { mark, now: this.#clock.now() });
      this.#sessions.add(session);
      this.#given.keeper?.put(session.id, session);
      return true;
    }
    this.#given.keeper?.remove(saved.id);
    return false;
  }

  session(id: string): SessionFacts | null {
    return this.#sessions.byId(id) ?? null;
  }

  /** Closes the sessions that were opened with a key of this holder, but for those whose key still counts. */
  endOf(holder: string, counts: (mark: string) => boolean = () => false): void {
    for (const session of this.#sessions.ofHolder(holder))
      if (!counts(session.mark)) this.#end(session);
  }

  /** Ends the sessions, but for those that are kept. */
  close(): void {
    if (!this.#given.keeper) for (const session of this.#sessions.all()) this.#end(session);
    this.#halfOpen.close();
    this.#cookies.close();
    this.#wheel.close();
  }

  receive(datagram: Buffer, from: Address): void {
    this.counters.received += 1;
    const { records, isWhole } = recordsOf(datagram, CID_BYTES);
    if (!isWhole) this.counters.malformed += 1;
    for (const record of records) this.#receiveRecord(record, from);
  }

  #receiveRecord(record: DtlsRecord, from: Address): void {
    const hello = helloIn(record);
    if (hello === 'malformed') this.counters.malformed += 1;
    else if (hello) this.#receiveHello(hello, record, from);
    else if (record.cid) this.#receiveWithCid(record, record.cid, from);
    else this.#receiveFrom(record, from);
  }

  #receiveWithCid(record: DtlsRecord, cid: Buffer, from: Address): void {
    const session = this.#sessions.byCid(cid);
    const pending = session ? undefined : this.#halfOpen.byCid(cid);
    if (session) this.#receiveIn(session, record, from);
    else if (pending) pending.receive(record);
    else this.counters.unknown += 1;
  }

  #receiveFrom(record: DtlsRecord, from: Address): void {
    const session = this.#sessions.byAddress(from);
    const pending = this.#halfOpen.byAddress(from);
    // Both at once: the client began anew, and the former session lives until the new one is proven (RFC 6347 4.2.8).
    if (pending) pending.receive(record);
    if (session && record.epoch === 1) this.#receiveIn(session, record, from);
    else if (!session && !pending) this.counters.unknown += 1;
  }

  #receiveIn(session: Session, record: DtlsRecord, from: Address): void {
    const got = session.receive(record, this.#clock.now());
    switch (got.kind) {
      case 'data':
        this.#sessions.heard(session);
        // Only the newest authentic record moves a session (RFC 9146 6).
        if (got.isNewest && session.cid && !isSame(session.address, from))
          this.#sessions.moved(session, from);
        this.#given.keeper?.put(session.id, session);
        return this.#given.received(session, got.data);
      case 'closed':
        return this.#end(session);
      case 'forged':
        this.counters.forged += 1;
        return;
      case 'replayed':
        this.counters.replayed += 1;
        return;
      case 'ignored':
    }
  }

  #receiveHello(
    { hello, fragment }: { hello: ClientHello; fragment: Fragment },
    { sequence }: DtlsRecord,
    from: Address,
  ): void {
    const pending = this.#halfOpen.byAddress(from);
    if (hello.cookie.length > 0 && pending?.isOf(hello, fragment.sequence)) return pending.repeat();
    if (this.#sessions.byAddress(from)?.clientRandom.equals(hello.random)) return;
    if (!this.#cookies.isOurs(hello.cookie, from, hello.withoutCookie)) {
      if (hello.cookie.length > 0) this.counters.wrongCookies += 1;
      return this.#askForCookie(hello, fragment, { sequence, from });
    }
    this.#begin(hello, fragment, { sequence, from });
  }

  #askForCookie(
    { withoutCookie }: ClientHello,
    fragment: Fragment,
    { sequence, from }: { sequence: number; from: Address },
  ): void {
    this.counters.cookies += 1;
    const cookie = this.#cookies.of(from, withoutCookie);
    const body = Buffer.concat([Buffer.of(DTLS_1_0 >> 8, DTLS_1_0 & 0xff, cookie.length), cookie]);
    const message = messageOf(HandshakeType.HELLO_VERIFY_REQUEST, fragment.sequence, body);
    this.#given.send(plainRecord(ContentType.HANDSHAKE, sequence, message, DTLS_1_0), from);
  }

  #begin(
    hello: ClientHello,
    fragment: Fragment,
    { sequence, from }: { sequence: number; from: Address },
  ): void {
    const suite = suites.find(({ id }) => hello.suites.includes(id));
    if (!suite) {
      // The address is proven: the client may know why (handshake_failure).
      this.#given.send(plainRecord(ContentType.ALERT, sequence, Buffer.of(2, 40)), from);
      return;
    }
    this.#halfOpen.remove(from);
    if (!this.#halfOpen.hasRoom(from)) {
      this.counters.limited += 1;
      return;
    }
    const cid =
      hello.cid === null
        ? null
        : this.#sessions.newCid((made) => this.#halfOpen.byCid(made) !== undefined);
    const address = { ...from };
    const handshake = new Handshake({
      from: address,
      hello,
      message: messageOf(HandshakeType.CLIENT_HELLO, fragment.sequence, fragment.body),
      messageSequence: fragment.sequence,
      recordSequence: sequence,
      suite,
      cid,
      keys: this.#given.keys,
      send: this.#given.send,
      wheel: this.#wheel,
      done: (agreed) => this.#opened(handshake, agreed, address),
      ended: () => {
        this.counters.unproven += 1;
        this.#halfOpen.remove(address);
      },
      retransmitted: () => {
        this.counters.retransmissions += 1;
      },
    });
    this.#halfOpen.add(address, handshake);
  }

  #opened({ clientRandom }: Handshake, agreed: Agreed, address: Address): void {
    this.#halfOpen.remove(address);
    this.counters.handshakes += 1;
    const id = randomBytes(8).toString('hex');
    const { keeper } = this.#given;
    const secret = keeper ? sealedKeys({ ...agreed, clientRandom }, agreed.key) : null;
    const now = this.#clock.now();
    const session = new Session(agreed, { id, address, clientRandom, now, secret });
    this.#sessions.add(session);
    keeper?.put(id, session);
  }

  #end(session: Session): void {
    const farewell = session.closeNotify();
    if (farewell) this.#given.send(farewell, session.address);
    this.#sessions.remove(session);
  }
}

const MAX_HELLO_SEQUENCE = 2 ** 32;
/** Each cookie that has become too old is asked for again, under the next number. */
const MAX_HELLOS = 16;

const isSame = (one: Address, other: Address): boolean =>
  one.port === other.port && one.address === other.address;

/** The ClientHello in a record. A fragmented one cannot be answered without a state (RFC 6347 4.2.1). */
function helloIn({
  type,
  epoch,
  sequence,
  fragment: data,
}: DtlsRecord): { hello: ClientHello; fragment: Fragment } | 'malformed' | null {
  if (epoch !== 0 || type !== ContentType.HANDSHAKE) return null;
  if (data[0] !== HandshakeType.CLIENT_HELLO) return null;
  const [fragment, ...others] = fragmentsOf(data) ?? [];
  if (!fragment || others.length > 0 || fragment.body.length !== fragment.length)
    return 'malformed';
  // The answers go on from these numbers.
  if (sequence > MAX_HELLO_SEQUENCE || fragment.sequence >= MAX_HELLOS) return 'malformed';
  const hello = parseClientHello(fragment.body);
  return hello ? { hello, fragment } : 'malformed';
}
