import { bignum, decimalFraction, floatOf } from './cbor-number.ts';
import { CodecError, utf8 } from './codec.ts';
import { isNumeral, type Item, type ItemMap, MAX_DEPTH, MAX_ITEMS } from './item.ts';

const INDEFINITE = 31;
const BREAK = 0xff;
/** Tags that say what a text or byte string is for, and the mark of CBOR itself: the content is the value. */
const HINTS: ReadonlySet<bigint> = new Set([21n, 22n, 23n, 24n, 32n, 33n, 34n, 35n, 36n, 55_799n]);

/**
 * The single data item of a CBOR payload (RFC 8949). Each byte is read once, and no length is trusted. Throws
 * `CodecError`.
 */
export function readCbor(bytes: Buffer): Item {
  const reader = createReader(bytes);
  const item = readItem(reader, 0);
  if (!reader.isAtEnd()) throw new CodecError('bytes follow the CBOR');
  return item;
}

type Reader = ReturnType<typeof createReader>;

function createReader(bytes: Buffer) {
  let at = 0;
  let items = 0;
  const take = (size: number): Buffer => {
    if (size > bytes.length - at) throw new CodecError('the CBOR ends too early');
    at += size;
    return bytes.subarray(at - size, at);
  };
  const argument = (info: number): bigint => {
    if (info < 24) return BigInt(info);
    if (info > 27) throw new CodecError('a CBOR head is malformed');
    return BigInt(`0x${take(1 << (info - 24)).toString('hex')}`);
  };
  /** A length or count; each element has at least one byte. */
  const size = (info: number): number => {
    const length = argument(info);
    if (length > BigInt(bytes.length - at))
      throw new CodecError('a CBOR length points beyond its end');
    return Number(length);
  };
  const atBreak = (): boolean => {
    if (bytes[at] !== BREAK) return false;
    at += 1;
    return true;
  };
  return {
    take,
    argument,
    size,
    isAtEnd: () => at >= bytes.length,
    head: () => take(1).readUInt8(),
    /** The byte that the next item begins with. */
    next: () => bytes[at] ?? BREAK,
    /** Runs `step` for each element, counted or up to the break. */
    each(info: number, step: () => void): void {
      if (info === INDEFINITE) while (!atBreak()) step();
      else for (let left = size(info); left > 0; left -= 1) step();
    },
    count(depth: number): void {
      items += 1;
      if (depth > MAX_DEPTH) throw new CodecError('the CBOR is nested too deeply');
      if (items > MAX_ITEMS) throw new CodecError('the CBOR has too many items');
    },
  };
}

function readItem(reader: Reader, depth: number): Item {
  reader.count(depth);
  const head = reader.head();
  const info = head & 31;
  switch (head >> 5) {
    case 0:
      return { numeral: String(reader.argument(info)) };
    case 1:
      return { numeral: String(-1n - reader.argument(info)) };
    case 2:
      return readString(reader, 2, info);
    case 3:
      return readText(reader, info);
    case 4: {
      const list: Item[] = [];
      reader.each(info, () => list.push(readItem(reader, depth + 1)));
      return list;
    }
    case 5:
      return readMap(reader, info, depth + 1);
    case 6:
      return tagged(reader.argument(info), readItem(reader, depth + 1));
    default:
      return readSimple(reader, info);
  }
}

/** A byte string or text, whole or in chunks of its own kind. */
function readString(reader: Reader, major: number, info: number): Buffer {
  if (info !== INDEFINITE) return reader.take(reader.size(info));
  const chunks: Buffer[] = [];
  reader.each(info, () => {
    const head = reader.head();
    if (head >> 5 !== major || (head & 31) === INDEFINITE)
      throw new CodecError('a CBOR string has a chunk of another type');
    const chunk = reader.take(reader.size(head & 31));
    // Each chunk is UTF-8 by itself (RFC 8949, 3.2.3).
    if (major === 3) textOf(chunk);
    chunks.push(chunk);
  });
  return Buffer.concat(chunks);
}

const readText = (reader: Reader, info: number): string => textOf(readString(reader, 3, info));

function textOf(bytes: Buffer): string {
  const text = utf8(bytes);
  if (text === null) throw new CodecError('a CBOR text is not UTF-8');
  return text;
}

function readMap(reader: Reader, info: number, depth: number): ItemMap {
  const map: ItemMap = new Map();
  reader.each(info, () => {
    const key = readKey(reader, depth);
    if (map.has(key)) throw new CodecError('a CBOR map has a key twice');
    map.set(key, readItem(reader, depth));
  });
  return map;
}

/** A text or an integer as it is: the float 1.0 is not the integer 1. */
function readKey(reader: Reader, depth: number): string | number {
  const isInteger = reader.next() >> 5 < 2;
  const item = readItem(reader, depth);
  if (typeof item === 'string') return item;
  if (isInteger && isNumeral(item) && item.numeral.length <= 15) return Number(item.numeral);
  throw new CodecError('a CBOR map key is neither text nor a small integer');
}

function readSimple(reader: Reader, info: number): Item {
  if (info === 20 || info === 21) return info === 21;
  if (info === 22 || info === 23) return null;
  if (info < 25 || info > 27) throw new CodecError('a CBOR simple value is unknown');
  return floatOf(reader.take(1 << (info - 24)));
}

/** A tag that is not known could change what its content means. */
function tagged(tag: bigint, content: Item): Item {
  if (tag === 2n || tag === 3n) return bignum(content, tag === 3n);
  if (tag === 4n) return decimalFraction(content);
  if (HINTS.has(tag)) return content;
  const isTime = (tag === 0n && typeof content === 'string') || (tag === 1n && isNumeral(content));
  if (!isTime) throw new CodecError(`the CBOR tag ${tag} is unknown or on another kind of item`);
  return content;
}
