import { z } from 'zod';

import { Text } from '../../src/kernel/input/text.ts';
import { lengthIn, unitOf } from './length.ts';

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const QUOTES = /^(["'`])(.*)\1$/s;
const FENCE = /^```(?:json)?\s*([\s\S]*?)\s*```$/;
const BOOLEANS = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);
/** What programs write for nothing. */
const NOTHING = ['null', 'undefined', 'None'];

const verbatim = new WeakSet<object>();

/** A text that means itself, whatever it says: one that a device reports may well be `null`. */
export function Verbatim(max: number) {
  const schema = Text(max);
  verbatim.add(schema);
  return schema;
}
/** Of a schema without what makes it optional. */
export const isVerbatim = (schema: unknown): boolean =>
  typeof schema === 'object' && schema !== null && verbatim.has(schema);

/** A text without the spaces and the quotation marks around it. */
export function bare(text: string): string {
  const trimmed = text.trim();
  return QUOTES.exec(trimmed)?.[2]?.trim() ?? trimmed;
}

const plain = (text: string): string =>
  bare(text)
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '');

/** Whether this is nothing: null, a text that says so, or a list of nothing else. */
export function isNothing(value: unknown): boolean {
  if (value === null) return true;
  if (typeof value === 'string') {
    const list = jsonIn(value, Array.isArray);
    return list ? isNothing(list) : NOTHING.includes(bare(value));
  }
  return (
    Array.isArray(value) && value.length > 0 && value.every((one) => isBlank(one) || isNothing(one))
  );
}

/** Whether a text is nothing to a field that does not take it. */
export const isEmptyWord = (text: string): boolean =>
  isBlank(text) || /^(?:null|none|undefined)$/i.test(bare(text));

const isBlank = (value: unknown): boolean => typeof value === 'string' && bare(value) === '';

/** The option of an enumeration that a text spells, in any case and with other signs between its words. */
export const optionOf = <T extends string | number>(
  options: readonly T[],
  text: string,
): T | undefined =>
  options.find((option) => plain(String(option)) === plain(text)) ??
  optionOfLength(options, lengthIn(bare(text)));

/** Of `1h` and `1d`, the one that is as long: `hour`, `daily` or `PT1H` say that too. */
const optionOfLength = <T>(options: readonly T[], ms: number | null): T | undefined =>
  ms === null ? undefined : options.find((option) => lengthIn(String(option)) === ms);

/** What a text or a number is in a type that is none, for the field of this name; undefined where it is nothing of it. */
export function scalarIn(type: unknown, given: string | number, field: string): unknown {
  const text = bare(String(given));
  if (type instanceof z.ZodNumber) return numberIn(text, field);
  if (type instanceof z.ZodBoolean) return BOOLEANS.get(text.toLowerCase());
  if (type instanceof z.ZodEnum) return optionOf(type.options, text);
  return undefined;
}

function numberIn(text: string, field: string): number | undefined {
  if (NUMBER.test(text)) return Number(text);
  const unit = unitOf(field);
  const length = unit === null ? null : lengthIn(text);
  return length === null || unit === null ? undefined : length / unit;
}

/** What a text is in JSON, in a fence of Markdown, or as Python writes it; null for anything that `isIt` refuses. */
export function jsonIn<T>(given: string, isIt: (value: unknown) => value is T): T | null {
  const text = FENCE.exec(given.trim())?.[1] ?? given.trim();
  if (!/^["[{]/.test(text)) return null;
  for (const read of [text, fromPython(text), bare(text)])
    try {
      const value: unknown = read === null ? null : JSON.parse(read);
      // A program may have written it as a text twice.
      const inner: unknown = typeof value === 'string' ? JSON.parse(value) : value;
      if (isIt(inner)) return inner;
    } catch {
      // Not in this form.
    }
  return null;
}

/** Python's list or object as JSON; null where it has quotation marks that JSON has too. */
function fromPython(text: string): string | null {
  if (/["\\]/.test(text)) return null;
  return text
    .replaceAll("'", '"')
    .replaceAll(/(?<=[[,:]\s*)(?:True|False|None)(?=\s*[\],}])/g, (word) =>
      word === 'None' ? 'null' : word.toLowerCase(),
    );
}
