import type { AttributeType } from '../../bus/topic/topics.ts';
import { verify } from './verification.ts';

/** How long a reading can prove a write that ended UNKNOWN. */
export const OPEN_MS = 24 * 3_600_000;

/** A write that ended UNKNOWN; times in milliseconds since the epoch. */
export type Doubt = {
  requestValue: string;
  beforeValue: string | null;
  sendTime: number;
  finishTime: number;
  /** Later readings are not compared: a day after the write, or from the next write to the point on. */
  openUntil: number;
  point: { type: AttributeType; decimals: number };
};

export type Reading = { value: string; originTime: number; receiveTime: number };

/**
 * Compares a good reading with an unknown write: PROOF if it has the written value and the point had another
 * one before, OTHER if it was taken after the write but proves nothing, null if it may be older or came after
 * `openUntil`.
 */
export function verdictOf(doubt: Doubt, reading: Reading): 'PROOF' | 'OTHER' | null {
  if (!isAfter(doubt, reading)) return null;
  const { point, requestValue, beforeValue } = doubt;
  const holds = (value: string | null) => verify(point, requestValue, value) === 'VERIFIED';
  return holds(reading.value) && beforeValue !== null && !holds(beforeValue) ? 'PROOF' : 'OTHER';
}

/**
 * Whether the reading was taken after the write was sent. Origin times come from other clocks: a reading with
 * an origin time before the write does not count; one with an origin time in the future counts once it is
 * received after the write has ended.
 */
function isAfter({ sendTime, finishTime, openUntil }: Doubt, reading: Reading): boolean {
  const { originTime, receiveTime } = reading;
  if (originTime <= sendTime || receiveTime <= sendTime || receiveTime >= openUntil) return false;
  return originTime <= receiveTime || receiveTime > finishTime;
}

export const takenAt = ({ originTime, receiveTime }: Reading): number =>
  Math.min(originTime, receiveTime);
