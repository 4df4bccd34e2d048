import { nextTime } from '../../kernel/time-window.ts';
import type { NoticeEvent } from '../kind/delivery-status.ts';
import type { HeldBack } from '../kind/held-back.ts';
import type { Digest, Flood } from '../notify/grouping.ts';
import type { NotifyContent, Step } from '../notify/policy-ext.ts';
import type { Terms } from './duty.ts';

/**
 * Why a message waits for others that go out with it, and until when (ms). `ends`: when the wait that it is in ended or
 * ends; absent: `until`.
 */
export type Gathering = { key: string; until: number; reason: GroupReason; ends?: number | null };
export type GroupReason = Extract<HeldBack, 'GROUPING' | 'DIGEST' | 'FLOOD'>;

type Part = NonNullable<NotifyContent['grouping']>['by'][number];

/** A message that is due, and the wait that it is in: under `key`, until `time` (ms); null and '' for none. */
export type Due = {
  event: NoticeEvent;
  isReminder: boolean;
  level: Step['levels'][number];
  parts: Readonly<Record<Part, string>>;
  waits: { key: string; time: number | null };
};

/** What there is beside the message, of its policy and channel; times in ms. */
export type Beside = {
  /** When the message goes out that others wait for already under a key; null: none. */
  begun(key: string): Promise<number | null>;
  /** Whether no other transaction counts and writes messages of the channel; so until the end of this one. */
  isAlone(): Promise<boolean>;
  /** Whether the channel got a message since. */
  gotSince(at: number): Promise<boolean>;
  /** When the channel got its newest messages, the newest first, of a time and so many at most. */
  recent(flood: Flood): Promise<readonly number[]>;
};

/** Another transaction that writes to the same channel is over by then. */
const BESIDE_MS = 1_000;

/** What a message that is due waits for; null: it goes out now, with what waits under its key. */
export async function gatheringOf(
  { policy, timezone }: Terms,
  due: Due,
  beside: Beside,
  now: number,
): Promise<Gathering | null> {
  const { key, time } = due.waits;
  const flooded = `flood ${due.event}`;
  const isOver = time !== null && time <= now;
  const digest = digested(policy.digest, due, { timezone, now });
  if (digest && !(isOver && [digest.key, flooded].includes(key))) return digest;
  const group = digest ? null : grouped(policy.grouping, due, now);
  if (group && !(isOver && [group.key, flooded].includes(key))) {
    // A change of the policy may make it shorter, and what comes meanwhile does not make it longer.
    const ends = key === group.key && time !== null ? time : await beside.begun(group.key);
    return { ...group, until: Math.min(group.until, ends ?? Infinity) };
  }
  if (!policy.flood) return null;
  if (!(await beside.isAlone()))
    return { key, ends: time, until: now + BESIDE_MS, reason: 'FLOOD' };
  // What waited for the end of a flood goes out then, whatever came meanwhile.
  const isEnd = isOver && key === flooded;
  if (isEnd && (due.level === 'P0' || !(await beside.gotSince(time)))) return null;
  const until =
    (await beside.begun(flooded)) ?? floodedUntil(await beside.recent(policy.flood), policy.flood);
  return until > now ? { key: flooded, until, reason: 'FLOOD' } : null;
}

function digested(
  digest: Digest | undefined,
  { event, level }: Due,
  given: { timezone: string; now: number },
): Gathering | null {
  if (!digest?.levels.some((one) => one === level)) return null;
  return { key: `digest ${event}`, until: nextDigest(digest, given), reason: 'DIGEST' };
}

/** The next time of a digest, after now (ms). */
export function nextDigest(
  { everyMs, at = [], timezone }: Digest,
  given: { timezone: string; now: number },
): number {
  const { now } = given;
  if (everyMs !== undefined) return (Math.floor(now / everyMs) + 1) * everyMs;
  return Math.min(...at.map((time) => nextTime(timezone ?? given.timezone, time, now)));
}

function grouped(
  grouping: NotifyContent['grouping'],
  { event, isReminder, level, parts }: Due,
  now: number,
): Gathering | null {
  if (!grouping || level === 'P0') return null;
  const by = grouping.by.map((part) => `${part} ${parts[part]}`);
  const key = ['group', isReminder ? 'REMINDER' : event, ...by].join(' ');
  return { key, until: now + grouping.waitMs, reason: 'GROUPING' };
}

/** Until when a channel that got many messages gets no more (ms). */
function floodedUntil(recent: readonly number[], { count, perMs }: Flood): number {
  const [newest] = recent;
  return newest !== undefined && recent.length >= count ? newest + perMs : -Infinity;
}
