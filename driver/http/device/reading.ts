import { scale } from '../../../src/bus/scaling.ts';
import { Quality } from '../../../src/bus/topic/topics.ts';
import { spelled, textOf } from '../../report/json.ts';
import { timeOf } from '../../report/time.ts';
import type { Reading } from '../../sdk/driver.ts';
import type { BoundPoint } from './binding.ts';

/** A part of JSON for a point; `quality` is undefined where nothing says it. */
export type Part = { part: unknown; bound: BoundPoint; quality: unknown };

/** Milliseconds since the epoch of a time in JSON; null for what is none. */
export function timeIn(given: unknown): number | null {
  const text = textOf(given);
  return text === null ? null : timeOf(text);
}

/** Its id is the value: the same one of the same time is one row, however often it comes. */
export function readingOf({ part, bound, quality }: Part, originTime: number): Reading {
  const text = textOf(part);
  const rawValue = text === null ? '' : spelled(text, bound.settings);
  const grade = quality === undefined ? 'GOOD' : textOf(quality);
  const issue = issueOf(bound, text === null ? null : rawValue, grade);
  if (issue !== null)
    return { rawValue: '', originTime, invalid: true, issue, id: `${rawValue}|${issue}` };
  const doubt = grade === 'UNCERTAIN' ? { doubt: 'the sender calls it uncertain' } : {};
  return { rawValue, originTime, id: rawValue, ...doubt };
}

function issueOf(
  { point }: BoundPoint,
  rawValue: string | null,
  grade: string | null,
): string | null {
  if (grade === 'BAD') return 'the sender calls it bad';
  if (grade !== 'GOOD' && grade !== 'UNCERTAIN') return 'its quality is not GOOD, UNCERTAIN or BAD';
  if (rawValue === null) return 'it is no text, number or boolean';
  return scale(point, rawValue).quality === Quality.GOOD ? null : `it is no ${point.type}`;
}
