import { attachments, type Phrase } from './phrase.ts';
import { numberOf, type Vocabulary } from './vocabulary.ts';
import { isNumber, wordsOf } from './words.ts';

/** What has a name: a device, point, profile, driver, group or label. */
export type Named = { readonly id: string; readonly name: string };

/** A name, its words by their numbers in the vocabulary. */
export type Entry<N extends Named = Named> = {
  readonly named: N;
  readonly words: readonly number[];
  /** Numbers in the name, each with the word it belongs to. */
  readonly attached: readonly (readonly [number: number, word: number])[];
  readonly numerals: number;
};

/** The names of one kind, and of each word in which of them it is. */
export type NameList<N extends Named = Named> = {
  readonly entries: readonly Entry<N>[];
  readonly places: ReadonlyMap<string, number>;
  readonly having: ReadonlyMap<number, readonly number[]>;
};

export function nameList<N extends Named>(vocabulary: Vocabulary, all: readonly N[]): NameList<N> {
  const having = new Map<number, number[]>();
  const entries = all.map((named, place): Entry<N> => {
    const texts = wordsOf(named.name);
    const words = texts.map((word) => numberOf(vocabulary, word));
    for (const word of new Set(words)) {
      const known = having.get(word);
      if (known) known.push(place);
      else having.set(word, [place]);
    }
    const attached = attachments(texts, isNumber).map(([number, word]): [number, number] => [
      words[number] ?? -1,
      words[word] ?? -1,
    ]);
    return { named, words, attached, numerals: texts.filter(isNumber).length };
  });
  const places = new Map(all.map(({ id }, place) => [id, place]));
  return { entries, places, having };
}

/** What a word of a phrase, which is any of `found`, costs in the names; Infinity: none has it. */
export function costIn(entries: readonly Entry[], found: ReadonlyMap<number, number>): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { words } of entries)
    for (const number of words) least = Math.min(least, found.get(number) ?? least);
  return least;
}

/** Bit by bit, the words of the phrase that a name has. */
export const maskOf = ({ words }: Entry, phrase: Phrase): number =>
  phrase.words.reduce(
    (mask, found, word) => (words.some((number) => found.has(number)) ? mask | (1 << word) : mask),
    0,
  );

/** The same of all names of a list, by their places. */
export function masksOf({ entries, having }: NameList, phrase: Phrase): Int32Array {
  const masks = new Int32Array(entries.length);
  for (const [word, found] of phrase.words.entries())
    for (const number of found.keys())
      for (const place of having.get(number) ?? [])
        masks[place] = (masks[place] ?? 0) | (1 << word);
  return masks;
}

/**
 * The places, in order, of the names that have the words of the phrase whose bits are set in `wanted`, at least one.
 * Only names with the rarest of these words are looked at: many names share a word, few share each of several.
 */
export function havingWords(
  { entries, having }: NameList,
  phrase: Phrase,
  wanted: number,
): number[] {
  const [rarest = []] = phrase.words
    .filter((_, word) => (wanted & (1 << word)) !== 0)
    .map((found) => [...found.keys()].map((number) => having.get(number) ?? []))
    .toSorted((a, b) => sizeOf(a) - sizeOf(b));
  const hasAll = (place: number): boolean => {
    const entry = entries[place];
    return entry !== undefined && (maskOf(entry, phrase) & wanted) === wanted;
  };
  return [...new Set(rarest.flat())].filter(hasAll).toSorted((a, b) => a - b);
}

const sizeOf = (lists: readonly (readonly number[])[]): number =>
  lists.reduce((sum, { length }) => sum + length, 0);

/** Words of a name that the phrase does not have. */
export function leftIn({ words }: Entry, phrase: Phrase): number {
  return words.filter((word) => !phrase.words.some((found) => found.has(word))).length;
}

/**
 * Numbers of the phrase that belong to another word in the names: `line 1 pump 2` is not `Line 2 Pump 1`. A single
 * number belongs to the whole.
 */
export function looseIn(entries: readonly Entry[], { words, attached }: Phrase): number {
  if (entries.reduce((sum, { numerals }) => sum + numerals, 0) < 2) return 0;
  return attached.filter(
    ([number, word]) =>
      !entries.some((entry) =>
        entry.attached.some(([n, w]) => words[number]?.has(n) && words[word]?.has(w)),
      ),
  ).length;
}
