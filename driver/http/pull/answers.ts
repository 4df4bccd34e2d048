/** Characters of all answers that are remembered, and of one. */
const MAX_ALL = 16 * 1024 * 1024;
const MAX_ONE = 64 * 1024;

type Remembered = { etag: string; text: string };

/** The last answers with an ETag: one that has not changed is not sent again (RFC 9110, 13.1.2). */
export class Answers {
  readonly #known = new Map<string, Remembered>();
  #size = 0;

  of(key: string): Remembered | undefined {
    return this.#known.get(key);
  }

  put(key: string, etag: string | null, text: string): void {
    this.forget(key);
    if (etag === null || etag.length > 256 || text.length > MAX_ONE) return;
    this.#known.set(key, { etag, text });
    this.#size += text.length;
    for (const oldest of this.#known.keys()) {
      if (this.#size <= MAX_ALL) return;
      this.forget(oldest);
    }
  }

  forget(key: string): void {
    this.#size -= this.#known.get(key)?.text.length ?? 0;
    this.#known.delete(key);
  }
}
