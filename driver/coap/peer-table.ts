import type { Clock } from '../../src/kernel/clock.ts';
import type { Peer } from './contract.ts';

/** A peer and its key in every table; over DTLS the key is the session. */
export type Remote = { key: string; peer: Peer };

export type PeerState<Job> = {
  key: string;
  nextMid: number;
  window: number;
  midsInWindow: number;
  /** The confirmable message to the peer that waits for its acknowledgement (NSTART is 1). */
  outstanding: Job | null;
  /** Another one that did not wait for it. */
  beside: Job | null;
  /** Requests that the peer has acknowledged and will answer separately (RFC 7252 5.2.2). */
  acknowledged: Job[];
  queue: Job[];
  paused: boolean;
  /** Datagrams sent since the peer last sent anything, and when the first of them went, by the monotonic clock. */
  unanswered: { since: number; sent: number } | null;
  /** The peer has answered with a random token of ours, so it receives at its address. */
  verified: boolean;
};

const MAX_PEERS = 50_000;
/** Busy peers that one search passes at most: the event loop has other work. */
const MAX_PASSED = 100;
const SWEEP_MS = 60_000;

// 65,536 ids in 247 s (RFC 7252 4.4, 4.8.2): eight windows of a seventh of that time cover any 247 s.
const WINDOW_MS = 247_000 / 7;
const MIDS_PER_WINDOW = 65_536 / 8;

/** State of each peer that this endpoint sends messages to; idle peers are forgotten. */
export class PeerTable<Job> {
  #peers = new Map<string, PeerState<Job>>();
  #clock: Clock;
  #random: (bytes: number) => Buffer;
  #stop: () => void;

  constructor(clock: Clock, random: (bytes: number) => Buffer) {
    this.#clock = clock;
    this.#random = random;
    this.#stop = clock.every(SWEEP_MS, () => this.#sweep());
  }

  get size(): number {
    return this.#peers.size;
  }

  find(key: string): PeerState<Job> | undefined {
    return this.#peers.get(key);
  }

  all(): PeerState<Job>[] {
    return [...this.#peers.values()];
  }

  /** Null for a new peer while the table is full of busy ones. */
  of(key: string): PeerState<Job> | null {
    const known = this.#peers.get(key);
    if (known) return known;
    if (this.#peers.size >= MAX_PEERS && !this.#forgetOldest()) return null;
    const state: PeerState<Job> = {
      key,
      nextMid: this.#random(2).readUInt16BE(0),
      window: this.#window(),
      midsInWindow: 0,
      outstanding: null,
      beside: null,
      acknowledged: [],
      queue: [],
      paused: false,
      unanswered: null,
      verified: false,
    };
    this.#peers.set(key, state);
    return state;
  }

  /** The next message id; null when the peer has used up the distinguishable ids. */
  takeMid(state: PeerState<Job>): number | null {
    const window = this.#window();
    if (window !== state.window) {
      state.window = window;
      state.midsInWindow = 0;
    }
    if (state.midsInWindow >= MIDS_PER_WINDOW) return null;
    state.midsInWindow++;
    const mid = state.nextMid;
    state.nextMid = (mid + 1) & 0xffff;
    return mid;
  }

  close(): void {
    this.#stop();
    this.#peers.clear();
  }

  #window(): number {
    return Math.floor(this.#clock.now() / WINDOW_MS);
  }

  #sweep(): void {
    const now = this.#window();
    for (const state of this.#peers.values()) {
      if (isIdle(state) && now - state.window > 8) this.#peers.delete(state.key);
    }
  }

  // Busy peers move to the end, so that the next search does not pass them again.
  #forgetOldest(): boolean {
    let passed = 0;
    for (const state of this.#peers.values()) {
      this.#peers.delete(state.key);
      if (isIdle(state)) return true;
      this.#peers.set(state.key, state);
      if (++passed >= MAX_PASSED) return false;
    }
    return false;
  }
}

function isIdle(state: PeerState<unknown>): boolean {
  const isUnasked = state.outstanding === null && state.beside === null;
  return isUnasked && state.acknowledged.length === 0 && state.queue.length === 0;
}

/** Takes one out of a list of its peer, if it is there. */
export function drop<Job>(job: Job, from: Job[]): void {
  const index = from.indexOf(job);
  if (index !== -1) from.splice(index, 1);
}
