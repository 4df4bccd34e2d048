import { CodecError, utf8 } from './codec.ts';
import { type Item, type ItemMap, MAX_DEPTH, MAX_ITEMS } from './item.ts';

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;
const [QUOTE, COMMA, COLON, BACKSLASH, SPACE] = [34, 44, 58, 92, 32] as const;
const [LIST, LIST_END, OBJECT, OBJECT_END] = [91, 93, 123, 125] as const;
const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

/**
 * The single value of a JSON payload (RFC 8259); a name that an object has twice is an error. Each character is read
 * once. Throws `CodecError`.
 */
export function readJson(payload: Buffer): Item {
  const text = utf8(payload);
  if (text === null) throw new CodecError('the JSON is not UTF-8');
  const reader = new Reader(text);
  const item = readItem(reader, 0);
  if (!reader.isAtEnd()) throw new CodecError('text follows the JSON');
  return item;
}

class Reader {
  readonly #text: string;
  #at = 0;
  #items = 0;

  constructor(text: string) {
    this.#text = text;
  }

  match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return null;
    const from = this.#at;
    this.#at = pattern.lastIndex;
    return this.#text.slice(from, this.#at);
  }

  take(character: number): boolean {
    this.#skip();
    if (this.#text.charCodeAt(this.#at) !== character) return false;
    this.#at += 1;
    return true;
  }

  demand(character: number): void {
    if (!this.take(character))
      throw new CodecError(`the JSON lacks a ${String.fromCharCode(character)}`);
  }

  isAtEnd(): boolean {
    this.#skip();
    return this.#at >= this.#text.length;
  }

  /** The rest of a string after its first quote. */
  string(): string {
    const from = this.#at;
    let isPlain = true;
    let at = from;
    for (; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code >= SPACE && code !== BACKSLASH) continue;
      isPlain = false;
      if (code === BACKSLASH) at += 1;
    }
    this.#at = at + 1;
    if (isPlain && at < this.#text.length) return this.#text.slice(from, at);
    return unquoted(this.#text.slice(from - 1, this.#at));
  }

  count(depth: number): void {
    this.#items += 1;
    if (depth > MAX_DEPTH) throw new CodecError('the JSON is nested too deeply');
    if (this.#items > MAX_ITEMS) throw new CodecError('the JSON has too many values');
  }

  #skip(): void {
    while (isBlank(this.#text.charCodeAt(this.#at))) this.#at += 1;
  }
}

/** Space, tab and the ends of lines. */
const isBlank = (code: number): boolean =>
  code === SPACE || code === 9 || code === 10 || code === 13;

function unquoted(literal: string): string {
  let text: unknown;
  try {
    text = JSON.parse(literal);
  } catch {
    throw new CodecError('a JSON string is malformed');
  }
  if (typeof text === 'string' && text.isWellFormed()) return text;
  throw new CodecError('a JSON string is not Unicode text');
}

function readItem(reader: Reader, depth: number): Item {
  reader.count(depth);
  if (reader.take(QUOTE)) return reader.string();
  if (reader.take(LIST)) return readList(reader, depth + 1);
  if (reader.take(OBJECT)) return readObject(reader, depth + 1);
  const numeral = reader.match(NUMBER);
  if (numeral !== null) return { numeral };
  const word = reader.match(WORD);
  if (word === null) throw new CodecError('the payload is no JSON');
  return WORDS[word] ?? null;
}

function readList(reader: Reader, depth: number): Item[] {
  const list: Item[] = [];
  if (reader.take(LIST_END)) return list;
  do list.push(readItem(reader, depth));
  while (reader.take(COMMA));
  reader.demand(LIST_END);
  return list;
}

function readObject(reader: Reader, depth: number): ItemMap {
  const map: ItemMap = new Map();
  if (reader.take(OBJECT_END)) return map;
  do {
    reader.demand(QUOTE);
    const name = reader.string();
    if (map.has(name)) throw new CodecError('a JSON object has a name twice');
    reader.demand(COLON);
    map.set(name, readItem(reader, depth));
  } while (reader.take(COMMA));
  reader.demand(OBJECT_END);
  return map;
}
