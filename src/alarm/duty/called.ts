import { isOnCall } from '../notify/hours.ts';
import type { Duty, Present, Terms } from './duty.ts';
import { callOf, rotaOf } from './escalation.ts';
import { takesLevel } from './wants.ts';

/** A rota is looked at again at every fifth minute. */
const ROTA_MS = 300_000;
/** A write that runs is looked at again. */
const ACTING_MS = 10_000;

/** Why the steps of the policy do not call the channel (yet); null: they do. */
export function uncalled(
  terms: Terms,
  { now, stepsFrom, isConfirmed, isAcknowledged, isActing, level, failedBefore }: Present,
): Duty | null {
  const call = callOf(terms, level);
  const isCalled = false;
  if (call === null) return null;
  if (call === 'never') return { do: 'rest', reason: 'LEVEL', isCalled };
  const { number, afterMs, onFailure } = call;
  if (isConfirmed) return { do: 'rest', reason: `CONFIRMED ${number}`, isCalled };
  if (isAcknowledged) return { do: 'rest', reason: `ACKNOWLEDGED ${number}`, isCalled };
  const isDue = afterMs !== null && stepsFrom + afterMs <= now;
  if (isActing && isDue)
    return { do: 'wait', until: now + ACTING_MS, reason: `STEP_AFTER_WRITE ${number}`, isCalled };
  if (isDue || (onFailure && failedBefore)) return null;
  if (afterMs === null) return { do: 'rest', reason: `STEP_ON_FAILURE ${number}`, isCalled };
  const until = stepsFrom + afterMs;
  return { do: 'wait', until, reason: `STEP ${number} ${new Date(until).toISOString()}`, isCalled };
}

/** Why the bind or the rota of the channel keeps the alarm from it now; null: neither does, or no other channel is on call. */
export function offCall(terms: Terms, present: Present): Duty | null {
  const { now, level, isConfirmed, isAcknowledged, isStandIn } = present;
  if (!takesLevel(terms.bind, level)) return { do: 'rest', reason: 'LEVEL', isCalled: false };
  const rota = rotaOf(terms, level);
  if (rota === null || isStandIn || isOnCall(rota, now)) return null;
  const reason = 'NOT_ON_CALL';
  if (isConfirmed || isAcknowledged) return { do: 'rest', reason, isCalled: false };
  const until = (Math.floor(now / ROTA_MS) + 1) * ROTA_MS;
  return { do: 'wait', until, reason, isCalled: false };
}
