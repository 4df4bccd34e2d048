import type { Clock } from '../../../src/kernel/clock.ts';

/**
 * Reaction to a repeated message: no reply, handle again (safe methods), acknowledge again, or send the
 * same reply bytes again (RFC 7252 4.5).
 */
export type Seen = 'quiet' | 'repeat' | 'ack' | Buffer;

/** By peer and print: a text of both for each message would be kept as long as the message. */
type Generation = { seen: Map<string, Map<number, Seen>>; size: number; bytes: number };

const newGeneration = (): Generation => ({ seen: new Map(), size: 0, bytes: 0 });

const EXCHANGE_LIFETIME_MS = 247_000; // RFC 7252 4.8.2
const GENERATIONS = 8;

/**
 * What tells a repetition from another message: the message id, and a hash (FNV-1a, 32 bits) of all bytes, the token
 * among them. RFC 7252 4.5 asks for the id alone; but devices that restart count their ids anew, and the answer to
 * another request would be taken for that to theirs.
 */
export function printOf(bytes: Buffer, mid: number): number {
  let hash = 0x81_1c_9d_c5;
  // By index: an iterator costs ten times as much, for each message.
  for (let at = 0; at < bytes.length; at += 1)
    hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01_00_01_93);
  return (hash >>> 0) * 0x1_00_00 + mid;
}

/**
 * The messages of the last 247 s. Whole generations are dropped, so a message costs one map entry and no
 * timer; a full generation ends early, so a flood only shortens the time that they are kept.
 */
export class Dedup {
  #current = newGeneration();
  #generations = [this.#current];
  #maxEntries: number;
  #maxBytes: number;
  #stop: () => void;

  constructor(clock: Clock, limits: { maxEntries: number; maxBytes: number }) {
    this.#maxEntries = limits.maxEntries / GENERATIONS;
    this.#maxBytes = limits.maxBytes / GENERATIONS;
    this.#stop = clock.every(Math.ceil(EXCHANGE_LIFETIME_MS / (GENERATIONS - 1)), () =>
      this.#rotate(),
    );
  }

  get size(): number {
    return this.#generations.reduce((sum, { size }) => sum + size, 0);
  }

  get(key: string, print: number): Seen | undefined {
    for (const { seen } of this.#generations) {
      const found = seen.get(key)?.get(print);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Stores the first receipt of a message of the peer with this key. */
  add(key: string, print: number, seen: Seen): void {
    const { size, bytes } = this.#current;
    if (size >= this.#maxEntries || bytes >= this.#maxBytes) this.#rotate();
    const ofPeer = this.#current.seen.get(key) ?? new Map<number, Seen>();
    if (ofPeer.size === 0) this.#current.seen.set(key, ofPeer);
    if (!ofPeer.has(print)) this.#current.size += 1;
    ofPeer.set(print, seen);
    this.#current.bytes += weight(seen);
  }

  /** Changes the stored reaction, in the generation of the first receipt. */
  replace(key: string, print: number, seen: Seen): void {
    for (const generation of this.#generations) {
      const ofPeer = generation.seen.get(key);
      const before = ofPeer?.get(print);
      if (!ofPeer || before === undefined) continue;
      ofPeer.set(print, seen);
      generation.bytes += weight(seen) - weight(before);
      return;
    }
  }

  /** Forgets the replies to a peer, but for one: what it asked before is over. */
  forgetReplies(key: string, but: number): void {
    for (const generation of this.#generations) {
      const ofPeer = generation.seen.get(key);
      for (const [print, seen] of ofPeer ?? []) {
        if (typeof seen === 'string' || print === but) continue;
        ofPeer?.delete(print);
        generation.size -= 1;
        generation.bytes -= weight(seen);
      }
    }
  }

  close(): void {
    this.#stop();
    this.#generations.length = 0;
  }

  #rotate(): void {
    this.#current = newGeneration();
    this.#generations.unshift(this.#current);
    if (this.#generations.length > GENERATIONS) this.#generations.pop();
  }
}

function weight(seen: Seen): number {
  return typeof seen === 'string' ? 0 : seen.length;
}
