import type { Clock } from '../clock.ts';
import type { Log } from './log.ts';

/** After this long without a failure the next one is a new outage. */
const OVER_MS = 30_000;
const MAX_OUTAGES = 100;
/** Errors for a dependency that is unavailable at the moment. */
const PASSING = ['Unavailable', 'BusAway'];

/**
 * A log that reports an outage once instead of with every request, message and sweep: an error with the
 * same message within 30 s becomes a debug line.
 */
export function createOutageLog(log: Log, clock: Clock): Log {
  const lastMissed = new Map<string, number>();

  function isKnown({ error }: { error?: unknown }): boolean {
    if (!(error instanceof Error && PASSING.includes(error.name))) return false;
    const now = clock.now();
    const last = lastMissed.get(error.message);
    if (lastMissed.size >= MAX_OUTAGES) lastMissed.clear();
    lastMissed.set(error.message, now);
    return last !== undefined && now - last < OVER_MS;
  }

  const wrap = (inner: Log): Log => ({
    debug: (facts, text) => inner.debug(facts, text),
    info: (facts, text) => inner.info(facts, text),
    warn: (facts, text) => (isKnown(facts) ? inner.debug(facts, text) : inner.warn(facts, text)),
    error: (facts, text) => (isKnown(facts) ? inner.debug(facts, text) : inner.error(facts, text)),
    child: (facts) => wrap(inner.child(facts)),
  });
  return wrap(log);
}
