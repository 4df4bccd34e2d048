import type { TimerWheel, WheelTimer } from '../timer-wheel.ts';
import { HEADER_BYTES, headerOf } from './handshake-message.ts';

const FIRST_MS = 1_000;
const TRIES = 5;

/** A datagram that holds as many of the records as fit. */
export function packed(records: readonly Buffer[], maxBytes: number): Buffer[] {
  const datagrams: Buffer[][] = [];
  let room = 0;
  for (const record of records) {
    if (record.length > room) {
      datagrams.push([]);
      room = maxBytes;
    }
    datagrams.at(-1)?.push(record);
    room -= record.length;
  }
  return datagrams.map((each) =>
    each.length === 1 ? (each[0] ?? Buffer.alloc(0)) : Buffer.concat(each),
  );
}

/** A message in pieces that fit into records of a datagram (RFC 6347 4.2.3). */
export function pieces(message: Buffer, maxBytes: number): Buffer[] {
  if (message.length <= maxBytes) return [message];
  const [type, sequence] = [message.readUInt8(0), message.readUInt16BE(4)];
  const body = message.subarray(HEADER_BYTES);
  const size = maxBytes - HEADER_BYTES;
  return Array.from({ length: Math.ceil(body.length / size) }, (_, index) => {
    const offset = index * size;
    const piece = body.subarray(offset, offset + size);
    return Buffer.concat([
      headerOf({ type, length: body.length, sequence, offset, body: piece }),
      piece,
    ]);
  });
}

/** Sends a flight again until it is answered (RFC 6347 4.2.4): 1 s, doubling, five times. */
export class Retransmission {
  #wheel: TimerWheel;
  #again: () => void;
  #ended: () => void;
  #timer: WheelTimer | null = null;

  constructor(wheel: TimerWheel, given: { again: () => void; ended: () => void }) {
    this.#wheel = wheel;
    this.#again = given.again;
    this.#ended = given.ended;
  }

  start(waitMs = FIRST_MS, tries = TRIES): void {
    this.stop();
    this.#timer = this.#wheel.add(waitMs, () => {
      this.#timer = null;
      if (tries === 0) return this.#ended();
      this.#again();
      this.start(2 * waitMs, tries - 1);
    });
  }

  stop(): void {
    if (this.#timer) this.#wheel.cancel(this.#timer);
    this.#timer = null;
  }
}
