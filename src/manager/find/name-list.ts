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

const NOTHING = 255;

/** How far each name of a list has the words of a phrase. */
export type Cover = {
  /** Bit by bit, the words of the phrase that a name has. */
  readonly masks: Int32Array;
  /** What the word `word` of the phrase costs in the name at `place`; Infinity: it is not there. */
  cost(word: number, place: number): number;
};

export function coverOf({ entries, having }: NameList, { words }: Phrase): Cover {
  const masks = new Int32Array(entries.length);
  const costs = words.map(() => new Uint8Array(entries.length).fill(NOTHING));
  for (const [word, found] of words.entries())
    for (const [number, cost] of found)
      for (const place of having.get(number) ?? []) {
        const row = costs[word];
        if (!row) continue;
        masks[place] = (masks[place] ?? 0) | (1 << word);
        row[place] = Math.min(row[place] ?? NOTHING, cost);
      }
  return {
    masks,
    cost(word, place) {
      const cost = costs[word]?.[place] ?? NOTHING;
      return cost === NOTHING ? Number.POSITIVE_INFINITY : cost;
    },
  };
}

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
