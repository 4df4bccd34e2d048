import type { Clock } from '../../../src/core/clock.ts';
import type { FailureReason, Peer } from '../contract.ts';
import { CoapFailure } from '../contract.ts';
import type { Message } from '../message/message.ts';
import { MessageType, serialiseMessage } from '../message/message.ts';
import type { Option } from '../message/option.ts';
import type { Counters } from '../stats.ts';
import type { PeerState, Remote } from './peer-table.ts';
import { PeerTable } from './peer-table.ts';
import type { Random } from './random.ts';
import { transmit } from './retransmission.ts';
import type { TimerWheel } from './timer-wheel.ts';

/** A message without the fields that the exchange adds: type, id and, for requests, token. */
export type Draft = { code: number; options: readonly Option[]; payload: Buffer };

type Exchange = {
  remote: Remote;
  draft: Draft;
  token: string;
  /** A separate response ends with its acknowledgement, a request with its response. */
  isRequest: boolean;
  deadline: number;
  state: PeerState<Exchange>;
  mid: number | null;
  stop: () => void;
  resolve: (response: Message | null) => void;
  reject: (failure: CoapFailure) => void;
};

const TOKEN_BYTES = 8; // unguessable off the path (RFC 7252 5.3.1)
const MAX_QUEUE_PER_PEER = 100;
const MAX_EXCHANGES = 50_000;
const MAX_ANSWER_WAIT_MS = 247_000;
const MAX_QUEUED_MS = 86_400_000;
const PAUSE_MS = 1000;

/** Confirmable messages sent by this endpoint: queued per peer, repeated, matched with the replies. */
export class Exchanges {
  #all = new Set<Exchange>();
  #byMid = new Map<string, Exchange>();
  #byToken = new Map<string, Exchange>();
  #peers: PeerTable<Exchange>;
  #closed = false;
  #clock: Clock;
  #wheel: TimerWheel;
  #random: Random;
  #counters: Counters;
  #send: (bytes: Buffer, peer: Peer) => void;

  constructor(parts: {
    clock: Clock;
    wheel: TimerWheel;
    random: Random;
    counters: Counters;
    send: (bytes: Buffer, peer: Peer) => void;
  }) {
    this.#clock = parts.clock;
    this.#wheel = parts.wheel;
    this.#random = parts.random;
    this.#counters = parts.counters;
    this.#send = parts.send;
    this.#peers = new PeerTable(parts.clock, parts.random);
  }

  get size(): number {
    return this.#all.size;
  }

  isVerified(key: string): boolean {
    return this.#peers.find(key)?.verified ?? false;
  }

  newToken(): string {
    return this.#random(TOKEN_BYTES).toString('latin1');
  }

  /** One request, one response; rejects with a `CoapFailure`. */
  async request(
    remote: Remote,
    draft: Draft,
    deadline: number,
    token = this.newToken(),
  ): Promise<Message> {
    const response = await this.#begin(remote, draft, { token, deadline, isRequest: true });
    if (!response) throw new CoapFailure('bad-response');
    return response;
  }

  /** A separate response, repeated until acknowledged (RFC 7252 5.2.2). */
  async confirm(remote: Remote, token: string, draft: Draft): Promise<void> {
    const deadline = this.#clock.now() + MAX_ANSWER_WAIT_MS;
    await this.#begin(remote, draft, { token, deadline, isRequest: false });
  }

  /** An id for a non-confirmable message; null when the peer has used up its ids. */
  midFor(key: string): number | null {
    const state = this.#peers.of(key);
    return state && this.#peers.takeMid(state);
  }

  /** The peer has the message: no more repetitions, the next one may go (RFC 7252 4.2, 4.7). */
  acknowledged(key: string, mid: number): void {
    const exchange = this.#byMid.get(`${key}#${mid}`);
    if (!exchange) return;
    if (!exchange.isRequest) {
      this.#end(exchange);
      exchange.resolve(null);
      return;
    }
    exchange.stop();
    const limitMs = Math.min(MAX_ANSWER_WAIT_MS, exchange.deadline - this.#clock.now());
    const timer = this.#wheel.add(limitMs, () => this.#fail(exchange, 'timeout-after-ack'));
    exchange.stop = () => this.#wheel.cancel(timer);
    this.#release(exchange);
  }

  reset(key: string, mid: number): void {
    const exchange = this.#byMid.get(`${key}#${mid}`);
    if (exchange) this.#fail(exchange, 'reset');
  }

  /**
   * Passes a response to the waiting request; false without one. An acknowledgement must match by id and
   * token, any other response by token (RFC 7252 5.3.2).
   */
  responded(key: string, response: Message): boolean {
    const exchange =
      response.type === MessageType.ACK
        ? this.#byMid.get(`${key}#${response.mid}`)
        : this.#byToken.get(`${key}#${response.token}`);
    if (!exchange?.isRequest || exchange.token !== response.token) return false;
    exchange.state.verified = true;
    this.#end(exchange);
    exchange.resolve(response);
    return true;
  }

  close(): void {
    this.#closed = true;
    for (const exchange of this.#all) this.#fail(exchange, 'closed');
    this.#peers.close();
  }

  #begin(
    remote: Remote,
    draft: Draft,
    how: { token: string; deadline: number; isRequest: boolean },
  ): Promise<Message | null> {
    const waitMs = Math.min(MAX_QUEUED_MS, how.deadline - this.#clock.now());
    if (this.#closed) return Promise.reject(new CoapFailure('closed'));
    if (!(waitMs > 0)) return Promise.reject(new CoapFailure('expired-in-queue'));
    const state = this.#peers.of(remote.key);
    if (!state || state.queue.length >= MAX_QUEUE_PER_PEER || this.#all.size >= MAX_EXCHANGES)
      return Promise.reject(new CoapFailure('queue-full'));
    return new Promise((resolve, reject) => {
      const exchange: Exchange = {
        remote,
        draft,
        ...how,
        state,
        mid: null,
        resolve,
        reject,
        stop: () => this.#wheel.cancel(timer),
      };
      const timer = this.#wheel.add(waitMs, () => this.#fail(exchange, 'expired-in-queue'));
      this.#all.add(exchange);
      state.queue.push(exchange);
      this.#next(state);
    });
  }

  #next(state: PeerState<Exchange>): void {
    const exchange = state.queue[0];
    if (!exchange || state.outstanding || state.paused || this.#closed) return;
    const mid = this.#peers.takeMid(state);
    if (mid === null) {
      state.paused = true;
      this.#wheel.add(PAUSE_MS, () => {
        state.paused = false;
        this.#next(state);
      });
      return;
    }
    state.queue.shift();
    state.outstanding = true;
    this.#start(exchange, mid);
  }

  #start(exchange: Exchange, mid: number): void {
    const { remote, draft, token } = exchange;
    const bytes = serialiseMessage({ type: MessageType.CON, mid, token, ...draft });
    exchange.mid = mid;
    exchange.stop();
    this.#byMid.set(`${remote.key}#${mid}`, exchange);
    if (exchange.isRequest) this.#byToken.set(`${remote.key}#${token}`, exchange);
    exchange.stop = transmit(this.#wheel, {
      random: (this.#random(1)[0] ?? 0) / 255,
      limitMs: exchange.deadline - this.#clock.now(),
      send: (repeated) => {
        if (repeated) this.#counters.retransmissions++;
        this.#send(bytes, remote.peer);
      },
      giveUp: () => this.#fail(exchange, 'timeout-before-ack'),
    });
  }

  #fail(exchange: Exchange, reason: FailureReason): void {
    this.#end(exchange);
    exchange.reject(new CoapFailure(reason));
  }

  #end(exchange: Exchange): void {
    exchange.stop();
    this.#all.delete(exchange);
    if (exchange.mid === null) {
      const { queue } = exchange.state;
      const index = queue.indexOf(exchange);
      if (index !== -1) queue.splice(index, 1);
      return;
    }
    if (exchange.isRequest) this.#byToken.delete(`${exchange.remote.key}#${exchange.token}`);
    this.#release(exchange);
  }

  #release(exchange: Exchange): void {
    // Not found: the empty acknowledgement came earlier and has already started the next message.
    if (!this.#byMid.delete(`${exchange.remote.key}#${exchange.mid}`)) return;
    exchange.state.outstanding = false;
    this.#next(exchange.state);
  }
}
