import { createDice } from './random.ts';

export const FAULTS = ['stuck', 'lie-ack', 'reboot', 'storm', 'clock', 'rebind', 'outage'] as const;
export type Fault = (typeof FAULTS)[number];

/** Chance of each fault: of `lie-ack` for each write, of the others for each turn of a device. */
export type Chances = Readonly<Record<Fault, number>>;

/** What begins in a turn; null for what does not. */
export type Turn = {
  /** For so many turns the sensor shows what it shows now. */
  stuckTurns: number | null;
  /** For so long the device is off. */
  rebootMs: number | null;
  /** So many registrations, one soon after the other. */
  storm: number | null;
  /** Error of the device's clock from now on. */
  clockErrorMs: number | null;
  /** Whether the address translator before the device gives it another port, which the device cannot notice. */
  rebinds: boolean;
  /** For so many lifetimes of its registration the device is off. */
  outageLifetimes: number | null;
};

const HOUR_MS = 3_600_000;
/** A little ahead, an hour behind (no summer time), a day ahead, and a clock that was never set. */
const CLOCK_ERRORS_MS = [HOUR_MS / 12, -HOUR_MS, 24 * HOUR_MS, -20 * 8_766 * HOUR_MS] as const;

/** The faults of one device in the order in which they come; seed and endpoint decide them. */
export type Faults = { turn(): Turn; lies(): boolean };

export function createFaults(seed: string, endpoint: string, chances: Chances): Faults {
  const diceOf = (fault: Fault) => createDice(seed, endpoint, fault);
  const dice = {
    stuck: diceOf('stuck'),
    lies: diceOf('lie-ack'),
    reboot: diceOf('reboot'),
    storm: diceOf('storm'),
    clock: diceOf('clock'),
    rebind: diceOf('rebind'),
    outage: diceOf('outage'),
  };

  function begun(fault: Exclude<keyof typeof dice, 'lies' | 'rebind'>, min: number, max: number) {
    const begins = dice[fault].roll(chances[fault]);
    // Drawn in any case: the turn of a fault depends on its number alone.
    const size = dice[fault].between(min, max);
    return begins ? size : null;
  }

  return {
    turn() {
      const clock = begun('clock', 0, CLOCK_ERRORS_MS.length - 1);
      return {
        stuckTurns: begun('stuck', 3, 12),
        rebootMs: begun('reboot', 2_000, 10_000),
        storm: begun('storm', 10, 30),
        clockErrorMs: clock === null ? null : (CLOCK_ERRORS_MS[clock] ?? null),
        rebinds: dice.rebind.roll(chances.rebind),
        outageLifetimes: begun('outage', 2, 3),
      };
    },
    lies: () => dice.lies.roll(chances['lie-ack']),
  };
}
