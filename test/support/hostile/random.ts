import { seeded } from '../world/seeded.ts';

/** Choices that are the same for the same seed. */
export type Random = {
  /** An integer in [0, limit). */
  upTo(limit: number): number;
  chance(part: number): boolean;
  pick<T>(list: readonly T[]): T;
  bytes(length: number): Buffer;
};

export function createRandom(seed: number): Random {
  const next = seeded(seed);
  const upTo = (limit: number): number => Math.floor(next() * limit);
  return {
    upTo,
    chance: (part) => next() < part,
    pick(list) {
      const [first, ...others] = list;
      if (first === undefined && others.length === 0) throw new Error('nothing to choose from');
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the index is inside the list
      return list[upTo(list.length)] as (typeof list)[number];
    },
    bytes: (length) => Buffer.from(Array.from({ length }, () => upTo(256))),
  };
}

/** The seed of this run: `HOSTILE_SEED`, else one that stays, so that a failure can be repeated. */
export const hostileSeed = (): number => Number(process.env['HOSTILE_SEED'] ?? 20_261_120);

/** A seed of its own for each name, so that one surface can be repeated alone. */
export const seedFor = (name: string): number =>
  Array.from(name).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, hostileSeed());
