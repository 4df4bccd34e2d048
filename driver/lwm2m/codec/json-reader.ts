import { CodecError, utf8 } from './codec.ts';
import { type Item, type ItemMap, MAX_DEPTH, MAX_ITEMS } from './item.ts';

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;
const BLANKS = ' \t\n\r';
const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

/**
 * The single value of a JSON payload (RFC 8259); a name that an object has twice is an error. Each character is read
 * once. Throws `CodecError`.
 */
export function readJson(payload: Buffer): Item {
  const text = utf8(payload);
  if (text === null) throw new CodecError('the JSON is not UTF-8');
  const reader = createReader(text);
  const item = readItem(reader, 0);
  if (!reader.isAtEnd()) throw new CodecError('text follows the JSON');
  return item;
}

type Reader = ReturnType<typeof createReader>;

function createReader(text: string) {
  let at = 0;
  let items = 0;
  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return null;
    const from = at;
    at = pattern.lastIndex;
    return text.slice(from, at);
  };
  const skip = (): void => {
    while (at < text.length && BLANKS.includes(text[at] ?? '')) at += 1;
  };
  const take = (character: string): boolean => {
    skip();
    if (text[at] !== character) return false;
    at += 1;
    return true;
  };
  return {
    take,
    match,
    demand(character: string): void {
      if (!take(character)) throw new CodecError(`the JSON lacks a ${character}`);
    },
    isAtEnd(): boolean {
      skip();
      return at >= text.length;
    },
    /** The rest of a string after its first quote. */
    string(): string {
      const from = at - 1;
      while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
      at += 1;
      return unquoted(text.slice(from, at));
    },
    count(depth: number): void {
      items += 1;
      if (depth > MAX_DEPTH) throw new CodecError('the JSON is nested too deeply');
      if (items > MAX_ITEMS) throw new CodecError('the JSON has too many values');
    },
  };
}

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
  if (reader.take('"')) return reader.string();
  if (reader.take('[')) return readList(reader, depth + 1);
  if (reader.take('{')) return readObject(reader, depth + 1);
  const numeral = reader.match(NUMBER);
  if (numeral !== null) return { numeral };
  const word = reader.match(WORD);
  if (word === null) throw new CodecError('the payload is no JSON');
  return WORDS[word] ?? null;
}

function readList(reader: Reader, depth: number): Item[] {
  const list: Item[] = [];
  if (reader.take(']')) return list;
  do list.push(readItem(reader, depth));
  while (reader.take(','));
  reader.demand(']');
  return list;
}

function readObject(reader: Reader, depth: number): ItemMap {
  const map: ItemMap = new Map();
  if (reader.take('}')) return map;
  do {
    reader.demand('"');
    const name = reader.string();
    if (map.has(name)) throw new CodecError('a JSON object has a name twice');
    reader.demand(':');
    map.set(name, readItem(reader, depth));
  } while (reader.take(','));
  reader.demand('}');
  return map;
}
