import { COST, meanings, type Vocabulary } from './vocabulary.ts';
import { isNumber, MAX_PHRASE, wordsOf } from './words.ts';

/** More cannot be one name; bits of a 32-bit number. */
const MAX_WORDS = 24;
/** Left out where no name has them. */
const FILLERS = new Set('a an and at for from in is of on the to'.split(' '));

/** What is asked for: for each word the words of names it may stand for, and the numbers with their words. */
export type Phrase = {
  readonly words: readonly ReadonlyMap<number, number>[];
  /** The words that are numbers, as bits. */
  readonly numerals: number;
  /** Of each number, the places in `words` of the number and of the word it belongs to. */
  readonly attached: readonly (readonly [number: number, word: number])[];
};

/** null: no words, or too many. */
export function phraseOf(vocabulary: Vocabulary, text: string): Phrase | null {
  const texts = wordsOf(text.slice(0, MAX_PHRASE))
    .flatMap((word) => parts(vocabulary, word))
    .filter((word) => !FILLERS.has(word) || vocabulary.numbers.has(word));
  if (texts.length === 0 || texts.length > MAX_WORDS) return null;
  const words = texts.map((word, at) => {
    const found = meanings(vocabulary, word);
    // "set point" also finds "setpoint".
    for (const joined of [(texts[at - 1] ?? '') + word, word + (texts[at + 1] ?? '')]) {
      const number = vocabulary.numbers.get(joined);
      if (number !== undefined && !isNumber(word)) found.set(number, COST.exact);
    }
    return found;
  });
  const numerals = texts.reduce((bits, word, at) => (isNumber(word) ? bits | (1 << at) : bits), 0);
  return { words, numerals, attached: attachments(texts, isNumber) };
}

/** A word that no name has, in two that names have: "setpoint" also finds "set-point". */
function parts({ numbers }: Vocabulary, word: string): string[] {
  if (!numbers.has(word))
    for (let at = 2; at <= word.length - 2; at += 1) {
      const [first, second] = [word.slice(0, at), word.slice(at)];
      if (numbers.has(first) && numbers.has(second)) return [first, second];
    }
  return [word];
}

/**
 * Places of the numbers, each with the place of its word: the one before it, or behind it where the text begins
 * with a number (`boiler 2 pump 3`, `2nd boiler`).
 */
export function attachments<T>(
  words: readonly T[],
  isNumeral: (word: T) => boolean,
): [number: number, word: number][] {
  const [first] = words;
  const step = first !== undefined && isNumeral(first) ? 1 : -1;
  const isWord = (at: number): boolean => {
    const word = words[at];
    return word !== undefined && !isNumeral(word);
  };
  return words.flatMap((word, at): [number, number][] => {
    if (!isNumeral(word)) return [];
    const of = [at + step, at - step].find(isWord);
    return of === undefined ? [] : [[at, of]];
  });
}
