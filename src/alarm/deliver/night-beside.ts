import type { Terms } from '../duty/duty.ts';
import { standIns } from '../duty/escalation.ts';
import type { Beside, Due } from '../duty/group.ts';
import { allowedFrom } from '../duty/recent.ts';
import type { Bound } from '../duty/terms.ts';
import { rateOf } from '../duty/wants.ts';
import { dutyOfReport } from '../ledger/notify.ts';
import { MAX_OTHERS } from '../ledger/unnotified.ts';
import type { NotifyContent, Step } from '../notify/policy-ext.ts';

/** A time (ms) in which channels get nothing of a place. */
export type Mute = { from: number; until: number };

/** When the last of those ends that run; null: none does. */
export function mutedUntil(mutes: readonly Mute[], now: number): number | null {
  const running = mutes.filter(({ from, until }) => from <= now && until > now);
  return running.length === 0 ? null : Math.max(...running.map(({ until }) => until));
}

/** What there is beside a message to a channel that gets nothing but one alarm, and when it got messages. */
export const besideOf = (written: readonly number[], waits: Due['waits'], now: number): Beside => ({
  begun: async (key) =>
    waits.key === key && waits.time !== null && waits.time > now ? waits.time : null,
  isAlone: async () => true,
  gotSince: async (at) => written.some((one) => one >= at),
  recent: async ({ count, perMs }) => written.filter((at) => at > now - perMs).slice(0, count),
});

type Near = { terms: Terms; reported: number[]; written: number[] };
type Of = {
  notify: { policy: NotifyContent };
  channels: readonly Bound[];
  level: Step['levels'][number];
};

/** Over channels that know of an alarm it is reported that another one does not; that counts for their floods. */
export function reportEnd(near: readonly Near[], of: Of, now: number): void {
  const { level, notify, channels } = of;
  const alone = standIns(notify.policy, { level, now }, channels);
  for (const { terms, reported, written } of near.slice(0, MAX_OTHERS)) {
    const isStandIn = alone.includes(terms.channelId);
    const allowedAt = allowedFrom(reported, rateOf(terms), now);
    const given = { now, level, isStandIn, allowedAt, isFull: false, isCalled: true };
    if (dutyOfReport(terms, given).do !== 'send') continue;
    reported.unshift(now);
    written.unshift(now);
  }
}
