import type { Clock } from '../../src/kernel/clock.ts';
import type { Log } from '../../src/kernel/process/log.ts';
import type { TimerWheel } from '../timer-wheel.ts';
import type { CoapReply, CoapRequest, Counters, Method, Peer } from './contract.ts';
import { Downloads } from './download.ts';
import type { Exchanges } from './exchange.ts';
import { Handling } from './handling.ts';
import { type Block, blockOf } from './message/block.ts';
import type { Dedup } from './message/dedup.ts';
import {
  Code,
  emptyMessage,
  type Message,
  MessageType,
  serialiseMessage,
} from './message/message.ts';
import { type Option, OptionNumber, recognise, textsOf, uintOf } from './message/option.ts';
import type { Remote } from './peer-table.ts';
import { roomFor, shapeReply } from './reply.ts';
import { Uploads } from './upload.ts';

/**
 * The code that refuses a request before its body is accepted; `silent` to drop it without an answer; null
 * to accept it.
 */
export type Admit = (head: Omit<CoapRequest, 'payload'>) => number | 'silent' | null;

/** A request in progress. */
type Turn = {
  remote: Remote;
  message: Message;
  datagramBytes: number;
  /** Of the datagram, see `printOf`. */
  print: number;
  method: Method;
  options: readonly Option[];
  block1: Block | null;
  block2: Block | null;
  /** The empty acknowledgement was sent, so the reply is a separate message. */
  acknowledged: boolean;
};

type Parts = {
  clock: Clock;
  log: Log;
  wheel: TimerWheel;
  dedup: Dedup;
  exchanges: Exchanges;
  counters: Counters;
  send: (bytes: Buffer, peer: Peer) => void;
  onRequest: (request: CoapRequest) => Promise<CoapReply>;
  admit?: Admit;
};

const METHODS: readonly (Method | undefined)[] = [
  undefined,
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'FETCH',
  'PATCH',
  'IPATCH',
];

const MAX_BODY_BYTES = 256 * 1024;
const MAX_BODIES_BYTES = 32 * 1024 * 1024;

/** The server's side: handles a request, after deduplication, up to its reply. */
export class Incoming {
  #parts: Parts;
  #handling: Handling;
  #uploads: Uploads;
  #downloads: Downloads;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#handling = new Handling(parts);
    this.#downloads = new Downloads(parts.clock, { maxTotalBytes: MAX_BODIES_BYTES });
    this.#uploads = new Uploads(parts.clock, {
      maxBodyBytes: MAX_BODY_BYTES,
      maxTotalBytes: MAX_BODIES_BYTES,
      maxUploads: 1000,
      maxPerPeer: 4,
      maxPerHost: 64,
    });
  }

  get handling(): number {
    return this.#handling.size;
  }

  /** Drops transfers without progress; to be called now and then. */
  sweep(): void {
    this.#uploads.sweep();
    this.#downloads.sweep();
  }

  /** `datagramBytes` is the size of the received datagram, `print` tells it from others, see `printOf`. */
  receive(remote: Remote, message: Message, datagram: Pick<Turn, 'print' | 'datagramBytes'>): void {
    this.#parts.dedup.add(remote.key, datagram.print, 'quiet');
    const method = METHODS[message.code];
    const options = recognise(message.options, 'request');
    const turn: Turn = {
      remote,
      message,
      ...datagram,
      method: method ?? 'POST',
      options: typeof options === 'number' ? [] : options,
      block1: null,
      block2: null,
      acknowledged: false,
    };
    if (typeof options === 'number') {
      // A non-confirmable request is rejected without an answer (RFC 7252 5.4.1).
      if (message.type === MessageType.CON) this.#reply(turn, { code: Code.BAD_OPTION });
      return;
    }
    if (!method) return this.#reply(turn, { code: Code.METHOD_NOT_ALLOWED });
    if (options.some(isForProxy)) return this.#reply(turn, { code: Code.PROXYING_NOT_SUPPORTED });
    const block1 = blockOf(options, OptionNumber.BLOCK1);
    const block2 = blockOf(options, OptionNumber.BLOCK2);
    if (block1 === 'invalid' || block2 === 'invalid')
      return this.#reply(turn, { code: Code.BAD_REQUEST });
    turn.block1 = block1;
    turn.block2 = block2;
    const isFirst = block1 === null || block1.number === 0;
    const refusal = isFirst ? (this.#parts.admit?.(headOf(turn)) ?? null) : null;
    if (refusal === 'silent') return void this.#parts.counters.limited++;
    if (refusal !== null) return this.#reply(turn, { code: refusal });
    if (block1) return this.#takeBlock(turn, block1);
    if (block2 && block2.number > 0) return this.#laterBlock(turn);
    this.#handle(turn, message.payload);
  }

  #takeBlock(turn: Turn, block: Block): void {
    const from = {
      key: `${resourceOf(turn)} ${requestTagOf(turn)}`,
      peer: turn.remote.key,
      host: turn.remote.peer.address,
      contentFormat: uintOf(turn.options, OptionNumber.CONTENT_FORMAT),
      announced: uintOf(turn.options, OptionNumber.SIZE1),
    };
    const step = this.#uploads.take(from, block, turn.message.payload);
    if (step.outcome === 'complete') this.#handle(turn, step.body);
    else this.#reply(turn, { code: step.outcome === 'continue' ? Code.CONTINUE : step.code });
  }

  #laterBlock(turn: Turn): void {
    const kept = this.#downloads.find(resourceOf(turn));
    if (kept) this.#reply(turn, kept);
    else if (isSafe(turn.method)) this.#handle(turn, turn.message.payload);
    else this.#reply(turn, { code: Code.REQUEST_ENTITY_INCOMPLETE });
  }

  #handle(turn: Turn, payload: Buffer): void {
    const { remote } = turn;
    const request: CoapRequest = { ...headOf(turn), payload };
    const slow = () => this.#acknowledge(turn);
    const accepted = this.#handling.run(remote.key, request, slow, (reply) =>
      this.#reply(turn, reply),
    );
    if (accepted) return;
    this.#parts.counters.limited++;
    this.#reply(turn, { code: Code.SERVICE_UNAVAILABLE });
  }

  /** Acknowledges a request; its reply will come separately (RFC 7252 5.2.2). */
  #acknowledge(turn: Turn): void {
    const { remote, message } = turn;
    if (message.type !== MessageType.CON) return;
    turn.acknowledged = true;
    const bytes = emptyMessage(MessageType.ACK, message.mid);
    this.#parts.dedup.replace(remote.key, turn.print, bytes);
    this.#parts.send(bytes, remote.peer);
  }

  #reply(turn: Turn, reply: CoapReply): void {
    const { dedup, exchanges, counters, send } = this.#parts;
    const { remote, message, options, block1, block2 } = turn;
    const { mid, token } = message;
    const verified = exchanges.isVerified(remote.key);
    const roomBytes = roomFor(turn.datagramBytes, token.length, verified);
    const asked = { options, block1, block2, roomBytes, maxBodyBytes: MAX_BODY_BYTES };
    const { draft, more } = shapeReply(reply, asked);
    if (more) this.#downloads.keep(resourceOf(turn), reply);
    else if (block2) this.#downloads.drop(resourceOf(turn));
    // A device that left and counts its ids from the start may send again, byte for byte, what it sent before.
    if (draft.code === Code.DELETED) dedup.forgetReplies(remote.key, turn.print);
    if (message.type === MessageType.NON) {
      const own = exchanges.midFor(remote.key);
      if (own === null) counters.limited++;
      else
        send(serialiseMessage({ type: MessageType.NON, mid: own, token, ...draft }), remote.peer);
    } else if (turn.acknowledged) {
      exchanges.confirm(remote, token, draft).catch((cause: unknown) => {
        this.#parts.log.debug({ peer: remote.peer, cause }, 'a separate CoAP reply was lost');
      });
    } else {
      const bytes = serialiseMessage({ type: MessageType.ACK, mid, token, ...draft });
      // Handling a safe request again does no harm; storing its reply would cost 0.7 GB at 10,000 a second.
      dedup.replace(remote.key, turn.print, isSafe(turn.method) ? 'repeat' : bytes);
      send(bytes, remote.peer);
    }
  }
}

function headOf({ options, method, remote }: Turn): Omit<CoapRequest, 'payload'> {
  return {
    peer: remote.peer,
    method,
    path: textsOf(options, OptionNumber.URI_PATH),
    query: textsOf(options, OptionNumber.URI_QUERY),
    contentFormat: uintOf(options, OptionNumber.CONTENT_FORMAT),
    accept: uintOf(options, OptionNumber.ACCEPT),
    observe: uintOf(options, OptionNumber.OBSERVE),
  };
}

function isSafe(method: Method): boolean {
  return method === 'GET' || method === 'FETCH';
}

function isForProxy({ number }: Option): boolean {
  return number === OptionNumber.PROXY_URI || number === OptionNumber.PROXY_SCHEME;
}

/** Peer, method, URI and format: equal in the requests for all blocks of one body. */
function resourceOf({ remote, method, options }: Turn): string {
  const path = textsOf(options, OptionNumber.URI_PATH);
  const query = textsOf(options, OptionNumber.URI_QUERY);
  const accept = uintOf(options, OptionNumber.ACCEPT);
  return JSON.stringify([remote.key, method, path, query, accept]);
}

function requestTagOf({ options }: Turn): string {
  const tags = options.filter(({ number }) => number === OptionNumber.REQUEST_TAG);
  return tags.map(({ value }) => value.toString('hex')).join('.');
}
