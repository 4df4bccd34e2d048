import type { Clock } from '../../core/clock.ts';
import { createLine } from '../../core/line.ts';

/** As many as keep all connections of a pool busy. */
const AT_ONCE = 10;
const WAIT_MS = 30_000;

/**
 * The turns that begin, from what they read to their stored question. Of many that come at once each goes on to its model
 * as soon as it can: side by side, all of them would wait for the trips of all others.
 */
export const openTurnStarts = (clock: Clock) =>
  createLine(clock, {
    atOnce: AT_ONCE,
    waitMs: WAIT_MS,
    refusal: 'Too many answers begin at once; try again in a moment',
  });
