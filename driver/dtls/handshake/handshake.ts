import { randomBytes, timingSafeEqual } from 'node:crypto';

import type { TimerWheel } from '../../coap/exchange/timer-wheel.ts';
import type { Address, PreSharedKey } from '../contract.ts';
import { opened, type Protection, sealed } from '../record/protection.ts';
import { ContentType, type DtlsRecord, plainRecord } from '../record/record.ts';
import { ReplayWindow } from '../record/replay-window.ts';
import type { Suite } from '../record/suite.ts';
import { Assembly } from './assembly.ts';
import { type ClientHello, serverHello } from './client-hello.ts';
import { packed, pieces, Retransmission } from './flight.ts';
import { fragmentsOf, HandshakeType, messageOf } from './message.ts';
import { finished, keysOf, masterSecret, type Randoms, transcriptHash } from './prf.ts';

/** What both sides agreed on: enough for a session. */
export type Agreed = {
  holder: string;
  read: Protection;
  write: Protection;
  /** Epoch 1 of the client so far. */
  window: ReplayWindow;
  /** The next sequence number of epoch 1. */
  sequence: number;
  /** Sends the last flight with this sequence number, for a client that has not seen it. */
  lastFlight: (sequence: number) => void;
};

type Candidate = { holder: string; master: Buffer; read: Protection; write: Protection };

/** Largest datagram that is sent, and room in it for what surrounds a piece of a message. */
const MAX_DATAGRAM = 1_200;
const OVERHEAD = 64;
const MAX_EARLY = 8;
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
  #assembly: Assembly;
  #flight: Buffer[];
  #sequence: number;
  #messageSequence: number;
  #window = new ReplayWindow();
  #protected = new ReplayWindow();
  #candidates: Candidate[] = [];
  #chosen: Candidate | null = null;
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
    this.#assembly = new Assembly(given.messageSequence + 1);
    // As the stateless answer before: in the sequence of the client (RFC 6347 4.2.1).
    this.#sequence = given.recordSequence;
    this.#messageSequence = given.messageSequence;
    this.#window.take(given.recordSequence);
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
    if (this.#candidates.length > 0) return;
    this.#given.retransmitted();
    this.#sendFlight();
  }

  receive(record: DtlsRecord): void {
    if (record.epoch === 1) return this.#receiveProtected(record);
    if (record.epoch !== 0 || record.cid !== null || !this.#window.isNew(record.sequence)) return;
    this.#window.take(record.sequence);
    if (record.type === ContentType.CHANGE_CIPHER_SPEC) {
      this.#isSwitched = true;
      return this.#takeEarly();
    }
    // Anything else in clear may be from anyone.
    if (record.type === ContentType.HANDSHAKE) this.#receiveHandshake(record.fragment);
  }

  #receiveHandshake(data: Buffer): void {
    for (const fragment of fragmentsOf(data) ?? []) {
      if (this.#assembly.isPast(fragment)) return this.repeat();
      this.#assembly.add(fragment);
    }
    if (this.#candidates.length > 0) return;
    const exchange = this.#assembly.take(HandshakeType.CLIENT_KEY_EXCHANGE);
    if (!exchange) return;
    const { body, sequence } = exchange;
    if (body.length < 2 || body.readUInt16BE(0) !== body.length - 2) return;
    // The client has the flight; what is missing now is its proof.
    this.#retransmission.start();
    this.#transcript.push(messageOf(HandshakeType.CLIENT_KEY_EXCHANGE, sequence, body));
    const known = this.#given.keys(body.subarray(2));
    // Like a wrong key: nothing shows which identities exist (RFC 4279 2).
    const keys = known.length > 0 ? known : [{ key: randomBytes(RANDOM_KEY_BYTES), holder: '' }];
    this.#candidates = keys.map((key) => this.#candidateOf(key));
    this.#takeEarly();
  }

  #candidateOf({ key, holder }: PreSharedKey): Candidate {
    const { suite, hello, cid } = this.#given;
    const session = hello.hasExtendedMaster ? transcriptHash(this.#transcript) : null;
    const master = masterSecret(key, this.#randoms, session);
    const { client, server } = keysOf(master, this.#randoms);
    const peer = hello.cid === null || cid === null ? null : Buffer.from(hello.cid);
    return {
      holder,
      master,
      read: { suite, ...client, cid },
      write: { suite, ...server, cid: peer },
    };
  }

  #receiveProtected(record: DtlsRecord): void {
    if (this.#candidates.length === 0 || !this.#isSwitched) {
      const fragment = Buffer.from(record.fragment);
      if (this.#early.length < MAX_EARLY) this.#early.push({ ...record, fragment });
      return;
    }
    if ((this.cid !== null) !== (record.cid !== null)) return;
    if (!this.#protected.isNew(record.sequence)) return;
    // Several tenants may use one identity, and a key may be on its way out: the key that fits decides.
    for (const candidate of this.#candidates) {
      const content = opened(candidate.read, record);
      if (content?.type !== ContentType.HANDSHAKE) continue;
      this.#protected.take(record.sequence);
      this.#chosen = candidate;
      return this.#receiveFinished(content.data, candidate);
    }
  }

  #receiveFinished(data: Buffer, candidate: Candidate): void {
    for (const fragment of fragmentsOf(data) ?? []) this.#assembly.add(fragment);
    const proof = this.#assembly.take(HandshakeType.FINISHED);
    if (!proof) return;
    const expected = finished(candidate.master, 'client', transcriptHash(this.#transcript));
    if (!timingSafeEqual(expected, proof.body)) return;
    this.#transcript.push(messageOf(HandshakeType.FINISHED, proof.sequence, proof.body));
    this.#retransmission.stop();
    const body = finished(candidate.master, 'server', transcriptHash(this.#transcript));
    const last = this.#message(HandshakeType.FINISHED, body);
    const { from, send } = this.#given;
    let plain = this.#sequence;
    const lastFlight = (sequence: number): void => {
      const change = plainRecord(ContentType.CHANGE_CIPHER_SPEC, plain, Buffer.of(1));
      plain += 1;
      const record = sealed(candidate.write, ContentType.HANDSHAKE, sequence, last);
      for (const datagram of packed([change, record], MAX_DATAGRAM)) send(datagram, from);
    };
    lastFlight(0);
    const { holder, read, write } = candidate;
    this.#given.done({ holder, read, write, window: this.#protected, sequence: 1, lastFlight });
  }

  #takeEarly(): void {
    if (this.#candidates.length === 0 || !this.#isSwitched) return;
    const early = this.#early;
    this.#early = [];
    for (const record of early) if (!this.#chosen) this.#receiveProtected(record);
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
