import type { Random } from '../hostile/random.ts';

export type Plant = {
  profiles: { id: string; points: { id: string; name: string }[] }[];
  devices: { id: string; name: string; profileId: string }[];
};

const KINDS = [
  'Boiler',
  'Feed pump',
  'Circulation pump',
  'Cooling tower',
  'Thermostat',
  'Heat exchanger',
  'Air handling unit',
  'Storage tank',
  'Kühlwasserpumpe',
  'Compressor',
  'Flow meter',
  'Gas burner',
] as const;
const PLACES = ['Hall', 'Line', 'Building', 'Room', 'Floor', 'Zone'] as const;
const SIDES = ['north', 'south', 'east', 'west', 'backup', ''] as const;
const POINTS = [
  'outlet temperature',
  'inlet temperature',
  'return temperature set-point',
  'outlet set-point',
  'pressure',
  'differential pressure',
  'pump status',
  'flow rate',
  'operating hours',
  'valve position',
  'level',
  'humidity',
] as const;

/** `amount` devices with names as plants give them: a kind, mostly places with numbers, a number, a side. */
export function plantOf(random: Random, amount: number): Plant {
  const profiles = KINDS.map((_, at) => ({
    id: `${at + 1}`,
    points: shuffled(random, POINTS)
      .slice(0, 8)
      .map((name, index) => ({ id: `${100 + at * 20 + index}`, name })),
  }));
  const devices = new Map<string, Plant['devices'][number]>();
  while (devices.size < amount) {
    const at = random.upTo(KINDS.length);
    const places = shuffled(random, PLACES).slice(0, random.upTo(3));
    const parts = [
      ...places.map((place) => `${place} ${1 + random.upTo(30)}`),
      `${KINDS[at]}${random.pick([' ', '-', ' #'])}${1 + random.upTo(300)}`,
      random.pick(SIDES),
    ];
    const name = parts.filter(Boolean).join(random.pick([' ', ' ', ' / ', ', ']));
    // Names that differ in signs or in the order of their parts are one to a person.
    const key = parts
      .map((part) => part.replaceAll(/[^\p{L}\d]+/gu, ' '))
      .toSorted()
      .join();
    if (!devices.has(key))
      devices.set(key, { id: `${1000 + devices.size}`, name, profileId: `${at + 1}` });
  }
  return { profiles, devices: [...devices.values()] };
}

export const shuffled = <T>(random: Random, list: readonly T[]): T[] =>
  list
    .map((item) => ({ item, at: random.upTo(1_000_000) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
