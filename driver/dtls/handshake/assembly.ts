import { type Fragment, HandshakeType } from './message.ts';

/** Longest body of each message that a client sends after its ClientHello (RFC 4279 5.3; RFC 5246 7.4.9). */
const MAX_BYTES: ReadonlyMap<number, number> = new Map([
  [HandshakeType.CLIENT_KEY_EXCHANGE, 130],
  [HandshakeType.FINISHED, 12],
]);
/** Messages ahead of the next one that are kept. */
const AHEAD = 2;

type Part = { type: number; body: Buffer; missing: Set<number> };

/** Puts messages together from fragments in any order (RFC 6347 4.2.3), one after the other. */
export class Assembly {
  #next: number;
  #parts = new Map<number, Part>();

  constructor(next: number) {
    this.#next = next;
  }

  /** Whether a fragment is of a message that was taken: its sender has not seen the answer. */
  isPast({ sequence }: Fragment): boolean {
    return sequence < this.#next;
  }

  /** Ignores what no client of this handshake sends. */
  add({ type, sequence, length, offset, body }: Fragment): void {
    if (sequence < this.#next || sequence >= this.#next + AHEAD) return;
    if (length > (MAX_BYTES.get(type) ?? -1)) return;
    let part = this.#parts.get(sequence);
    if (!part) {
      const missing = new Set(Array.from({ length }, (_, index) => index));
      part = { type, body: Buffer.alloc(length), missing };
      this.#parts.set(sequence, part);
    }
    if (part.type !== type || part.body.length !== length) return;
    body.copy(part.body, offset);
    for (let at = offset; at < offset + body.length; at += 1) part.missing.delete(at);
  }

  /** The next message once it is whole and `wanted`; else null. */
  take(wanted: number): { body: Buffer; sequence: number } | null {
    const part = this.#parts.get(this.#next);
    if (!part || part.missing.size > 0 || part.type !== wanted) return null;
    this.#parts.delete(this.#next);
    this.#next += 1;
    return { body: part.body, sequence: this.#next - 1 };
  }
}
