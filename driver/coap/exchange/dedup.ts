import type { Clock } from '../../../src/core/clock.ts';

/**
 * Reaction to a repeated message id: no reply, handle again (safe methods), acknowledge again, or send the
 * same reply bytes again (RFC 7252 4.5).
 */
export type Seen = 'quiet' | 'repeat' | 'ack' | Buffer;

type Generation = { seen: Map<string, Seen>; bytes: number };

const EXCHANGE_LIFETIME_MS = 247_000; // RFC 7252 4.8.2
const GENERATIONS = 8;

/**
 * The message ids of the last 247 s. Whole generations are dropped, so a message costs one map entry and no
 * timer; a full generation ends early, so a flood only shortens the time that ids are kept.
 */
export class Dedup {
  #current: Generation = { seen: new Map(), bytes: 0 };
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
    return this.#generations.reduce((sum, { seen }) => sum + seen.size, 0);
  }

  get(key: string): Seen | undefined {
    for (const { seen } of this.#generations) {
      const found = seen.get(key);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Stores the first receipt of a message. */
  add(key: string, seen: Seen): void {
    const { size } = this.#current.seen;
    if (size >= this.#maxEntries || this.#current.bytes >= this.#maxBytes) this.#rotate();
    this.#current.seen.set(key, seen);
    this.#current.bytes += weight(seen);
  }

  /** Changes the stored reaction, in the generation of the first receipt. */
  replace(key: string, seen: Seen): void {
    for (const generation of this.#generations) {
      const before = generation.seen.get(key);
      if (before === undefined) continue;
      generation.seen.set(key, seen);
      generation.bytes += weight(seen) - weight(before);
      return;
    }
  }

  close(): void {
    this.#stop();
    this.#generations.length = 0;
  }

  #rotate(): void {
    this.#current = { seen: new Map(), bytes: 0 };
    this.#generations.unshift(this.#current);
    if (this.#generations.length > GENERATIONS) this.#generations.pop();
  }
}

function weight(seen: Seen): number {
  return typeof seen === 'string' ? 0 : seen.length;
}
