import { createHash } from 'node:crypto';

/** A sequence of chances that its seed alone decides. */
export type Dice = {
  /** True with this chance, from 0 to 1. */
  roll(chance: number): boolean;
  /** A whole number from `min` to `max`. */
  between(min: number, max: number): number;
};

/** Another sequence for each name, so that what one fault draws leaves the others as they are. */
export function createDice(seed: string, ...names: readonly string[]): Dice {
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, ...names]))
    .digest();
  let state = digest.readUInt32LE();

  // Mulberry32: small, fast and the same on every machine.
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  return {
    roll: (chance) => next() < chance,
    between: (min, max) => min + Math.floor(next() * (max - min + 1)),
  };
}
