import { ByteWriter, type ByteReader } from './bytes.ts';
import { MAX_INTEGER, readIntegers, writeIntegers } from './integers.ts';

/** Texts of one column, as they were; `number` is what a text is as a number, null where it is none. */
export type Texts = {
  text(index: number): string;
  number(index: number): number | null;
  /** Puts all of them into an array, where every text is a number. */
  numbers?: (to: Float64Array) => void;
};

/** Decimals beyond which a number is rather the noise of a binary one. */
const FEW_DECIMALS = 6;
const MOST_DECIMALS = 15;
const MOST_DIGITS = 17;

const Form = { DECIMAL: 0, SINGLE: 1, DOUBLE: 2, DICTIONARY: 3, CONSTANT: 4 } as const;

const words = new DataView(new ArrayBuffer(8));

/** Writes texts in the shortest form that gives back each of them exactly. */
export function writeTexts(to: ByteWriter, texts: readonly string[]): void {
  const [first = ''] = texts;
  if (texts.every((text) => text === first)) {
    to.byte(Form.CONSTANT);
    to.text(first);
    return;
  }
  const written: ByteWriter[] = [];
  const decimals = texts.map(decimalOf);
  const most = Math.max(0, ...decimals.map((decimal) => decimal?.decimals ?? 0));
  const known = decimals.map((decimal) => decimal && scaled(decimal, most));
  const areDecimals = 2 * known.filter((value) => value !== null).length > texts.length;
  if (areDecimals) written.push(decimalForm(texts, known, most));
  if (!areDecimals || most > FEW_DECIMALS) {
    const numbers = texts.map(numberIn);
    if (2 * numbers.filter((value) => value !== null).length > texts.length)
      written.push(binaryForm(texts, numbers));
  }
  if (written.length === 0) written.push(dictionaryForm(texts));
  const [shortest] = written.toSorted((a, b) => a.length - b.length);
  if (shortest) to.write(shortest.bytes());
}

export function readTexts(from: ByteReader, count: number): Texts {
  const form = from.byte();
  if (form === Form.CONSTANT) return constantIn(from);
  if (form === Form.DICTIONARY) return dictionaryIn(from, count);
  const exceptions = exceptionsIn(from);
  return form === Form.DECIMAL
    ? decimalsIn(from, count, exceptions)
    : binariesIn(from, count, exceptions, form === Form.SINGLE);
}

function constantIn(from: ByteReader): Texts {
  const text = from.text();
  const decimal = decimalOf(text);
  const number = decimal ? decimal.integer / 10 ** decimal.decimals : numberIn(text);
  return { text: () => text, number: () => number };
}

type Decimal = { integer: number; decimals: number };

/** A number in the shortest decimal form (`-21.5`), so that the text can be made from it again; null of another text. */
function decimalOf(text: string): Decimal | null {
  if (text.length === 0 || text.length > MOST_DIGITS) return null;
  const point = text.indexOf('.');
  const decimals = point < 0 ? 0 : text.length - point - 1;
  const integer = Number(point < 0 ? text : text.slice(0, point) + text.slice(point + 1));
  if (!Number.isInteger(integer) || decimals > MOST_DECIMALS) return null;
  if (Math.abs(integer) > MAX_INTEGER || decimalText(integer, decimals) !== text) return null;
  return { integer, decimals };
}

function scaled({ integer, decimals }: Decimal, most: number): number | null {
  const value = integer * 10 ** (most - decimals);
  return Math.abs(value) > MAX_INTEGER ? null : value;
}

function decimalText(integer: number, decimals: number): string {
  if (decimals === 0) return String(integer);
  const digits = String(Math.abs(integer)).padStart(decimals + 1, '0');
  let end = digits.length;
  while (end > digits.length - decimals && digits[end - 1] === '0') end -= 1;
  const whole = digits.slice(0, -decimals);
  const rest = digits.slice(digits.length - decimals, end);
  return `${integer < 0 ? '-' : ''}${whole}${rest && '.'}${rest}`;
}

const numberIn = (text: string): number | null => {
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : null;
};

function decimalForm(
  texts: readonly string[],
  known: readonly (number | null)[],
  decimals: number,
): ByteWriter {
  const written = new ByteWriter();
  written.byte(Form.DECIMAL);
  writeExceptions(written, texts, known);
  written.byte(decimals);
  writeIntegers(written, withoutHoles(known));
  return written;
}

function binaryForm(texts: readonly string[], known: readonly (number | null)[]): ByteWriter {
  const numbers = withoutHoles(known);
  const areSingle = numbers.every((number) => Math.fround(number) === number);
  const written = new ByteWriter();
  written.byte(areSingle ? Form.SINGLE : Form.DOUBLE);
  writeExceptions(written, texts, known);
  if (areSingle) {
    writeIntegers(written, numbers.map(singleBits));
    return written;
  }
  for (const offset of [0, 4])
    writeIntegers(
      written,
      numbers.map((number) => {
        words.setFloat64(0, number);
        return words.getUint32(offset);
      }),
    );
  return written;
}

function singleBits(number: number): number {
  words.setFloat32(0, number);
  return words.getUint32(0);
}

/** An exception repeats the number before it, which costs next to nothing. */
function withoutHoles(known: readonly (number | null)[]): number[] {
  let before = 0;
  return known.map((value) => (before = value ?? before));
}

function writeExceptions(
  to: ByteWriter,
  texts: readonly string[],
  known: readonly (number | null)[],
): void {
  const places = [...texts.keys()].filter((index) => known[index] === null);
  to.varint(places.length);
  if (places.length === 0) return;
  writeIntegers(to, places);
  writeDictionary(
    to,
    places.map((place) => texts[place] ?? ''),
  );
}

function exceptionsIn(from: ByteReader): Map<number, string> {
  const count = from.varint();
  if (count === 0) return new Map();
  const places = readIntegers(from, count);
  const { text } = dictionaryIn(from, count);
  return new Map(Array.from(places, (place, index) => [place, text(index)]));
}

function decimalsIn(from: ByteReader, count: number, exceptions: Map<number, string>): Texts {
  const decimals = from.byte();
  const integers = readIntegers(from, count);
  const factor = 10 ** decimals;
  return {
    ...(exceptions.size === 0 && { numbers: (to) => divide(integers, factor, to) }),
    text: (index) => exceptions.get(index) ?? decimalText(integers[index] ?? NaN, decimals),
    // Both are exact, so the quotient is the number that the text says.
    number: (index) => (exceptions.has(index) ? null : (integers[index] ?? NaN) / factor),
  };
}

function divide(integers: Float64Array, factor: number, to: Float64Array): void {
  for (let index = 0; index < integers.length; index += 1)
    to[index] = (integers[index] ?? NaN) / factor;
}

function binariesIn(
  from: ByteReader,
  count: number,
  exceptions: Map<number, string>,
  areSingle: boolean,
): Texts {
  const first = readIntegers(from, count);
  const second = areSingle ? null : readIntegers(from, count);
  const numbers = first.map((bits, index) => {
    words.setUint32(0, bits);
    if (!second) return words.getFloat32(0);
    words.setUint32(4, second[index] ?? NaN);
    return words.getFloat64(0);
  });
  return {
    ...(exceptions.size === 0 && { numbers: (to) => to.set(numbers) }),
    text: (index) => exceptions.get(index) ?? String(numbers[index]),
    number: (index) => (exceptions.has(index) ? null : (numbers[index] ?? NaN)),
  };
}

function dictionaryForm(texts: readonly string[]): ByteWriter {
  const written = new ByteWriter();
  written.byte(Form.DICTIONARY);
  writeDictionary(written, texts);
  return written;
}

function writeDictionary(to: ByteWriter, texts: readonly string[]): void {
  const places = new Map<string, number>();
  const indexes = texts.map((text) => places.getOrInsertComputed(text, () => places.size));
  to.varint(places.size);
  for (const text of places.keys()) to.text(text);
  writeIntegers(to, indexes);
}

function dictionaryIn(from: ByteReader, count: number): Texts {
  const texts = Array.from({ length: from.varint() }, () => from.text());
  const indexes = readIntegers(from, count);
  return {
    text: (index) => texts[indexes[index] ?? -1] ?? '',
    number: () => null,
  };
}
