import { codedBy, codedIn } from './code.ts';
import {
  allOf,
  type Lists,
  type Match,
  matchesIn,
  matchOf,
  MAX_PAIRS,
  meant,
  type Pair,
  pairsIn,
} from './match.ts';
import { type Entry, havingWords, masksOf, type Named, type NameList } from './name-list.ts';
import { type Phrase, phraseOf } from './phrase.ts';
import type { DeviceName, PlantNames, PointName } from './plant-names.ts';

/** Kinds of things that are asked for by a name alone, and where their names are. */
export const LISTS = {
  device: 'devices',
  profile: 'profiles',
  driver: 'drivers',
  group: 'groups',
  label: 'labels',
} as const;
export type Kind = keyof typeof LISTS;

/** What a phrase means: one thing, or several that it may mean, or none and what is near; likeliest first. */
export type Found<T> = { one: T } | { several: readonly T[] } | { near: readonly T[] };

const MAX_NEAR = 5;

function foundIn<T>(matches: readonly Match<T>[]): Found<T> {
  const one = meant(matches);
  if (one !== null) return { one };
  const whole = matches.filter(({ missing }) => missing === 0);
  return whole.length > 0
    ? { several: whole.map(({ found }) => found) }
    : { near: matches.slice(0, MAX_NEAR).map(({ found }) => found) };
}

const inList = <N extends Named>(list: NameList<N>, phrase: Phrase | null): Found<N> =>
  phrase ? foundIn(matchesIn(list, phrase)) : { near: [] };

/** The device, profile, driver, group or label that `text` means; a device also by its code. */
export function findNamed(names: PlantNames, kind: Kind, text: string): Found<Named> {
  const find = ({ vocabulary }: PlantNames): Found<Named> =>
    inList<Named>(names[LISTS[kind]], phraseOf(vocabulary, text));
  const coded = kind === 'device' ? codedBy(names.codes, text) : [];
  return coded.length === 0
    ? find(names)
    : withCoded(coded, find(asWritten(names)), ({ id }) => id);
}

/** A code is another name of its device: a text that is also a name of another one may mean either. */
function withCoded<T>(coded: readonly T[], found: Found<T>, idOf: (one: T) => string): Found<T> {
  const all = new Map([...coded, ...wholeOf(found)].map((one) => [idOf(one), one]));
  const [one, ...others] = all.values();
  return one && others.length === 0 ? { one } : { several: [...all.values()] };
}

const wholeOf = <T>(found: Found<T>): readonly T[] =>
  'one' in found ? [found.one] : 'several' in found ? found.several : [];

/** Beside a code, names that the text misspells are not meant. */
const asWritten = (names: PlantNames): PlantNames => ({
  ...names,
  vocabulary: { ...names.vocabulary, isExact: true },
});

type PairAsked = {
  /** Narrows to one device. */
  deviceId?: string | undefined;
  /** Narrows to one point, whatever `text` says. */
  pointId?: string | undefined;
  /** Names of a point and, unless it is given, of its device, in any order. */
  text: string;
};

type FoundPair = Found<Pair<DeviceName, PointName>>;

/** The point of a device that is meant, the device by its name or its code. */
export function findPair(names: PlantNames, asked: PairAsked): FoundPair {
  const isWhole = asked.deviceId === undefined && asked.pointId === undefined;
  const ofCodes = isWhole
    ? codedIn(names.codes, asked.text).map(({ device, rest }) =>
        pairByNames(names, { deviceId: device.id, text: rest }),
      )
    : [];
  const coded = ofCodes.flatMap(wholeOf);
  if (coded.length > 0)
    return withCoded(
      coded,
      pairByNames(asWritten(names), asked),
      ({ device, point }) => `${device.id}:${point.id}`,
    );
  const found = pairByNames(names, asked);
  const isNear = 'near' in found && found.near.length === 0;
  return isNear ? (ofCodes.find((one) => 'near' in one && one.near.length > 0) ?? found) : found;
}

function pairByNames(names: PlantNames, asked: PairAsked): FoundPair {
  const { devices, points, pointsOf } = names;
  if (asked.pointId !== undefined) {
    const point = points.entries[points.places.get(asked.pointId) ?? -1]?.named;
    if (!point) return { near: [] };
    const pairs = (names.devicesOf.get(point.profileId) ?? []).flatMap((d) => {
      const device = devices.entries[d]?.named;
      const isAsked = asked.deviceId === undefined || device?.id === asked.deviceId;
      return device && isAsked ? [{ device, point }] : [];
    });
    const [one, ...others] = pairs;
    return one && others.length === 0 ? { one } : { several: pairs };
  }
  const phrase = phraseOf(names.vocabulary, asked.text);
  const only = asked.deviceId === undefined ? undefined : devices.places.get(asked.deviceId);
  const isUnknown = asked.deviceId !== undefined && only === undefined;
  if (!phrase || isUnknown) return { near: [] };
  const lists = {
    devices,
    points,
    only,
    pointsOf: ({ profileId }: DeviceName) => pointsOf.get(profileId) ?? [],
  };
  const plain = only === undefined ? plainPair(lists, phrase) : null;
  if (plain) return { one: plain };
  const pairs = pairsIn(lists, phrase);
  if (pairs.length > MAX_PAIRS) return { several: pairs.map(({ found: pair }) => pair) };
  const found = foundIn(pairs);
  return 'near' in found ? { near: nearPairs(names, only, phrase) } : found;
}

/** The points of the one device that the phrase names best; none where it names several equally. */
function nearPairs(
  { devices, points, pointsOf }: PlantNames,
  only: number | undefined,
  phrase: Phrase,
): Pair<DeviceName, PointName>[] {
  const [first, second] = only === undefined ? matchesIn(devices, phrase) : [];
  const isClear = first && (!second || first.parts < second.parts || first.cost < second.cost);
  const place = only ?? (isClear ? devices.places.get(first.found.id) : undefined);
  const device = devices.entries[place ?? -1]?.named;
  if (!device) return [];
  return (pointsOf.get(device.profileId) ?? []).flatMap((p) => {
    const point = points.entries[p]?.named;
    return point ? [{ device, point }] : [];
  });
}

/** The names of a list that have all words of a text, each number with its word; likeliest first. */
export function havingAll<N extends Named>(
  names: PlantNames,
  list: NameList<N>,
  text: string,
): N[] {
  const phrase = phraseOf(names.vocabulary, text);
  const matches = phrase ? matchesIn(list, phrase) : [];
  return matches
    .filter(({ missing, loose }) => missing === 0 && loose === 0)
    .map(({ found }) => found);
}

/** The point that is meant, of whatever device; a phrase may name a device to say of which profile. */
export function findPoint(names: PlantNames, text: string): Found<PointName> {
  const alone = inList(names.points, phraseOf(names.vocabulary, text));
  if ('one' in alone) return alone;
  const pairs = findPair(names, { text });
  const points =
    'one' in pairs ? [pairs.one.point] : 'several' in pairs ? pointsIn(pairs.several) : [];
  const [one, ...others] = points;
  if (one && others.length === 0) return { one };
  return 'several' in alone || points.length === 0 ? alone : { several: points };
}

const pointsIn = (pairs: readonly Pair<DeviceName, PointName>[]): PointName[] => [
  ...new Set(pairs.map(({ point }) => point)),
];

/**
 * The pair whose names are the whole phrase and nothing else, each number with its word; null where there is none, several
 * are, or it cannot be told from the numbers. Many share the other words, so only devices that have a number are looked
 * at: of `line 2 point 2`, whose number is in both names, `pairsIn` would look at every line with a point 2.
 */
function plainPair<D extends Named, P extends Named>(
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
