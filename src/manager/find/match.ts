import {
  costIn,
  type Entry,
  havingWords,
  leftIn,
  looseIn,
  maskOf,
  masksOf,
  type Named,
  type NameList,
} from './name-list.ts';
import type { Phrase } from './phrase.ts';

/** So many pairs fit that none is meant; no more are looked at. */
export const MAX_PAIRS = 2_000;

/** Something a phrase may mean; the smaller the numbers the likelier. */
export type Match<T> = {
  readonly found: T;
  /** Words of the phrase that it does not have. */
  readonly missing: number;
  /** Numbers that belong to another word. */
  readonly loose: number;
  /** Beginnings and typos of words. */
  readonly cost: number;
  /** Names of which only a part is in the phrase. */
  readonly parts: number;
  /** Words of the names that are not in the phrase. */
  readonly left: number;
};

const ORDER = ['missing', 'loose', 'cost', 'parts', 'left'] as const;

const byLikelihood = <T>(a: Match<T>, b: Match<T>): number => {
  for (const key of ORDER) if (a[key] !== b[key]) return a[key] - b[key];
  return 0;
};

/**
 * What is meant: the first of `matches` (likeliest first) that has the whole phrase, if it is ahead of every other one
 * in nothing behind and something before; null when another may be meant as well.
 */
export function meant<T>(matches: readonly Match<T>[]): T | null {
  const [first, ...others] = matches;
  if (!first || first.missing > 0 || first.loose > 0) return null;
  const isAhead = others.every(
    (other) =>
      other.missing > 0 ||
      (first.cost <= other.cost &&
        first.parts <= other.parts &&
        (first.loose < other.loose || first.cost < other.cost || first.parts < other.parts)),
  );
  return isAhead ? first.found : null;
}

/** The names of a list that have all words of the phrase, or else those that have most of them; likeliest first. */
export function matchesIn<N extends Named>(list: NameList<N>, phrase: Phrase): Match<N>[] {
  const whole = havingWords(list, phrase, allOf(phrase));
  const places = whole.length > 0 ? whole : havingMost(list, phrase);
  return places
    .flatMap((place) => {
      const entry = list.entries[place];
      return entry ? [matchOf(entry.named, [entry], phrase)] : [];
    })
    .toSorted(byLikelihood);
}

/** Every word of the phrase, as bits. */
export const allOf = ({ words }: Phrase): number => (1 << words.length) - 1;

/** The places of the names that have the most words of the phrase, none where that is none. */
function havingMost(list: NameList, phrase: Phrase): number[] {
  const masks = masksOf(list, phrase);
  // A name that has the words but not the numbers is nearer than one that has the numbers only.
  const had = (mask: number) =>
    2 * bitsIn(mask & ~phrase.numerals) + bitsIn(mask & phrase.numerals);
  const most = masks.reduce((best, mask) => Math.max(best, had(mask)), 0);
  if (most === 0) return [];
  return [...masks.keys()].filter((place) => had(masks[place] ?? 0) === most);
}

/** A device and a point of its profile. */
export type Pair<D, P> = { readonly device: D; readonly point: P };

export type Lists<D extends Named, P extends Named> = {
  devices: NameList<D>;
  points: NameList<P>;
  /** The place of the only device that is looked at; without it, all are. */
  only: number | undefined;
  /** Places of the points that a device has. */
  pointsOf(device: D): readonly number[];
};

/** The pairs whose two names together have all words of the phrase; likeliest first. */
export function pairsIn<D extends Named, P extends Named>(
  { devices, points, only, pointsOf }: Lists<D, P>,
  phrase: Phrase,
): Match<Pair<D, P>>[] {
  const all = allOf(phrase);
  const ofPoints = masksOf(points, phrase);
  const among = only === undefined ? withRest(devices, phrase, ofPoints) : [only];
  const matches: Match<Pair<D, P>>[] = [];
  for (const d of among) {
    const device = devices.entries[d];
    if (!device) continue;
    const mask = maskOf(device, phrase);
    for (const p of pointsOf(device.named)) {
      if ((mask | (ofPoints[p] ?? 0)) !== all) continue;
      const point = points.entries[p];
      if (!point) continue;
      const found = { device: device.named, point: point.named };
      matches.push(matchOf(found, [device, point], phrase));
      if (matches.length > MAX_PAIRS) return matches.toSorted(byLikelihood);
    }
  }
  return matches.toSorted(byLikelihood);
}

/** The places of the devices that have all words of the phrase that some point has not. */
function withRest(devices: NameList, phrase: Phrase, ofPoints: Int32Array): Iterable<number> {
  const rests = new Set(ofPoints.map((mask) => allOf(phrase) & ~mask));
  if (rests.has(0)) return devices.entries.keys();
  const places = [...rests].flatMap((rest) => havingWords(devices, phrase, rest));
  return [...new Set(places)].toSorted((a, b) => a - b);
}

export function matchOf<T>(found: T, entries: readonly Entry[], phrase: Phrase): Match<T> {
  const left = entries.map((entry) => leftIn(entry, phrase));
  const costs = phrase.words.map((word) => costIn(entries, word));
  const had = costs.filter((cost) => cost !== Number.POSITIVE_INFINITY);
  return {
    found,
    missing: costs.length - had.length,
    loose: looseIn(entries, phrase),
    cost: had.reduce((sum, cost) => sum + cost, 0),
    parts: left.filter((count) => count > 0).length,
    left: left.reduce((sum, count) => sum + count, 0),
  };
}

function bitsIn(given: number): number {
  let count = 0;
  for (let bits = given; bits !== 0; bits &= bits - 1) count += 1;
  return count;
}
