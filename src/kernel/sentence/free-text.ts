import { isOrder } from './order.ts';
import { isOwn } from './own-words.ts';

/** Longer texts than these are no names; a device says a state or a code, not a phrase. */
export const NAME_WORDS = 6;
export const DEVICE_WORDS = 2;

/** A run of letters, also within `camelCase` and `snake_case`; of scripts without blanks, two characters. */
const WORD =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Khmer}\p{sc=Lao}\p{sc=Myanmar}]{1,2}|\p{Lu}?[\p{Ll}\p{M}]+|[\p{L}\p{M}]+/gu;
/** The end of a sentence or of a cut text, an address, markup. */
const SIGN = /[.!?;:](?=\s)|[!?;:…]$|[。！？；：]|\p{L}{2}\.$|:\/\/|\bwww\.|[<>`]/u;

/**
 * Whether a text could instruct a reader: by its form, more than `words` words or a sign of sentences, addresses or markup,
 * in any language; a shorter one by an order in its words. What is left is taken for a name.
 */
export const isFree = (text: string, words: number): boolean =>
  (SIGN.test(text) || (text.match(WORD)?.length ?? 0) > words || isOrder(text)) && !isOwn(text);

/** The texts in quotation marks (`quoted`), which are all that a sentence of the platform has from others. */
export const quotationsIn = (sentence: string): string[] =>
  Array.from(sentence.matchAll(/“([^”]*)”?/g), ([, text = '']) => text);
