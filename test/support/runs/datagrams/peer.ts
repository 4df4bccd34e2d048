import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const STEP_MS = 5;
const TRIES = 5;
const ANSWER_MS = 2_000;

/** A UDP socket that counts what it sends and gets, by second. */
export class Peer {
  readonly received: Buffer[] = [];
  /** By second since the epoch: bytes sent and bytes that came. */
  readonly bytes = new Map<number, { out: number; in: number }>();
  #socket: Socket;
  /** Gets each datagram; true keeps it out of `received`. */
  take: (bytes: Buffer) => boolean = () => false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (bytes) => {
      this.#second().in += bytes.length;
      if (!this.take(bytes)) this.received.push(bytes);
    });
    socket.on('error', () => {});
  }

  static async open(port: number): Promise<Peer> {
    const socket = createSocket('udp4');
    socket.connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Peer(socket);
  }

  send(bytes: Buffer): void {
    this.#second().out += bytes.length;
    // Nothing is sent where there is nothing.
    this.#socket.send(bytes.length > 0 ? bytes : Buffer.of(0));
  }

  /** The first datagram that `accept` takes; asked again when none comes. Null without any. */
  async ask(
    make: () => readonly Buffer[],
    accept: (answer: Buffer) => boolean = () => true,
  ): Promise<Buffer | null> {
    for (let each = 0; each < TRIES; each += 1) {
      for (const datagram of make()) this.send(datagram);
      for (let waited = 0; waited < ANSWER_MS; waited += STEP_MS) {
        const found = this.received.findIndex(accept);
        if (found >= 0) return this.received.splice(0, found + 1)[found] ?? null;
        await sleep(STEP_MS);
      }
    }
    return null;
  }

  close(): void {
    this.#socket.close();
  }

  #second(): { out: number; in: number } {
    const now = Math.floor(Date.now() / 1_000);
    const second = this.bytes.get(now) ?? { out: 0, in: 0 };
    this.bytes.set(now, second);
    return second;
  }
}

/** The most that came for each byte sent, over any minute in which anything was sent. */
export function amplification(peers: readonly Peer[]): number {
  const seconds = new Map<number, { out: number; in: number }>();
  for (const { bytes } of peers)
    for (const [at, one] of bytes) {
      const sum = seconds.get(at) ?? { out: 0, in: 0 };
      seconds.set(at, { out: sum.out + one.out, in: sum.in + one.in });
    }
  let most = 0;
  for (const from of seconds.keys()) {
    let [out, came] = [0, 0];
    for (let at = from; at < from + 60; at += 1) {
      out += seconds.get(at)?.out ?? 0;
      came += seconds.get(at)?.in ?? 0;
    }
    most = Math.max(most, out > 0 ? came / out : 0);
  }
  return most;
}
