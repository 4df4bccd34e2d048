/** How many there are of each key; a key of which there are none takes no memory. */
export class CountByKey {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** `change` is negative for those that end. */
  add(key: string, change: number): void {
    const count = this.of(key) + change;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}
