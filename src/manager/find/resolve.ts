import { areRenamed, type NamesBasis, relyingOnNames } from '../../db/basis.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { isNotFound, Unavailable } from '../../kernel/errors.ts';
import { codedBy } from './code.ts';
import type { Named, NameList } from './name-list.ts';
import { type PlantNames, plantNames, PLANT_NAMES } from './plant-names.ts';
import { type Asked, NotOne, refusalOf } from './refusal.ts';
import {
  findNamed,
  findPair,
  findPoint,
  type Found,
  havingAll,
  type Kind,
  LISTS,
} from './search.ts';

const MAX_ATTEMPTS = 3;
/** Of a search by words. */
const MAX_FOUND = 1_000;

type Given = string | undefined;

/** Ids or names, by the field of the id. */
type Refs = {
  deviceId?: Given;
  profileId?: Given;
  driverId?: Given;
  groupId?: Given;
  labelId?: Given;
  pointId?: Given;
};
type Points = { pointIds: string[] } | { pairs: { deviceId: string; pointId: string }[] };
type PairRefs = { deviceId?: Given; pointId: string };

/** Finds ids of what is given by id or name. */
export type Finder = {
  one(kind: Kind, given: string): Promise<string>;
  point(given: string): Promise<string>;
  /** Of a point of a device; without a device, the text for the point names both. */
  pair(given: PairRefs): Promise<{ deviceId: string; pointId: string }>;
  /** The same of each of several, at most `most`, that have all words of the text. */
  pairs(given: PairRefs, most: number): Promise<{ deviceId: string; pointId: string }[]>;
  /** Of all fields that are given. */
  ids(given: Refs): Promise<Refs>;
  /** The one group that a text means; null for none, and for several. */
  group(text: string): Promise<Named | null>;
  /** The groups that there are, at most ten: no tool lists them. */
  groups(): Promise<Named[]>;
  /** Of all devices that have all words of a text. */
  devices(text: string): Promise<string[]>;
  /** Names of devices that a text may mean, likeliest first, at most five. */
  nearDevices(text: string): Promise<string[]>;
  /** Of all points that have all words of a text, or else of the points of devices that have. */
  points(text: string, deviceId: Given): Promise<Points>;
};

/**
 * Runs `work`, which may look up names of the caller's tenant before its first query. Names come from memory; the first
 * trip of `work` compares their version, and where they have changed `work` is run again. Throws NotFound with what is
 * near for a name that nothing has, Unprocessable with candidates for one that several have. `isExact`, for what changes
 * something: a misspelt name is asked about, not guessed.
 */
export async function withNames<T>(
  app: App,
  caller: Caller,
  work: (find: Finder) => Promise<T>,
  { isExact = false } = {},
): Promise<T> {
  const { tenantId } = caller;
  let numeralsAreNames = false;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const relied: NamesBasis = { tenantId, version: null, isChecked: false };
    const load = async () => {
      const names = await plantNames(app, tenantId);
      relied.version = names.version;
      return isExact ? { ...names, vocabulary: { ...names.vocabulary, isExact } } : names;
    };
    const { find, numerals } = finderOf(load, numeralsAreNames);
    try {
      return await relyingOnNames(relied, () =>
        work(find).catch(async (error: unknown) => {
          throw error instanceof NotOne ? await refusalOf(app, caller, error.asked) : error;
        }),
      );
    } catch (error) {
      if (areRenamed(error)) app.of(PLANT_NAMES).known.delete(tenantId);
      else if (isNotFound(error) && !numeralsAreNames && numerals.length > 0) {
        const names = await load();
        if (!numerals.some(([kind, given]) => namedByNumeral(names, kind, given).length > 0))
          throw error;
        numeralsAreNames = true;
      } else throw error;
    }
  }
  throw new Unavailable('The names of this tenant change faster than they can be looked up');
}

type List = (typeof LISTS)[Kind] | 'points';

/** Digits are an id, and only if nothing has it a name or a code. */
function finderOf(load: () => Promise<PlantNames>, numeralsAreNames: boolean) {
  const numerals: [List, string][] = [];
  const byId = async (list: List, given: string): Promise<string | null> => {
    if (!/^\d+$/.test(given)) return null;
    numerals.push([list, given]);
    if (!numeralsAreNames) return given;
    const several = namedByNumeral(await load(), list, given);
    const [one, ...others] = several;
    if (others.length > 0)
      throw new NotOne({ kind: 'device', text: given, found: { several, near: [] } });
    return one?.id ?? given;
  };
  const find: Finder = {
    async one(kind, given) {
      const id = await byId(LISTS[kind], given);
      if (id !== null) return id;
      const names = await load();
      const found = findNamed(names, kind, given);
      // No tool lists them.
      if (FEW.includes(kind) && 'near' in found && found.near.length === 0) {
        const near = names[LISTS[kind]].entries.map(({ named }) => named);
        throw new NotOne({ kind, text: given, found: { several: [], near }, isAll: true });
      }
      return only(found, { kind, text: given }).id;
    },
    point: async (given) =>
      (await byId('points', given)) ??
      only(findPoint(await load(), given), { kind: 'point', text: given }).id,
    async pair({ deviceId: device, pointId: point }) {
      const deviceId = device === undefined ? undefined : await find.one('device', device);
      const pointId = (await byId('points', point)) ?? undefined;
      if (deviceId !== undefined && pointId !== undefined) return { deviceId, pointId };
      const names = await load();
      if (deviceId !== undefined && !names.devices.places.has(deviceId))
        throw new NotOne({ kind: 'device', text: deviceId, found: { several: [], near: [] } });
      const found = findPair(names, { deviceId, pointId, text: point });
      if ('near' in found && found.near.length === 0) {
        const near = deviceId === undefined ? nearOf(findNamed(names, 'device', point)) : [];
        throw new NotOne({ kind: 'pair', text: point, found: { several: [], near } });
      }
      const pair = only(found, { kind: 'pair', text: point });
      return { deviceId: pair.device.id, pointId: pair.point.id };
    },
    pairs: (given, most) =>
      find.pair(given).then(
        (pair) => [pair],
        (error: unknown) => {
          const several = error instanceof NotOne ? error.asked.found.several : [];
          const pairs = several.flatMap((one) =>
            'point' in one ? [{ deviceId: one.device.id, pointId: one.point.id }] : [],
          );
          if (pairs.length === 0 || pairs.length > most) throw error;
          return pairs;
        },
      ),
    async ids({ pointId, ...given }) {
      const ids: Refs = {};
      for (const kind of KINDS) {
        const text = given[`${kind}Id`];
        if (text !== undefined) ids[`${kind}Id`] = await find.one(kind, text);
      }
      if (pointId !== undefined) ids.pointId = await find.point(pointId);
      return ids;
    },
    async group(text) {
      const found = findNamed(await load(), 'group', text);
      return 'one' in found ? found.one : null;
    },
    async groups() {
      return (await load())[LISTS.group].entries.map(({ named }) => named).slice(0, MAX_GROUPS);
    },
    async devices(text) {
      const names = await load();
      const coded = codedBy(names.codes, text);
      return idsOf([...new Set([...coded, ...havingAll(names, names.devices, text)])]);
    },
    async nearDevices(text) {
      const found = nearOf(findNamed(await load(), 'device', text));
      return found.slice(0, MAX_NEAR).map(({ name }) => name);
    },
    async points(text, deviceId) {
      const names = await load();
      const points = havingAll(names, names.points, text);
      if (points.length > 0) return { pointIds: idsOf(points) };
      const found = findPair(names, { deviceId, text });
      const whole = 'near' in found ? [] : nearOf(found).slice(0, MAX_FOUND);
      const pairs = whole.map(({ device, point }) => ({
        deviceId: device.id,
        pointId: point.id,
      }));
      return pairs.length > 0 ? { pairs } : { pointIds: [] };
    },
  };
  return { find, numerals };
}

const FEW: readonly Kind[] = ['group', 'label'];
const MAX_GROUPS = 10;
const MAX_NEAR = 5;

const KINDS = ['device', 'profile', 'driver', 'group', 'label'] as const satisfies readonly Kind[];

function namedByNumeral(names: PlantNames, list: List, digits: string): readonly Named[] {
  const { having, entries }: NameList = names[list];
  const number = names.vocabulary.numbers.get(digits.replace(/^0+(?=\d)/, ''));
  const places = number === undefined ? [] : (having.get(number) ?? []);
  const named = places.map((place) => entries[place]);
  const one = named.find((entry) => entry?.words.length === 1)?.named;
  const coded = list === 'devices' ? codedBy(names.codes, digits) : [];
  return [...new Set([...(one ? [one] : []), ...coded])];
}

const idsOf = (named: readonly Named[]): string[] => named.slice(0, MAX_FOUND).map(({ id }) => id);

const nearOf = <T>(found: Found<T>): readonly T[] =>
  'one' in found ? [found.one] : 'several' in found ? found.several : found.near;

function only<T extends Asked['found']['near'][number]>(
  found: Found<T>,
  asked: Omit<Asked, 'found'>,
): T {
  if ('one' in found) return found.one;
  throw new NotOne({ ...asked, found: { several: [], near: [], ...found } });
}
