const SIZE = 64n;
const ALL = (1n << SIZE) - 1n;

/** Which sequence numbers of an epoch were taken (RFC 6347 4.1.2.6): each counts once, those behind the window never. */
export class ReplayWindow {
  #newest: number;
  /** Bit n: the number n below the newest was taken. */
  #taken: bigint;

  /** All numbers up to `newest` count as taken. */
  constructor(newest = -1) {
    this.#newest = newest;
    this.#taken = newest < 0 ? 0n : ALL;
  }

  /** The highest number taken; -1 before the first. */
  get newest(): number {
    return this.#newest;
  }

  isNew(sequence: number): boolean {
    if (sequence > this.#newest) return true;
    const behind = BigInt(this.#newest - sequence);
    return behind < SIZE && ((this.#taken >> behind) & 1n) === 0n;
  }

  /** Only after the record was found authentic: a forged one would make the true one a replay. */
  take(sequence: number): void {
    if (sequence > this.#newest) {
      const step = BigInt(sequence - this.#newest);
      this.#taken = step < SIZE ? ((this.#taken << step) & ALL) | 1n : 1n;
      this.#newest = sequence;
    } else this.#taken |= 1n << BigInt(this.#newest - sequence);
  }
}
