import { AppError } from '../errors.ts';

/** Brackets within brackets. */
export const MAX_DEPTH = 64;
/** Commas and opening brackets: a value costs its parser far more than its bytes. */
export const MAX_ELEMENTS = 20_000;
/** Members of one object: each step of a check copies them, and an object of so many is a table of hashes. */
export const MAX_MEMBERS = 1_000;
/** What counts no members. */
const LIST = -1;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** A longer string is searched for its end by `indexOf`, at the speed of memory. */
const SHORT = 64;

/**
 * Counts depth, elements and members of JSON while its bytes arrive: what is expensive to parse is refused before it is parsed.
 * Text that is not JSON is counted likewise and left to the parser.
 */
export class JsonShape {
  /** What is open, outermost first: a list, or the members of an object so far. */
  readonly #open: number[] = [];
  #elements = 0;
  #isInString = false;
  #isEscaped = false;

  /** Takes the next bytes; throws 413 above a limit. */
  take(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length)
      at = this.#isInString ? this.#string(bytes, at) : this.#rest(bytes, at);
  }

  /** Reads to behind the next quote; returns where that is. */
  #rest(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      switch (bytes[at] ?? 0) {
        case QUOTE:
          this.#isInString = true;
          return at + 1;
        case OPEN_LIST:
          this.#opens(LIST);
          break;
        case OPEN_OBJECT:
          this.#opens(1);
          break;
        case CLOSE_LIST:
        case CLOSE_OBJECT:
          this.#open.pop();
          break;
        case COMMA:
          this.#element();
          this.#member();
          break;
        default:
      }
    }
    return bytes.length;
  }

  #opens(members: number): void {
    if (this.#open.length === MAX_DEPTH)
      throw tooLarge(`is nested deeper than ${MAX_DEPTH} levels`);
    this.#open.push(members);
    this.#element();
  }

  #member(): void {
    const members = this.#open.at(-1) ?? LIST;
    if (members === LIST) return;
    if (members === MAX_MEMBERS)
      throw tooLarge(`has an object of more than ${MAX_MEMBERS} members`);
    this.#open[this.#open.length - 1] = members + 1;
  }

  #element(): void {
    this.#elements += 1;
    if (this.#elements > MAX_ELEMENTS) throw tooLarge(`has more than ${MAX_ELEMENTS} elements`);
  }

  #string(bytes: Buffer, from: number): number {
    const at = this.#escapes(bytes, from, Math.min(from + SHORT, bytes.length));
    if (!this.#isInString || at === bytes.length) return at;
    const quote = bytes.indexOf(QUOTE, at);
    const end = quote === -1 ? bytes.length : quote;
    const isPlain = !this.#isEscaped && !bytes.subarray(at, end).includes(BACKSLASH);
    if (!isPlain) return this.#escapes(bytes, at, end);
    this.#isInString = quote === -1;
    return quote === -1 ? end : end + 1;
  }

  /** Byte by byte, as a backslash takes away the meaning of what follows. */
  #escapes(bytes: Buffer, from: number, to: number): number {
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at];
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) {
        this.#isInString = false;
        return at + 1;
      }
    }
    return to;
  }
}

const tooLarge = (how: string): AppError => new AppError(413, 'R413', `The body ${how}`);
