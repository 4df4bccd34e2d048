import type { Reading } from '../../sdk/driver.ts';

/** Below this a time of SenML is relative to now (RFC 8428 4.5.3). */
const RELATIVE_BELOW_S = 2 ** 28;
/** A device that was without a connection for longer, or whose clock was never set. */
const MAX_AGE_MS = 31 * 86_400_000;
/** Last moment of a Date. */
const LATEST_TIME = 8.64e15;

/**
 * When a value was measured, by the time that the device gave with it. The platform judges a time ahead; one too far
 * back is not taken, because the value would never be the latest.
 */
export function originTimeOf(
  timeS: number | null,
  now: number,
): Pick<Reading, 'originTime' | 'doubt'> {
  if (timeS === null) return { originTime: now };
  const given = Math.round(timeS * 1_000 + (timeS < RELATIVE_BELOW_S ? now : 0));
  if (given >= now - MAX_AGE_MS) return { originTime: Math.min(given, LATEST_TIME) };
  const when = given >= -LATEST_TIME ? new Date(given).toISOString() : 'long ago';
  return {
    originTime: now,
    doubt: `The device says that the value is of ${when}; it is the time of reception`,
  };
}
