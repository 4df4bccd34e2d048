import type { Clock } from '../../../src/kernel/clock.ts';

/** The pauses between two looks at a device that is at work by itself: from the first to the longest. */
const LOOK_MS = 2_000;
const MAX_LOOK_MS = 60_000;
const GROWTH = 1.5;
const PART_MS = 250;

/** Waits that grow as long as nothing changes. */
export type PollInterval = {
  /** What was seen now: anything new makes the pauses short again. */
  saw(what: string): void;
  /** A report of the device: the next look need not be waited for. */
  stirred(): void;
  /** Until the next look, at least `leastMs`; ends early at `end` (by `clock.now()`) and once `isOver`. */
  pause(end: number, isOver: () => boolean, leastMs?: number): Promise<void>;
};

export function createPollInterval(clock: Clock): PollInterval {
  let [lookMs, seen, isStirred] = [LOOK_MS, '', false];
  return {
    saw(what) {
      if (what !== seen) lookMs = LOOK_MS;
      seen = what;
    },
    stirred() {
      isStirred = true;
    },
    async pause(end, isOver, leastMs = LOOK_MS) {
      isStirred = false;
      const wantedMs = Math.max(leastMs, lookMs);
      lookMs = Math.min(MAX_LOOK_MS, lookMs * GROWTH);
      for (let waitedMs = 0; waitedMs < wantedMs && clock.now() < end; waitedMs += PART_MS) {
        const { promise, resolve } = Promise.withResolvers<void>();
        clock.after(PART_MS, resolve);
        await promise;
        if (isOver() || (isStirred && waitedMs >= leastMs)) return;
      }
    },
  };
}
