import type { Clock } from '../../src/core/clock.ts';
import type { Log } from '../../src/core/log/log.ts';
import type { CoapReply, CoapRequest, CoapResponse, OutgoingRequest, Peer } from './contract.ts';
import { Dedup } from './exchange/dedup.ts';
import { Exchanges } from './exchange/exchange.ts';
import type { Remote } from './exchange/peer-table.ts';
import type { Random } from './exchange/random.ts';
import { TimerWheel } from './exchange/timer-wheel.ts';
import { Transfers } from './exchange/transfer.ts';
import type { Message } from './message/message.ts';
import {
  Code,
  emptyMessage,
  MessageType,
  midOfMalformedConfirmable,
  parseMessage,
} from './message/message.ts';
import { OptionNumber, recognise } from './message/option.ts';
import { type Admit, Incoming } from './serving/incoming.ts';
import type { Counters, Stats } from './stats.ts';

const MAX_REMEMBERED = 500_000;
const MAX_REMEMBERED_BYTES = 64 * 1024 * 1024;
const SWEEP_MS = 10_000;

/** CoAP without a transport: datagrams come in by `receive` and leave by `send`. */
export class CoapLayer {
  #wheel: TimerWheel;
  #dedup: Dedup;
  #exchanges: Exchanges;
  #transfers: Transfers;
  #incoming: Incoming;
  #counters: Counters;
  #stopSweep: () => void;
  #send: (bytes: Buffer, peer: Peer) => void;

  constructor(options: {
    clock: Clock;
    log: Log;
    random: Random;
    counters: Counters;
    send: (bytes: Buffer, peer: Peer) => void;
    onRequest: (request: CoapRequest) => Promise<CoapReply>;
    admit?: Admit;
  }) {
    const { clock } = options;
    this.#counters = options.counters;
    this.#send = options.send;
    this.#wheel = new TimerWheel(clock);
    this.#dedup = new Dedup(clock, { maxEntries: MAX_REMEMBERED, maxBytes: MAX_REMEMBERED_BYTES });
    const parts = { ...options, wheel: this.#wheel, dedup: this.#dedup };
    this.#exchanges = new Exchanges(parts);
    this.#transfers = new Transfers(this.#exchanges);
    this.#incoming = new Incoming({ ...parts, exchanges: this.#exchanges });
    this.#stopSweep = clock.every(SWEEP_MS, () => this.#incoming.sweep());
  }

  /** Sends a request and waits for its whole answer; rejects with a `CoapFailure`. */
  request(remote: Remote, request: OutgoingRequest): Promise<CoapResponse> {
    return this.#transfers.request(remote, request);
  }

  stats(): Stats {
    return {
      ...this.#counters,
      remembered: this.#dedup.size,
      outstanding: this.#exchanges.size,
      handling: this.#incoming.handling,
    };
  }

  close(): void {
    this.#stopSweep();
    this.#exchanges.close();
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
    switch (kindOf(message)) {
      case 'empty':
        return this.#receiveEmpty(remote, message);
      case 'request':
        if (this.#isDuplicate(remote, message)) return;
        return this.#incoming.receive(remote, message, bytes.length);
      case 'response':
        return this.#receiveResponse(remote, message);
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

  #receiveResponse(remote: Remote, message: Message): void {
    // An acknowledgement carries an id of ours, other messages one of the peer.
    if (message.type !== MessageType.ACK && this.#isDuplicate(remote, message)) return;
    const claimed = this.#exchanges.responded(remote.key, message);
    if (!claimed) this.#counters.unclaimed++;
    if (message.type === MessageType.ACK) return;
    const acceptable = claimed && typeof recognise(message.options, 'response') !== 'number';
    if (!acceptable) {
      // A reset also ends an observation that this endpoint does not know (RFC 7641 3.6).
      const isNotification = message.options.some(({ number }) => number === OptionNumber.OBSERVE);
      if (message.type === MessageType.CON || isNotification) this.#reset(remote, message);
      return;
    }
    const isConfirmable = message.type === MessageType.CON;
    this.#dedup.add(`${remote.key}#${message.mid}`, isConfirmable ? 'ack' : 'quiet');
    if (isConfirmable) this.#send(emptyMessage(MessageType.ACK, message.mid), remote.peer);
  }

  #isDuplicate(remote: Remote, { mid }: Message): boolean {
    const seen = this.#dedup.get(`${remote.key}#${mid}`);
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
