/** Characters of one turn that can be sent again; older events are dropped. */
const MAX_STORED = 1_000_000;

/** The last events of a turn, by number. */
export class LastEvents {
  #stored: string[] = [];
  #characters = 0;
  /** Number of the first that is stored. */
  first = 1;

  /** Number of the one to come. */
  get next(): number {
    return this.first + this.#stored.length;
  }

  add(events: string): void {
    this.#stored.push(events);
    this.#characters += events.length;
    while (this.#characters > MAX_STORED) {
      this.#characters -= this.#stored.shift()?.length ?? 0;
      this.first += 1;
    }
  }

  /** Begins with that number, if none is stored. */
  beginAt(number: number): void {
    if (this.#stored.length === 0) this.first = Math.max(this.first, number);
  }

  from(number: number): readonly string[] {
    return this.#stored.slice(number - this.first);
  }

  at(number: number): string {
    return this.#stored[number - this.first] ?? '';
  }
}
