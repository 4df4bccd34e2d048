import { inZone } from '../../../core/sentence/time-zone.ts';
import type { Presence } from '../../../manager/device/presence.ts';
import type { Freshness } from '../freshness.ts';

/** What is known of a point beside its latest value; `fresh` is null without one. */
export type Circumstances = {
  isEnabled: boolean;
  presence: Presence;
  fresh: Freshness | null;
  /** Why not to trust the value (stored-value.ts); null for a good one. */
  issue: string | null;
};

/** Why a point has no fresh and good value, in a few words; null if it has one. `zone`: IANA name. */
export function silenceOf(
  { isEnabled, presence, fresh, issue }: Circumstances,
  zone: string,
): string | null {
  if (fresh && !fresh.stale && issue === null) return null;
  if (!isEnabled) return 'device disabled';
  const isLate = fresh?.stale ?? true;
  if (isLate && presence.status === 'offline') {
    if (presence.offlineSince === null) return 'device never connected';
    return `device offline since ${inZone(presence.offlineSince, zone)}`;
  }
  if (issue !== null) return issue;
  if (isLate && presence.status === 'unknown') return 'device never connected';
  if (fresh) return `overdue: one is expected every ${fresh.expectedIntervalS} s`;
  return 'device online, no value yet';
}
