import { type AttributeType, type Payload, Quality } from '../../bus/topic/topics.ts';
import { storable } from '../../kernel/input/text.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { canonical, numberOf } from '../../manager/entity/value-type.ts';

type Value = Payload<'svc.e.value'>['values'][number];

/** Tolerated lead of a sender's clock; a later time is replaced by the time of reception. */
export const MAX_AHEAD_MS = 120_000;
/** Upper bound of a stored time, within the range of timestamptz and Date. */
const LATEST_TIME = Date.UTC(9999, 11, 31);

/** Length of a driver's issue text in answers. */
const MAX_ISSUE = 256;

/** `claimedTime`: the sender's time if `originTime` is the time of reception, else null. */
export type StoredValue = Value & { claimedTime: number | null };

/** The time to store, and the claimed time if that was too far in the future. */
export const timesOf = (said: number, now: number): { at: number; claimed: number | null } =>
  said > now + MAX_AHEAD_MS
    ? { at: now, claimed: Math.min(said, LATEST_TIME) }
    : { at: said, claimed: null };

/**
 * A reported value as stored: text without invalid characters, its numeric value, quality BAD if the text
 * contradicts the point's type, and the time of reception with quality UNCERTAIN instead of a time too far in
 * the future.
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

/** The reason not to trust a stored value, for people; null for a good one. */
export function valueIssue(
  type: AttributeType,
  {
    calValue,
    quality,
    issue,
  }: { calValue: string; quality: keyof typeof Quality; issue?: string | null },
): string | null {
  if (quality === 'GOOD') return null;
  if (issue) return quoted(issue, MAX_ISSUE);
  if (quality === 'UNCERTAIN')
    return 'The time of the device lay ahead; it is the time of reception';
  if (calValue === '') return `What the device answered is not of the type ${type}`;
  if (canonical(type, calValue) === null)
    return `${quoted(calValue, 64)} is not of the type ${type}`;
  return 'The driver marked the value as bad';
}

/** The newest value of each point (by origin time, then sequence), ordered by key against deadlocks. */
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
