import type { Clock } from '../../src/kernel/clock.ts';
import type { Peer } from './contract.ts';
import type { Message } from './message/message.ts';
import { OptionNumber, uintOf } from './message/option.ts';
import type { Remote } from './peer-table.ts';

/** Half of the 24 bits in which a device numbers its notifications (RFC 7641 3.4). */
const HALF = 2 ** 23;
/** After this time any number is newer (RFC 7641 3.4). */
const FORGET_MS = 128_000;
const MAX_OBSERVATIONS = 200_000;

type Observation = {
  remote: Remote;
  /** The number of the newest notification, -1 before the first, and when it came by the monotonic clock. */
  newest: number;
  at: number;
  notified: (message: Message) => void;
};

/** The resources that peers report by themselves (RFC 7641). */
export class Observations {
  /** Tokens are random: one names its observation whatever the address. */
  #byToken = new Map<string, Observation>();
  #tokensOf = new Map<string, string[]>();
  #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#byToken.size;
  }

  get isFull(): boolean {
    return this.#byToken.size >= MAX_OBSERVATIONS;
  }

  add(remote: Remote, token: string, notified: (message: Message) => void): void {
    const { key } = remote;
    this.#byToken.set(token, { remote, newest: -1, at: 0, notified });
    const tokens = this.#tokensOf.get(key);
    if (tokens) tokens.push(token);
    else this.#tokensOf.set(key, [token]);
  }

  end(key: string, token: string): void {
    if (this.#byToken.get(token)?.remote.key !== key) return;
    this.#byToken.delete(token);
    const others = this.#tokensOf.get(key)?.filter((other) => other !== token) ?? [];
    if (others.length > 0) this.#tokensOf.set(key, others);
    else this.#tokensOf.delete(key);
  }

  /** All of a peer that is gone. */
  endOf(key: string): void {
    for (const token of this.#tokensOf.get(key) ?? []) this.#byToken.delete(token);
    this.#tokensOf.delete(key);
  }

  /** The peer that was asked with this token, where there is one: after a move to another address it looks like a stranger. */
  peerOf(token: string): Peer | null {
    return this.#byToken.get(token)?.remote.peer ?? null;
  }

  /** Whether the message is of a living observation of this peer; one that is older than another before is dropped. */
  takes(key: string, message: Message): boolean {
    const observation = this.#byToken.get(message.token);
    if (observation?.remote.key !== key) return false;
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
    this.#byToken.clear();
    this.#tokensOf.clear();
  }
}

/** RFC 7641 3.4, with the numbers going round and the clock of this side. */
const isNewer = (before: Pick<Observation, 'newest' | 'at'>, number: number, at: number): boolean =>
  (before.newest < number && number - before.newest < HALF) ||
  (before.newest > number && before.newest - number > HALF) ||
  at > before.at + FORGET_MS;
