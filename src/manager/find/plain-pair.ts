import { allOf, type Lists, matchOf, meant, type Pair } from './match.ts';
import { type Entry, havingWords, masksOf, type Named } from './name-list.ts';
import type { Phrase } from './phrase.ts';

/**
 * The pair whose names are the whole phrase and nothing else, each number with its word; null where there is none, several
 * are, or it cannot be told from the numbers. Many share the other words, so only devices that have a number are looked
 * at: of `line 2 point 2`, whose number is in both names, `pairsIn` would look at every line with a point 2.
 */
export function plainPair<D extends Named, P extends Named>(
  { devices, points, pointsOf }: Lists<D, P>,
  phrase: Phrase,
): Pair<D, P> | null {
  const ofPoints = masksOf(points, phrase);
  const byRest = Map.groupBy(ofPoints.keys(), (p) => {
    const point = points.entries[p];
    return (allOf(phrase) & ~(ofPoints[p] ?? 0)) | (point ? elsewhere(point, phrase) : 0);
  });
  if (byRest.keys().some((rest) => (rest & phrase.numerals) === 0)) return null;
  const matches = [...byRest].flatMap(([rest, places]) =>
    havingWords(devices, phrase, rest).flatMap((d) => {
      const device = devices.entries[d];
      if (!device) return [];
      const own = new Set(pointsOf(device.named));
      return places.flatMap((p) => {
        const point = points.entries[p];
        if (!point || !own.has(p)) return [];
        return [matchOf({ device: device.named, point: point.named }, [device, point], phrase)];
      });
    }),
  );
  const plain = matches.filter(({ loose, cost, parts }) => loose + cost + parts === 0);
  return meant(plain);
}

/** As bits, the numbers of the phrase that do not belong to their word in this name, with those words. */
const elsewhere = ({ attached }: Entry, { words, attached: asked }: Phrase): number =>
  asked.reduce((bits, [number, word]) => {
    const isHere = attached.some(([n, w]) => words[number]?.has(n) && words[word]?.has(w));
    return isHere ? bits : bits | (1 << number) | (1 << word);
  }, 0);
