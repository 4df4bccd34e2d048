import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

import { type Message, parseMessage } from '../../../driver/coap/message/message.ts';
import { answerTo } from './device.ts';

/** Each has message ids of its own, 65,536 in the four minutes in which a server remembers them. */
const SOCKETS = 16;
/** On each socket. */
const IN_FLIGHT = 4;
/** Without any answer in this time what is in flight is lost. */
const SILENCE_MS = 2_000;
const MAX_LOST = 0.01;
const FIRST_RESPONSE = 0x40;

type Make = (mid: number, number: number) => Buffer;
type Taken = (answer: Message, number: number) => void;

/** UDP sockets that play devices; the device of a number has the socket of the number modulo theirs. */
export class Fleet {
  /** Of each observation that began, with the socket that it is to come from. */
  readonly observed: { socket: number; token: string }[] = [];
  #sockets: Socket[] = [];
  #mids: number[] = [];
  #answered: ((socket: number, bytes: Buffer) => void) | null = null;

  /** Connected sockets. */
  static async open(port: number, sockets = SOCKETS): Promise<Fleet> {
    const fleet = new Fleet();
    for (let at = 0; at < sockets; at += 1) {
      const socket = createSocket('udp4');
      socket.connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.on('message', (bytes) => fleet.#receive(at, bytes));
      fleet.#sockets.push(socket);
      fleet.#mids.push(Math.floor(Math.random() * 65_536));
    }
    return fleet;
  }

  /**
   * `count` requests, a few in flight on each socket; each answer is handed on with the number of its request. Throws
   * when more than one in a hundred is lost.
   */
  async exchange(count: number, make: Make, taken: Taken = () => {}): Promise<void> {
    const open = this.#sockets.map(() => new Map<number, number>());
    const next = this.#sockets.map((_, at) => at);
    const done = Promise.withResolvers<void>();
    let [answers, lost, last] = [0, 0, 0];
    const send = (at: number): void => {
      const number = next[at] ?? 0;
      if (number >= count) return;
      next[at] = number + this.#sockets.length;
      const mid = this.#midOf(at);
      open[at]?.set(mid, number);
      this.#sockets[at]?.send(make(mid, number));
    };
    const fill = (): void => {
      for (let turn = 0; turn < IN_FLIGHT; turn += 1) this.#sockets.forEach((_, at) => send(at));
    };
    this.#answered = (at, bytes) => {
      const mid = bytes.readUInt16BE(2);
      const number = open[at]?.get(mid);
      if (number === undefined || !open[at]?.delete(mid)) return;
      const message = parseMessage(bytes);
      if (typeof message === 'string') throw new Error(message);
      taken(message, number);
      answers += 1;
      if (answers + lost >= count) done.resolve();
      else send(at);
    };
    const timer = setInterval(() => {
      const isQuiet = answers === last;
      last = answers;
      if (!isQuiet) return;
      for (const waiting of open) {
        lost += waiting.size;
        waiting.clear();
      }
      if (lost > count * MAX_LOST)
        done.reject(new Error(`${lost} of ${count} answers are missing`));
      else if (answers + lost >= count) done.resolve();
      else fill();
    }, SILENCE_MS);
    fill();
    try {
      await done.promise;
    } finally {
      clearInterval(timer);
      this.#answered = null;
    }
  }

  /** Sends without waiting for anything. */
  send(socket: number, make: (mid: number) => Buffer): void {
    this.#sockets[socket]?.send(make(this.#midOf(socket)));
  }

  close(): void {
    for (const socket of this.#sockets) socket.close();
  }

  #midOf(at: number): number {
    const mid = this.#mids[at] ?? 0;
    this.#mids[at] = (mid + 1) & 0xff_ff;
    return mid;
  }

  #receive(at: number, bytes: Buffer): void {
    const code = bytes[1] ?? 0;
    if (code === 0 || code >= FIRST_RESPONSE) return this.#answered?.(at, bytes);
    const message = parseMessage(bytes);
    if (typeof message === 'string') throw new Error(message);
    const observed = (token: string) => void this.observed.push({ socket: at, token });
    this.#sockets[at]?.send(answerTo(message, observed));
  }
}
