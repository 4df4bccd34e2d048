import { endOf, isWithin } from '../../kernel/time-window.ts';
import type { AlarmLevel } from '../kind/alarm.ts';
import type { DeliveryStatus } from '../kind/delivery-status.ts';
import type { HeldBack } from '../kind/held-back.ts';
import type { BindContent, NotifyContent } from '../notify/policy-ext.ts';

type Of = { policy: NotifyContent };
type At = { now: number; silencedUntil: number | null; mutedUntil: number | null };
/** `reason`: a code of `HeldBack`, with its end where that is known. */
type Held = { do: 'wait'; until: number; reason: HeldBack | `MAINTENANCE ${string}` };

/** What holds messages of an alarm back; null: nothing. */
export function heldBack(
  terms: Of & { bind: BindContent },
  present: At & { level: keyof typeof AlarmLevel },
): Held | null {
  const { now, level } = present;
  const place = ofPlace(present);
  if (place) return place;
  const { quiet } = terms.bind;
  const ofPolicy = windowsOf(terms);
  const own = quiet && !quiet.through.includes(level) ? quiet.windows : [];
  const isIn = (windows: typeof own): boolean => windows.some((window) => isWithin(window, now));
  if (!isIn(ofPolicy) && !isIn(own)) return null;
  const until = endOf([...ofPolicy, ...own], now);
  return { do: 'wait', until, reason: isIn(ofPolicy) ? 'SILENCE' : 'QUIET_HOURS' };
}

/** Holds a message back that waits for its next try in a place that a person silenced meanwhile. */
export function silenced(
  { status, isShared }: { status: DeliveryStatus; isShared?: boolean },
  { now, silencedUntil: until }: Pick<At, 'now' | 'silencedUntil'>,
): (Held & { drops: true }) | null {
  if (until === null || until <= now || status === 'SENT' || isShared) return null;
  return { do: 'wait', until, reason: 'SILENCED', drops: true };
}

/** Until when an alarm is muted for all channels of its policy (ms); null: it is not. */
export function muteEnd(terms: Of, present: At): number | null {
  const { now } = present;
  const windows = windowsOf(terms);
  const isSilent = windows.some((window) => isWithin(window, now));
  return ofPlace(present)?.until ?? (isSilent ? endOf(windows, now) : null);
}

/** When the time that muted an alarm ends or ended, after another look; `before` is what the last look found. */
export const muteAfter = (before: number | null, end: number | null, now: number): number | null =>
  end ?? (before === null ? null : Math.min(before, now));

function ofPlace({ now, silencedUntil, mutedUntil }: At): Held | null {
  if (mutedUntil !== null && mutedUntil > now) {
    const until = new Date(mutedUntil).toISOString();
    return { do: 'wait', until: mutedUntil, reason: `MAINTENANCE ${until}` };
  }
  if (silencedUntil === null || silencedUntil <= now) return null;
  return { do: 'wait', until: silencedUntil, reason: 'SILENCED' };
}

const windowsOf = ({ policy: { silence } }: Of) => (silence?.enabled ? silence.windows : []);
