import { hash } from 'node:crypto';

/** A point's signal; `periodS` is the period, for `follow` the time constant. */
export type Signal = {
  kind: 'sine' | 'ramp' | 'random-walk' | 'constant' | 'setpoint' | 'follow';
  min: number;
  max: number;
  periodS: number;
  /** Value of a constant and start value of a set-point. */
  value: number;
};

const OCTAVES = 4;

/** The value at `at` (ms since epoch) of a signal that needs no state: the same seed gives the same curve. */
export function signalAt(
  { kind, min, max, periodS, value }: Signal,
  seed: string,
  at: number,
): number {
  const turns = at / (periodS * 1000) + phase(seed);
  switch (kind) {
    case 'sine':
      return min + (max - min) * (0.5 + 0.5 * Math.sin(2 * Math.PI * turns));
    case 'ramp':
      return min + (max - min) * (turns - Math.floor(turns));
    case 'random-walk':
      return min + (max - min) * wander(seed, turns);
    case 'constant':
    case 'setpoint':
    case 'follow':
      break;
  }
  return value;
}

/** What decides the random course of a point's signal. */
export const seedOf = (deviceId: string, pointId: string, tag: string): string =>
  `${deviceId} ${pointId} ${tag}`;

/** Between minus and plus `noise`, at `at` (ms since epoch); half of `periodS` seconds is enough for another value. */
export const noiseAt = (noise: number, periodS: number, seed: string, at: number): number =>
  noise * (2 * wander(`${seed} noise`, at / (periodS * 1000)) - 1);

/** First-order approach: how far `from` has come towards `to` after `elapsedMs`. */
export function approach(from: number, to: number, elapsedMs: number, periodS: number): number {
  return to + (from - to) * Math.exp(-elapsedMs / (periodS * 1000));
}

/** Smooth noise between 0 and 1, from random numbers at whole turns and ever finer ones between. */
function wander(seed: string, turns: number): number {
  let sum = 0;
  let weights = 0;
  for (let octave = 0; octave < OCTAVES; octave += 1) {
    const x = turns * 2 ** octave;
    const left = Math.floor(x);
    const t = x - left;
    const eased = t * t * (3 - 2 * t);
    const a = fraction(`${seed} ${octave} ${left}`);
    const b = fraction(`${seed} ${octave} ${left + 1}`);
    sum += (a + (b - a) * eased) / 2 ** octave;
    weights += 1 / 2 ** octave;
  }
  return sum / weights;
}

function phase(seed: string): number {
  return fraction(`${seed} phase`);
}

/** A number from 0 (included) to 1 (excluded) that only the text decides. */
function fraction(text: string): number {
  return hash('sha256', text, 'buffer').readUInt32BE(0) / 2 ** 32;
}
