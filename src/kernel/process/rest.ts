import { setFlagsFromString } from 'node:v8';

import type { Clock } from '../clock.ts';

const LOOK_MS = 1_000;
/** Share of its time in which a process that rests works, as for heartbeats. */
const RESTS_BELOW = 0.05;
const RESTS_AFTER = 5;

/**
 * Gives the memory of a burst back to the system once the process has rested for a while. V8 does so by itself for
 * a process that allocates next to nothing only, and heartbeats of 10,000 devices are more than that. While it
 * works its heap may grow: collecting it at every tenth would take more CPU than the work.
 */
export function giveMemoryBackAtRest(clock: Clock): () => void {
  let last = performance.eventLoopUtilization();
  let quiet = 0;
  return clock.every(LOOK_MS, () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    quiet = utilization < RESTS_BELOW ? quiet + 1 : 0;
    if (quiet === RESTS_AFTER) setFlagsFromString('--optimize-for-size');
    else if (quiet === 0) setFlagsFromString('--no-optimize-for-size');
  });
}
