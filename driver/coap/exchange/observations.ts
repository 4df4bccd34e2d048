import type { Clock } from '../../../src/core/clock.ts';
import type { Message } from '../message/message.ts';
import { OptionNumber, uintOf } from '../message/option.ts';

/** Half of the 24 bits in which a device numbers its notifications (RFC 7641 3.4). */
const HALF = 2 ** 23;
/** After this time any number is newer (RFC 7641 3.4). */
const FORGET_MS = 128_000;
const MAX_OBSERVATIONS = 200_000;

type Observation = {
  /** The number of the newest notification, -1 before the first, and when it came by the monotonic clock. */
  newest: number;
  at: number;
  notified: (message: Message) => void;
};

/** The resources that peers report by themselves, by peer and token (RFC 7641). */
export class Observations {
  #byPeer = new Map<string, Map<string, Observation>>();
  /** Tokens are random: one names its observation whatever the address. */
  #tokens = new Set<string>();
  #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#tokens.size;
  }

  get isFull(): boolean {
    return this.#tokens.size >= MAX_OBSERVATIONS;
  }

  add(key: string, token: string, notified: (message: Message) => void): void {
    const ofPeer = this.#byPeer.get(key) ?? new Map<string, Observation>();
    this.#byPeer.set(key, ofPeer.set(token, { newest: -1, at: 0, notified }));
    this.#tokens.add(token);
  }

  end(key: string, token: string): void {
    const ofPeer = this.#byPeer.get(key);
    if (!ofPeer?.delete(token)) return;
    this.#tokens.delete(token);
    if (ofPeer.size === 0) this.#byPeer.delete(key);
  }

  /** All of a peer that is gone. */
  endOf(key: string): void {
    for (const token of this.#byPeer.get(key)?.keys() ?? []) this.#tokens.delete(token);
    this.#byPeer.delete(key);
  }

  /** Whether some peer has an observation with this token: one that moved to another address looks like a stranger. */
  isKnown(token: string): boolean {
    return this.#tokens.has(token);
  }

  /** Whether the message is of a living observation of this peer; one that is older than another before is dropped. */
  takes(key: string, message: Message): boolean {
    const observation = this.#byPeer.get(key)?.get(message.token);
    if (!observation) return false;
    const number = uintOf(message.options, OptionNumber.OBSERVE);
    // An error or an answer without a number is the last one (RFC 7641 4.2).
    if (number === null || message.code >> 5 !== 2) this.end(key, message.token);
    else {
      const at = this.#clock.elapsed();
      if (observation.newest >= 0 && !isNewer(observation, number, at)) return true;
      observation.newest = number;
      observation.at = at;
    }
    observation.notified(message);
    return true;
  }

  close(): void {
    this.#byPeer.clear();
    this.#tokens.clear();
  }
}

/** RFC 7641 3.4, with the numbers going round and the clock of this side. */
const isNewer = (before: Pick<Observation, 'newest' | 'at'>, number: number, at: number): boolean =>
  (before.newest < number && number - before.newest < HALF) ||
  (before.newest > number && before.newest - number > HALF) ||
  at > before.at + FORGET_MS;
