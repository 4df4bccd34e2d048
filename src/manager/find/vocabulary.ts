import { distance } from '../../kernel/sentence/distance.ts';
import { isNumber } from './words.ts';

/** What a word of a phrase costs where it is written otherwise in the name. */
export const COST = { exact: 0, prefix: 1, edit: 2 } as const;
/** Shorter words are whole words or typos, not the beginning of others. */
const MIN_PREFIX = 3;

type Spelled = {
  readonly word: string;
  readonly number: number;
  /** The letters of the word as bits: words far apart in them are far apart in edits. */
  readonly letters: number;
};

/** The distinct words of the names of a tenant, numbered. */
export type Vocabulary = {
  readonly numbers: Map<string, number>;
  /** Without numerals, of which there are as many as things, and which stand for themselves only. */
  readonly spelled: Spelled[];
  /** Words that are written otherwise are none of these. */
  readonly isExact?: boolean;
};

export const emptyVocabulary = (): Vocabulary => ({ numbers: new Map(), spelled: [] });

/** The number of a word, which is added unless it is there. */
export function numberOf(vocabulary: Vocabulary, word: string): number {
  const known = vocabulary.numbers.get(word);
  if (known !== undefined) return known;
  const number = vocabulary.numbers.size;
  vocabulary.numbers.set(word, number);
  if (!isNumber(word)) vocabulary.spelled.push({ word, number, letters: lettersOf(word) });
  return number;
}

/**
 * The words that `word` may stand for, by number, each with its cost: itself, what it begins and, unless it has to be
 * exact, typos of it. A number is itself only.
 */
export function meanings(
  { numbers, spelled, isExact }: Vocabulary,
  word: string,
): Map<number, number> {
  const found = new Map<number, number>();
  const itself = numbers.get(word);
  if (!isNumber(word) && word.length >= MIN_PREFIX) {
    const max = word.length < 4 ? 0 : word.length < 8 ? 1 : 2;
    const own = lettersOf(word);
    for (const { word: other, number, letters } of spelled) {
      if (other.startsWith(word)) found.set(number, COST.prefix);
      else if (!isExact && max > 0 && bitsIn(letters ^ own) <= 2 * max) {
        const edits = distance(word, other, max);
        if (edits <= max) found.set(number, edits * COST.edit);
      }
    }
  }
  if (itself !== undefined) found.set(itself, COST.exact);
  return found;
}

function lettersOf(word: string): number {
  let bits = 0;
  for (let at = 0; at < word.length; at += 1) bits |= 1 << (word.charCodeAt(at) & 31);
  return bits;
}

/** An edit changes at most two of the bits. */
function bitsIn(given: number): number {
  let count = 0;
  for (let bits = given; bits !== 0; bits &= bits - 1) count += 1;
  return count;
}
