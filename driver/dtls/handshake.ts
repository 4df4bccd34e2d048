import { randomBytes, timingSafeEqual } from 'node:crypto';

import type { TimerWheel } from '../timer-wheel.ts';
import { type ClientHello, serverHello } from './client-hello.ts';
import type { Address, PreSharedKey } from './contract.ts';
import { packed, pieces, Retransmission } from './flight.ts';
import { Assembly, fragmentsOf, HandshakeType, messageOf } from './handshake-message.ts';
import { finished, keysOf, masterSecret, type Randoms, transcriptHash } from './prf.ts';
import { opened, type Protection, sealed, type Suite } from './protection.ts';
import { ContentType, type DtlsRecord, plainRecord, ReplayWindow } from './record.ts';

/** What both sides agreed on: enough for a session. */
export type Agreed = {
  holder: string;
  mark: string;
  /** The pre-shared key that was proven. */
  key: Buffer;
  read: Protection;
  write: Protection;
  /** Epoch 1 of the client so far. */
  window: ReplayWindow;
  /** The next sequence number of epoch 1. */
  sequence: number;
  /** Sends the last flight with this sequence number, for a client that has not seen it. */
  lastFlight: (sequence: number) => void;
};

/** A key that may be the client's, with the messages before its proof. */
type Candidate = {
  holder: string;
  mark: string;
  key: Buffer;
  master: Buffer;
  read: Protection;
  write: Protection;
  transcript: readonly Buffer[];
};

/** Largest datagram that is sent, and room in it for what surrounds a piece of a message. */
const MAX_DATAGRAM = 1_200;
const OVERHEAD = 64;
const MAX_EARLY = 8;
/** Key exchanges are not authenticated: what another sends in between must not displace the client's. */
const MAX_EXCHANGES = 4;
const RANDOM_KEY_BYTES = 16;

type Given = {
  from: Address;
  hello: ClientHello;
  /** The ClientHello with its header, as the transcript has it. */
  message: Buffer;
  messageSequence: number;
  recordSequence: number;
  suite: Suite;
  /** Ours, for records of the client; null where no connection id was agreed on. */
  cid: Buffer | null;
  keys: (identity: Buffer) => readonly PreSharedKey[];
  send: (datagram: Buffer, to: Address) => void;
  wheel: TimerWheel;
  done: (agreed: Agreed) => void;
  /** The client did not prove a key in time. */
  ended: () => void;
  retransmitted: () => void;
};

/**
 * The server's side of a handshake with a pre-shared key after the cookie (RFC 6347 4.2, RFC 4279 2). A wrong key
 * and an unknown identity look alike: no answer, until the time is over. Nothing that is forged ends it.
 */
export class Handshake {
  readonly clientRandom: Buffer;
  readonly cid: Buffer | null;
  #given: Given;
  #randoms: Randoms;
  #transcript: Buffer[];
  #assembly = new Assembly();
  #flight: Buffer[];
  #sequence: number;
  #messageSequence: number;
  #window = new ReplayWindow();
  /** By the body of the key exchange. */
  #exchanges = new Map<string, readonly Candidate[]>();
  #isDone = false;
  #isSwitched = false;
  #early: DtlsRecord[] = [];
  #retransmission: Retransmission;

  constructor(given: Given) {
    const { hello, suite, cid, wheel } = given;
    this.#given = given;
    this.clientRandom = Buffer.from(hello.random);
    this.cid = cid;
    this.#randoms = { client: this.clientRandom, server: randomBytes(32) };
    this.#transcript = [Buffer.from(given.message)];
    // As the stateless answer before: in the sequence of the client (RFC 6347 4.2.1).
    this.#sequence = given.recordSequence;
    this.#messageSequence = given.messageSequence;
    this.#retransmission = new Retransmission(wheel, {
      again: () => this.repeat(),
      ended: given.ended,
    });
    const body = serverHello({ hello, random: this.#randoms.server, suite: suite.id, cid });
    this.#flight = [
      this.#message(HandshakeType.SERVER_HELLO, body),
      this.#message(HandshakeType.SERVER_HELLO_DONE, Buffer.alloc(0)),
    ];
    this.#sendFlight();
    this.#retransmission.start();
  }

  close(): void {
    this.#retransmission.stop();
  }

  /** The client asked again: it has not seen the flight. */
  repeat(): void {
    if (this.#exchanges.size > 0) return;
    this.#given.retransmitted();
    this.#sendFlight();
  }

  isOf(hello: ClientHello, messageSequence: number): boolean {
    return (
      this.clientRandom.equals(hello.random) && this.#given.messageSequence === messageSequence
    );
  }

  receive(record: DtlsRecord): void {
    if (this.#isDone) return;
    if (record.epoch === 1) return this.#receiveProtected(record);
    if (record.epoch !== 0 || record.cid !== null) return;
    if (record.type === ContentType.CHANGE_CIPHER_SPEC) {
      this.#isSwitched = true;
      return this.#takeEarly();
    }
    // Anything else in clear may be from anyone.
    if (record.type !== ContentType.HANDSHAKE) return;
    for (const fragment of fragmentsOf(record.fragment) ?? []) {
      if (fragment.sequence !== this.#given.messageSequence + 1) continue;
      if (fragment.type !== HandshakeType.CLIENT_KEY_EXCHANGE) continue;
      const body = this.#assembly.add(fragment);
      if (body) this.#receiveExchange(body);
    }
  }

  #receiveExchange(body: Buffer): void {
    const key = body.toString('latin1');
    if (this.#exchanges.has(key)) return;
    if (body.length < 2 || body.readUInt16BE(0) !== body.length - 2) return;
    // The client has the flight; what is missing now is its proof.
    if (this.#exchanges.size === 0) this.#retransmission.start();
    const sequence = this.#given.messageSequence + 1;
    const message = messageOf(HandshakeType.CLIENT_KEY_EXCHANGE, sequence, body);
    const known = this.#given.keys(body.subarray(2));
    // Like a wrong key: nothing shows which identities exist (RFC 4279 2).
    const keys = known.length > 0 ? known : [noKey()];
    const transcript = [...this.#transcript, message];
    const [oldest] = this.#exchanges.keys();
    if (oldest !== undefined && this.#exchanges.size >= MAX_EXCHANGES)
      this.#exchanges.delete(oldest);
    this.#exchanges.set(
      key,
      keys.map((each) => this.#candidateOf(each, transcript)),
    );
    this.#takeEarly();
  }

  #candidateOf({ key, holder, mark }: PreSharedKey, transcript: readonly Buffer[]): Candidate {
    const { suite, hello, cid } = this.#given;
    const session = hello.hasExtendedMaster ? transcriptHash(transcript) : null;
    const master = masterSecret(key, this.#randoms, session);
    const { client, server } = keysOf(master, this.#randoms);
    const peer = hello.cid === null || cid === null ? null : Buffer.from(hello.cid);
    return {
      holder,
      mark,
      key,
      master,
      read: { suite, ...client, cid },
      write: { suite, ...server, cid: peer },
      transcript,
    };
  }

  #receiveProtected(record: DtlsRecord): void {
    if (this.#exchanges.size === 0 || !this.#isSwitched) {
      if (this.#early.length >= MAX_EARLY) this.#early.shift();
      this.#early.push({ ...record, fragment: Buffer.from(record.fragment) });
      return;
    }
    if ((this.cid !== null) !== (record.cid !== null)) return;
    // Several tenants may use one identity, and a key may be on its way out: the key that fits decides.
    for (const candidate of [...this.#exchanges.values()].flat()) {
      const content = opened(candidate.read, record);
      if (!content) continue;
      if (content.type === ContentType.HANDSHAKE && this.#window.isNew(record.sequence)) {
        this.#window.take(record.sequence);
        this.#receiveFinished(content.data, candidate);
      }
      return;
    }
  }

  #receiveFinished(data: Buffer, candidate: Candidate): void {
    const { master, transcript } = candidate;
    const sequence = this.#given.messageSequence + 2;
    for (const fragment of fragmentsOf(data) ?? []) {
      if (fragment.type !== HandshakeType.FINISHED || fragment.sequence !== sequence) continue;
      const proof = this.#assembly.add(fragment);
      if (!proof) continue;
      const expected = finished(master, 'client', transcriptHash(transcript));
      if (proof.length !== expected.length || !timingSafeEqual(expected, proof)) continue;
      const message = messageOf(HandshakeType.FINISHED, sequence, proof);
      return this.#finish(candidate, transcriptHash([...transcript, message]));
    }
  }

  #finish({ holder, mark, key, master, read, write }: Candidate, transcript: Buffer): void {
    this.#isDone = true;
    this.#retransmission.stop();
    const body = finished(master, 'server', transcript);
    const last = messageOf(HandshakeType.FINISHED, this.#messageSequence, body);
    const { from, send } = this.#given;
    let plain = this.#sequence;
    const lastFlight = (sequence: number): void => {
      const change = plainRecord(ContentType.CHANGE_CIPHER_SPEC, plain, Buffer.of(1));
      plain += 1;
      const record = sealed(write, ContentType.HANDSHAKE, sequence, last);
      for (const datagram of packed([change, record], MAX_DATAGRAM)) send(datagram, from);
    };
    lastFlight(0);
    const window = this.#window;
    this.#given.done({ holder, mark, key, read, write, window, sequence: 1, lastFlight });
  }

  #takeEarly(): void {
    if (this.#exchanges.size === 0 || !this.#isSwitched) return;
    for (const record of this.#early.splice(0)) if (!this.#isDone) this.#receiveProtected(record);
  }

  #message(type: number, body: Buffer): Buffer {
    const message = messageOf(type, this.#messageSequence, body);
    this.#messageSequence += 1;
    this.#transcript.push(message);
    return message;
  }

  #sendFlight(): void {
    const records = this.#flight.flatMap((message) =>
      pieces(message, MAX_DATAGRAM - OVERHEAD).map((piece) => {
        this.#sequence += 1;
        return plainRecord(ContentType.HANDSHAKE, this.#sequence - 1, piece);
      }),
    );
    for (const datagram of packed(records, MAX_DATAGRAM))
      this.#given.send(datagram, this.#given.from);
  }
}

/** Nothing proves it. */
const noKey = (): PreSharedKey => ({ key: randomBytes(RANDOM_KEY_BYTES), holder: '', mark: '' });
