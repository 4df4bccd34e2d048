import type { AttributeType } from '../../../bus/topics.ts';
import { verify } from '../verification.ts';

/** How long a write that ended UNKNOWN can be proved by a reading. */
export const OPEN_MS = 24 * 3_600_000;

/** A write that ended UNKNOWN; times in milliseconds since the epoch. */
export type Doubt = {
  requestValue: string;
  beforeValue: string | null;
  sendTime: number;
  finishTime: number;
  /** Readings from here on say nothing about it: a day later, or a later write to the point. */
  openUntil: number;
  point: { type: AttributeType; decimals: number };
};

export type Reading = { value: string; originTime: number; receiveTime: number };

/**
 * What a good reading says of an unknown write: PROOF when it holds what was written and the point did
 * not before, OTHER when it was taken after the write but proves nothing, null when it may be older.
 */
export function judge(doubt: Doubt, reading: Reading): 'PROOF' | 'OTHER' | null {
  if (!isAfter(doubt, reading)) return null;
  const { point, requestValue, beforeValue } = doubt;
  const holds = (value: string | null) => verify(point, requestValue, value) === 'VERIFIED';
  return holds(reading.value) && beforeValue !== null && !holds(beforeValue) ? 'PROOF' : 'OTHER';
}

/**
 * Taken after the write was sent. Origin times are those of other clocks: one before its time makes
 * a reading wait, one in the future is no time at all, and such a reading counts once it was
 * received after the write had ended.
 */
function isAfter({ sendTime, finishTime, openUntil }: Doubt, reading: Reading): boolean {
  const { originTime, receiveTime } = reading;
  if (originTime <= sendTime || receiveTime <= sendTime || receiveTime >= openUntil) return false;
  return originTime <= receiveTime || receiveTime > finishTime;
}

export const takenAt = ({ originTime, receiveTime }: Reading): number =>
  Math.min(originTime, receiveTime);
