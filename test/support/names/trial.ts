import { indexOf, type PlantNames } from '../../../src/manager/find/plant-names.ts';
import { findPair } from '../../../src/manager/find/search.ts';
import type { Random } from '../hostile/random.ts';
import { askedOf } from './asked.ts';
import { type Plant, plantOf } from './plant.ts';

const namesOf = ({ devices, profiles }: Plant): PlantNames =>
  indexOf('1', {
    devices,
    points: profiles.flatMap(({ id: profileId, points }) =>
      points.map((point) => ({ ...point, profileId })),
    ),
    profiles: [],
    drivers: [],
    groups: [],
    labels: [],
  });

type Trial = {
  /** Phrases for which the first one found was the right one. */
  right: number;
  /** Phrases that were taken for one that was not meant. */
  mistaken: string[];
  /** CPU per phrase in milliseconds, sorted. */
  ms: number[];
};

/** Looks up `phrases` generated phrases among the names of `devices` devices. */
export function trial(random: Random, devices: number, phrases: number): Trial {
  const plant = plantOf(random, devices);
  const names = namesOf(plant);
  const result: Trial = { right: 0, mistaken: [], ms: [] };
  for (let count = 0; count < phrases; count += 1) {
    const { phrase, deviceId, pointId } = askedOf(random, plant);
    const from = process.cpuUsage();
    const found = findPair(names, { text: phrase });
    const { user, system } = process.cpuUsage(from);
    result.ms.push((user + system) / 1000);
    const [first] = 'one' in found ? [found.one] : 'several' in found ? found.several : found.near;
    const isRight = first?.device.id === deviceId && first.point.id === pointId;
    if (isRight) result.right += 1;
    else if ('one' in found) result.mistaken.push(phrase);
  }
  result.ms.sort((a, b) => a - b);
  return result;
}
