import { isWithin } from '../../kernel/time-window.ts';
import type { Card } from '../action/card/card.ts';
import { isAt } from '../action/card/place.ts';
import type { ApprovalCard, ApprovedPoint } from './card.ts';

/** A current value that is older says too little about a step. */
const FRESH_MS = 300_000;
/** Decimal fractions have no exact form: 0.3 is a step of 0.1 from 0.2. */
const FLOATING = 1e-9;

/** The part of an approval that is about the point of a proposal. */
export const pointOf = (approval: ApprovalCard, card: Card): ApprovedPoint | undefined =>
  approval.points.find((point) => isAt(point, card));

/**
 * Why a person has to decide a proposal although an approval names its point, as a sentence without its end; null when
 * it is inside. `now` in milliseconds since the epoch; `usedInHour`: decisions about the point in the hour before.
 */
export function whyOutside(
  { hours, until }: Pick<ApprovalCard, 'hours' | 'until'>,
  point: ApprovedPoint,
  card: Card,
  { now, usedInHour }: { now: number; usedInHour: number },
): string | null {
  if (card.steps.length > 0) return 'it is of several writes';
  if (card.tainted.length > 0) return 'it is tainted';
  if (card.rejectedBefore) return 'the same was rejected before';
  if (card.others.length > 0) return 'another write for the point is open or of unknown outcome';
  if (Date.parse(until) <= now) return 'the approval has expired';
  if (hours !== null && !isWithin(hours, now)) return 'it is outside of the approved hours';
  if (usedInHour >= point.maxPerHour) return 'the approved number of writes in an hour is used';
  if (card.deviceStatus !== 'online') return 'the device is not online';
  return whyNotValue(point, card, now);
}

function whyNotValue(point: ApprovedPoint, card: Card, now: number): string | null {
  const { currentValue, currentTime, proposedValue } = card;
  const value = Number(proposedValue);
  if (!(value >= point.min && value <= point.max)) return 'the value is outside of the range';
  const age = currentTime === null ? Number.POSITIVE_INFINITY : now - Date.parse(currentTime);
  if (currentValue === null || !(age <= FRESH_MS)) return 'the current value is not known or old';
  const step = Math.abs(value - Number(currentValue));
  const slack = FLOATING * Math.max(Math.abs(value), point.maxStep);
  return step <= point.maxStep + slack ? null : 'the step is too large';
}
