import { type AttributeType, type Payload, Quality } from '../../bus/topics.ts';
import { quoted } from '../../core/sentence/voice.ts';
import { canonical, numberOf } from '../../manager/profile/value-type.ts';

type Value = Payload<'svc.e.value'>['values'][number];

/** A sender's clock may be ahead by this much; beyond it the time of reception stands in. */
export const MAX_AHEAD_MS = 120_000;
/** The latest time that every store and every reader takes. */
const LATEST_TIME = Date.UTC(9999, 11, 31);

/** Of what a driver says of a value it doubts. */
const MAX_ISSUE = 256;

/** `claimedTime`: what the sender said where `originTime` is the time of reception. */
export type StoredValue = Value & { claimedTime: number | null };

/** The time of a report, and the one it claimed where that lies too far ahead. */
export const timesOf = (said: number, now: number): { at: number; claimed: number | null } =>
  said > now + MAX_AHEAD_MS
    ? { at: now, claimed: Math.min(said, LATEST_TIME) }
    : { at: said, claimed: null };

/**
 * What is kept of a reported value: text that the database can store, the number that its text stands
 * for, quality BAD when the text contradicts the point's type, and a time that cannot outrank every
 * later value (then UNCERTAIN).
 */
export function storedValue(value: Value, type: AttributeType, now: number): StoredValue {
  const calValue = storable(value.calValue);
  const accepted = value.quality === Quality.BAD ? null : canonical(type, calValue);
  const { at, claimed } = timesOf(value.originTime, now);
  const sure = claimed === null ? Quality.GOOD : Quality.UNCERTAIN;
  const quality = accepted === null ? Quality.BAD : sure;
  return {
    ...value,
    rawValue: storable(value.rawValue),
    ...(value.issue !== undefined && { issue: storable(value.issue) }),
    calValue,
    numValue: accepted === null ? null : numberOf(type, accepted),
    quality: quality > value.quality ? quality : value.quality,
    originTime: at,
    claimedTime: claimed,
  };
}

/** Why a stored value is not to be trusted, for people; null for a good one. */
export function valueIssue(
  type: AttributeType,
  {
    calValue,
    quality,
    issue,
  }: { calValue: string; quality: keyof typeof Quality; issue?: string | null },
): string | null {
  if (quality === 'GOOD') return null;
  // The driver's own words.
  if (issue) return quoted(issue, MAX_ISSUE);
  if (quality === 'UNCERTAIN')
    return 'The time of the device lay ahead; it is the time of reception';
  if (calValue === '') return `What the device answered is not a ${type}`;
  if (canonical(type, calValue) === null) return `${quoted(calValue, 64)} is not a ${type}`;
  return 'The driver marked the value as bad';
}

const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

/** The newest value of each point (origin time, then sequence), ordered by key against deadlocks. */
export function newestOfEach<V extends Value>(values: readonly V[]): V[] {
  const newest = new Map<string, V>();
  for (const value of values) {
    const key = `${value.deviceId.padStart(19, '0')}:${value.pointId.padStart(19, '0')}`;
    const other = newest.get(key);
    if (!other || isAtLeast(value, other)) newest.set(key, value);
  }
  return [...newest].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}

const isAtLeast = (a: Value, b: Value): boolean =>
  a.originTime > b.originTime || (a.originTime === b.originTime && a.seq >= b.seq);
