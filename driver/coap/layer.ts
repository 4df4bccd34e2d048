import type { Clock } from '../../src/kernel/clock.ts';
import type { Log } from '../../src/kernel/process/log.ts';
import { TimerWheel } from '../timer-wheel.ts';
import {
  CoapFailure,
  type CoapReply,
  type CoapRequest,
  type CoapResponse,
  type Counters,
  type Observation,
  type OutgoingRequest,
  type Peer,
  type Silence,
  type Stats,
} from './contract.ts';
import { Exchanges } from './exchange.ts';
import { type Admit, Incoming } from './incoming.ts';
import { Dedup, printOf } from './message/dedup.ts';
import {
  Code,
  emptyMessage,
  type Message,
  MessageType,
  midOfMalformedConfirmable,
  parseMessage,
} from './message/message.ts';
import { OptionNumber, recognise } from './message/option.ts';
import type { Random } from './message/random.ts';
import { Observations } from './observations.ts';
import type { Remote } from './peer-table.ts';
import { isInBlocks, responseOf, Transfers } from './transfer.ts';

const MAX_REMEMBERED = 500_000;
const MAX_REMEMBERED_BYTES = 64 * 1024 * 1024;
const SWEEP_MS = 10_000;
/** For the later blocks of a notification. */
const NOTIFICATION_MS = 30_000;
const FAREWELL_MS = 10_000;

/** CoAP without a transport: datagrams come in by `receive` and leave by `send`. */
export class CoapLayer {
  #wheel: TimerWheel;
  #dedup: Dedup;
  #exchanges: Exchanges;
  #observations: Observations;
  #transfers: Transfers;
  #incoming: Incoming;
  #clock: Clock;
  #log: Log;
  #counters: Counters;
  #stopSweep: () => void;
  #send: (bytes: Buffer, peer: Peer) => void;
  #strayed: ((to: Peer, from: Peer) => void) | undefined;

  constructor(options: {
    clock: Clock;
    log: Log;
    random: Random;
    counters: Counters;
    send: (bytes: Buffer, peer: Peer) => void;
    onRequest: (request: CoapRequest) => Promise<CoapReply>;
    admit?: Admit;
    strayed?: (to: Peer, from: Peer) => void;
  }) {
    const { clock } = options;
    this.#clock = clock;
    this.#log = options.log;
    this.#counters = options.counters;
    this.#send = options.send;
    this.#strayed = options.strayed;
    this.#wheel = new TimerWheel(clock);
    this.#dedup = new Dedup(clock, { maxEntries: MAX_REMEMBERED, maxBytes: MAX_REMEMBERED_BYTES });
    const parts = { ...options, wheel: this.#wheel, dedup: this.#dedup };
    this.#exchanges = new Exchanges(parts);
    this.#observations = new Observations(clock);
    this.#transfers = new Transfers(this.#exchanges);
    this.#incoming = new Incoming({ ...parts, exchanges: this.#exchanges });
    this.#stopSweep = clock.every(SWEEP_MS, () => this.#incoming.sweep());
  }

  /** Sends a request and waits for its whole answer; rejects with a `CoapFailure`. */
  request(remote: Remote, request: OutgoingRequest): Promise<CoapResponse> {
    return this.#transfers.request(remote, request);
  }

  /**
   * Asks a peer to report a resource; `notified` gets each later value, whole. Rejects with a `CoapFailure`; the
   * observation ends with `end` and `cancel`, with an error of the peer, and with this endpoint.
   */
  async observe(
    remote: Remote,
    request: Omit<OutgoingRequest, 'observe'>,
    notified: (response: CoapResponse) => void,
  ): Promise<Observation> {
    if (this.#observations.isFull) throw new CoapFailure('queue-full', 'too many observations');
    const token = this.#exchanges.newToken();
    const end = (): void => this.#observations.end(remote.key, token);
    let [begun, done] = [0, 0];
    const take = async (message: Message, number: number): Promise<void> => {
      // The acknowledgement goes before a request for the rest.
      await Promise.resolve();
      const all = { ...request, deadline: this.#clock.now() + NOTIFICATION_MS };
      const response = await this.#transfers.whole(remote, all, message);
      // The rest of one in blocks may come after a newer one.
      if (number < done) return;
      done = number;
      notified(response);
    };
    const took = (message: Message): void => {
      const options = recognise(message.options, 'response');
      if (typeof options === 'number') return;
      const number = ++begun;
      const recognised = { ...message, options };
      if (isInBlocks(recognised)) {
        take(recognised, number).catch((cause: unknown) =>
          this.#log.debug({ cause }, 'a notification was lost'),
        );
        return;
      }
      done = number;
      try {
        notified(responseOf(recognised, message.payload));
      } catch (cause) {
        this.#log.debug({ cause }, 'a notification was lost');
      }
    };
    // Known before the answer: the first notification may overtake it.
    this.#observations.add(remote, token, took);
    try {
      const response = await this.#transfers.request(remote, { ...request, observe: 0 }, token);
      if (response.code === Code.CONTENT && response.observe !== null)
        return { response, running: { end, cancel: () => this.#cancel(remote, request, token) } };
      end();
      return { response, running: null };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** A device that does not hear of it gets a reset for its next notification (RFC 7641 3.6). */
  async #cancel(
    remote: Remote,
    request: Omit<OutgoingRequest, 'observe'>,
    token: string,
  ): Promise<boolean> {
    this.#observations.end(remote.key, token);
    const deadline = this.#clock.now() + FAREWELL_MS;
    const last = { ...request, deadline, observe: 1 } as const;
    try {
      await this.#transfers.request(remote, last, token);
      return true;
    } catch (error) {
      if (!(error instanceof CoapFailure)) throw error;
      return !error.reason.startsWith('timeout');
    }
  }

  /** Forgets a peer that is gone. */
  forget(key: string): void {
    this.#observations.endOf(key);
  }

  silenceOf(key: string): Silence | null {
    return this.#exchanges.silenceOf(key);
  }

  leave(key: string): void {
    this.#exchanges.leave(key);
  }

  stats(): Stats {
    return {
      ...this.#counters,
      remembered: this.#dedup.size,
      observations: this.#observations.size,
      outstanding: this.#exchanges.size,
      handling: this.#incoming.handling,
    };
  }

  close(): void {
    this.#stopSweep();
    this.#exchanges.close();
    this.#observations.close();
    this.#dedup.close();
    this.#wheel.close();
  }

  receive(bytes: Buffer, remote: Remote): void {
    this.#counters.received++;
    const message = parseMessage(bytes);
    if (typeof message === 'string') {
      this.#counters.malformed++;
      const mid = midOfMalformedConfirmable(bytes);
      if (mid !== null) this.#send(emptyMessage(MessageType.RST, mid), remote.peer);
      return;
    }
    this.#exchanges.heard(remote.key);
    switch (kindOf(message)) {
      case 'empty':
        return this.#receiveEmpty(remote, message);
      case 'request':
        return this.#receiveRequest(remote, message, bytes);
      case 'response':
        return this.#receiveResponse(remote, message, bytes);
      case 'invalid':
        this.#counters.malformed++;
        if (message.type === MessageType.CON) this.#reset(remote, message);
    }
  }

  #receiveEmpty(remote: Remote, { type, mid }: Message): void {
    if (type === MessageType.CON) this.#send(emptyMessage(MessageType.RST, mid), remote.peer); // a ping
    if (type === MessageType.ACK) this.#exchanges.acknowledged(remote.key, mid);
    if (type === MessageType.RST) this.#exchanges.reset(remote.key, mid);
  }

  #receiveRequest(remote: Remote, message: Message, bytes: Buffer): void {
    const print = printOf(bytes, message.mid);
    if (this.#isDuplicate(remote, message, print)) return;
    this.#incoming.receive(remote, message, { print, datagramBytes: bytes.length });
  }

  #receiveResponse(remote: Remote, message: Message, bytes: Buffer): void {
    if (message.type === MessageType.ACK) {
      // It carries an id of ours, other messages one of the peer.
      if (!this.#exchanges.responded(remote.key, message)) this.#counters.unclaimed++;
      return;
    }
    const print = printOf(bytes, message.mid);
    if (this.#isDuplicate(remote, message, print)) return;
    const claimed =
      this.#exchanges.responded(remote.key, message) ||
      this.#observations.takes(remote.key, message);
    if (!claimed) this.#counters.unclaimed++;
    const acceptable = claimed && typeof recognise(message.options, 'response') !== 'number';
    if (!acceptable) {
      // A reset also ends an observation that this endpoint does not know (RFC 7641 3.6).
      const isNotification = message.options.some(({ number }) => number === OptionNumber.OBSERVE);
      const observed = isNotification && !claimed && this.#observations.peerOf(message.token);
      if (observed) {
        // A peer that moved to another address would take a reset for the end of its observation.
        this.#strayed?.(remote.peer, observed);
        return;
      }
      if (message.type === MessageType.CON || isNotification) this.#reset(remote, message);
      return;
    }
    const isConfirmable = message.type === MessageType.CON;
    this.#dedup.add(remote.key, print, isConfirmable ? 'ack' : 'quiet');
    if (isConfirmable) this.#send(emptyMessage(MessageType.ACK, message.mid), remote.peer);
  }

  #isDuplicate(remote: Remote, { mid }: Message, print: number): boolean {
    const seen = this.#dedup.get(remote.key, print);
    if (seen === undefined) return false;
    this.#counters.duplicates++;
    if (seen === 'repeat') return false;
    if (seen === 'ack') this.#send(emptyMessage(MessageType.ACK, mid), remote.peer);
    else if (seen !== 'quiet') this.#send(seen, remote.peer);
    return true;
  }

  #reset(remote: Remote, { mid }: Message): void {
    this.#send(emptyMessage(MessageType.RST, mid), remote.peer);
  }
}

function kindOf({ type, code }: Message): 'empty' | 'request' | 'response' | 'invalid' {
  if (code === Code.EMPTY) return 'empty';
  if (type === MessageType.RST) return 'invalid';
  const group = code >> 5;
  if (group === 0) return type === MessageType.ACK ? 'invalid' : 'request';
  return group === 2 || group === 4 || group === 5 ? 'response' : 'invalid';
}
