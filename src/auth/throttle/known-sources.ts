const MAX_NAMES = 10_000;
const MAX_SOURCES = 16;

/** Sources of successful attempts per name: the last 16 sources of the last 10,000 names. */
export class KnownSources {
  readonly #sources = new Map<string, Set<string>>();

  has(name: string, source: string): boolean {
    return this.#sources.get(name)?.has(source) ?? false;
  }

  add(name: string, source: string): void {
    const sources = this.#sources.get(name) ?? new Set();
    // Both are re-inserted, so that the least recently used entry is dropped first.
    sources.delete(source);
    sources.add(source);
    dropOldest(sources, MAX_SOURCES);
    this.#sources.delete(name);
    this.#sources.set(name, sources);
    dropOldest(this.#sources, MAX_NAMES);
  }
}

function dropOldest(kept: Set<string> | Map<string, unknown>, max: number): void {
  if (kept.size <= max) return;
  const oldest = kept.keys().next();
  if (!oldest.done) kept.delete(oldest.value);
}
