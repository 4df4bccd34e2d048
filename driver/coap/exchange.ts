import type { Clock } from '../../src/kernel/clock.ts';
import type { TimerWheel } from '../timer-wheel.ts';
import {
  CoapFailure,
  type Counters,
  type FailureReason,
  type Sending,
  type Peer,
  type Silence,
} from './contract.ts';
import { type Message, MessageType, serialiseMessage } from './message/message.ts';
import type { Option } from './message/option.ts';
import type { Random } from './message/random.ts';
import { transmit } from './message/retransmission.ts';
import { drop, type PeerState, PeerTable, type Remote } from './peer-table.ts';

/** A message without the fields that the exchange adds: type, id and, for requests, token. */
export type Draft = { code: number; options: readonly Option[]; payload: Buffer };

type Exchange = {
  remote: Remote;
  draft: Draft;
  token: string;
  /** A separate response ends with its acknowledgement, a request with its response. */
  isRequest: boolean;
  isBeside: boolean;
  transmitted?: Sending['transmitted'];
  deadline: number;
  state: PeerState<Exchange>;
  mid: number | null;
  isOver: boolean;
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

/**
 * Confirmable messages sent by this endpoint: queued per peer, repeated, matched with the replies. Each is kept with its
 * peer alone: a map of all of them would leave tables behind that keep what they held (see `TimerWheel`).
 */
export class Exchanges {
  #size = 0;
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
    return this.#size;
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
    { deadline, isBeside = false, transmitted }: Sending,
    token = this.newToken(),
  ): Promise<Message> {
    const how = { token, deadline, isRequest: true, isBeside, transmitted };
    const response = await this.#begin(remote, draft, how);
    if (!response) throw new CoapFailure('bad-response');
    return response;
  }

  /** A separate response, repeated until acknowledged (RFC 7252 5.2.2). */
  async confirm(remote: Remote, token: string, draft: Draft): Promise<void> {
    const deadline = this.#clock.now() + MAX_ANSWER_WAIT_MS;
    await this.#begin(remote, draft, { token, deadline, isRequest: false, isBeside: false });
  }

  /** An id for a non-confirmable message; null when the peer has used up its ids. */
  midFor(key: string): number | null {
    const state = this.#peers.of(key);
    return state && this.#peers.takeMid(state);
  }

  /** The peer has the message: no more repetitions, the next one may go (RFC 7252 4.2, 4.7). */
  acknowledged(key: string, mid: number): void {
    const exchange = this.#unacknowledged(key, mid);
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
    const { state } = exchange;
    state.acknowledged.push(exchange);
    this.#free(exchange);
  }

  reset(key: string, mid: number): void {
    const exchange = this.#unacknowledged(key, mid);
    if (exchange) this.#fail(exchange, 'reset');
  }

  /**
   * Passes a response to the waiting request; false without one. An acknowledgement must match by id and
   * token, any other response by token (RFC 7252 5.3.2).
   */
  responded(key: string, response: Message): boolean {
    const exchange =
      response.type === MessageType.ACK
        ? this.#unacknowledged(key, response.mid)
        : this.#waiting(key, response.token);
    if (!exchange?.isRequest || exchange.token !== response.token) return false;
    exchange.state.verified = true;
    this.#end(exchange);
    exchange.resolve(response);
    return true;
  }

  /** The peer sent something. */
  heard(key: string): void {
    const state = this.#peers.find(key);
    if (state) state.unanswered = null;
  }

  silenceOf(key: string): Silence | null {
    const unanswered = this.#peers.find(key)?.unanswered;
    if (!unanswered) return null;
    return { forMs: this.#clock.elapsed() - unanswered.since, sent: unanswered.sent };
  }

  /** Ends all requests to a peer that is not there any more. */
  leave(key: string): void {
    const state = this.#peers.find(key);
    if (!state) return;
    const { outstanding, beside, acknowledged, queue } = state;
    // Those first that were never sent, or the next of them would be.
    for (const exchange of queue.slice()) this.#fail(exchange, 'expired-in-queue');
    for (const exchange of [outstanding, beside])
      if (exchange) this.#fail(exchange, 'timeout-before-ack');
    for (const exchange of acknowledged.slice()) this.#fail(exchange, 'timeout-after-ack');
  }

  close(): void {
    this.#closed = true;
    for (const { outstanding, beside, acknowledged, queue } of this.#peers.all())
      for (const exchange of [outstanding ?? [], beside ?? [], acknowledged, queue].flat())
        this.#fail(exchange, 'closed');
    this.#peers.close();
  }

  #begin(
    remote: Remote,
    draft: Draft,
    how: Pick<Exchange, 'token' | 'deadline' | 'isRequest' | 'isBeside' | 'transmitted'>,
  ): Promise<Message | null> {
    const waitMs = Math.min(MAX_QUEUED_MS, how.deadline - this.#clock.now());
    if (this.#closed) return Promise.reject(new CoapFailure('closed'));
    if (!(waitMs > 0)) return Promise.reject(new CoapFailure('expired-in-queue'));
    const state = this.#peers.of(remote.key);
    if (!state || state.queue.length >= MAX_QUEUE_PER_PEER || this.#size >= MAX_EXCHANGES)
      return Promise.reject(new CoapFailure('queue-full'));
    return new Promise((resolve, reject) => {
      const exchange: Exchange = {
        remote,
        draft,
        ...how,
        state,
        mid: null,
        isOver: false,
        resolve,
        reject,
        stop: () => this.#wheel.cancel(timer),
      };
      const timer = this.#wheel.add(waitMs, () => this.#fail(exchange, 'expired-in-queue'));
      this.#size += 1;
      if (how.isBeside && this.#startBeside(exchange)) return;
      state.queue.push(exchange);
      this.#next(state);
    });
  }

  /** False where another one is beside the queue, or the ids are used up. */
  #startBeside(exchange: Exchange): boolean {
    const { state } = exchange;
    const mid = state.beside ? null : this.#peers.takeMid(state);
    if (mid === null) return false;
    state.beside = exchange;
    this.#start(exchange, mid);
    return true;
  }

  /** The peer has the message, or it is over: the next one may go. */
  #free(exchange: Exchange): void {
    const { state } = exchange;
    if (state.beside === exchange) state.beside = null;
    if (state.outstanding !== exchange) return;
    state.outstanding = null;
    this.#next(state);
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
    state.outstanding = exchange;
    this.#start(exchange, mid);
  }

  #start(exchange: Exchange, mid: number): void {
    const { remote, draft, token } = exchange;
    const bytes = serialiseMessage({ type: MessageType.CON, mid, token, ...draft });
    exchange.mid = mid;
    exchange.stop();
    exchange.stop = transmit(this.#wheel, {
      random: (this.#random(1)[0] ?? 0) / 255,
      limitMs: exchange.deadline - this.#clock.now(),
      send: (repeated) => {
        if (repeated) this.#counters.retransmissions++;
        exchange.transmitted?.(repeated);
        const { state } = exchange;
        state.unanswered ??= { since: this.#clock.elapsed(), sent: 0 };
        state.unanswered.sent += 1;
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
    if (exchange.isOver) return;
    exchange.isOver = true;
    this.#size -= 1;
    const { state } = exchange;
    if (state.outstanding === exchange || state.beside === exchange) this.#free(exchange);
    else drop(exchange, exchange.mid === null ? state.queue : state.acknowledged);
  }

  /** The message to the peer with this id, until it is acknowledged. */
  #unacknowledged(key: string, mid: number): Exchange | null {
    const state = this.#peers.find(key);
    if (!state) return null;
    return [state.outstanding, state.beside].find((one) => one?.mid === mid) ?? null;
  }

  /** The request with this token that has no response yet. */
  #waiting(key: string, token: string): Exchange | null {
    const state = this.#peers.find(key);
    if (!state) return null;
    const { outstanding, beside, acknowledged } = state;
    return (
      [outstanding, beside, ...acknowledged].find((one) => one?.isRequest && one.token === token) ??
      null
    );
  }
}
