import { z } from 'zod';

import { Unprocessable } from '../../src/kernel/errors.ts';
import { UTC } from '../../src/kernel/sentence/time-zone.ts';
import { lengthIn } from './length.ts';
import { writtenTime } from './written-time.ts';

/** A time as `momentOf` reads it. */
export const Written = z.union([z.string(), z.number()]).transform(String);

type At = { zone: string | undefined; now: number; field: string };

/**
 * A time, past or to come, that a model gave for `field`, in ms since the epoch; without an offset in `zone`. It has to say its
 * day, or how long from `now` (`in 2 hours`): a time of day alone may be meant of either day. Throws Unprocessable.
 */
export function momentOf(text: string, { zone = UTC, now, field }: At): number {
  const [, length] = /^(?:in |\+ ?|now ?\+ ?)(.+)$/i.exec(text.trim()) ?? [];
  const ahead = length === undefined ? null : lengthIn(length);
  const at = ahead === null ? writtenTime(text, zone, now) : now + ahead;
  if (at === null)
    throw new Unprocessable(
      `${field} must be a time such as 2026-03-01T08:30, or one with an offset`,
    );
  return at;
}
