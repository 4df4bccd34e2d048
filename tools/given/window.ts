import { z } from 'zod';

import { Unprocessable } from '../../src/kernel/errors.ts';
import { UTC } from '../../src/kernel/sentence/time-zone.ts';
import { lengthIn } from './length.ts';
import { clockIn, writtenTime } from './written-time.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_AGO_MS = 366 * DAY_MS;
const FORMS =
  'must be a time such as 2026-03-01T08:30 (in the zone of the plant, or with an offset), 06:00, today, or how long ago: 8, "8 hours", "3 days"';

const BEFORE = /^(?:since )?(?:-|now ?- ?|(?:in |over |for )?(?:the )?(?:last|past|previous) )/;
const AFTER = / (?:ago|earlier|before)$/;
/** `day` alone is no time ago, `last day` is. */
const WORD = /^[a-z]+$/;
const HOURS = /^\d{1,5}(?:\.\d{1,3})?$/;

/** How long ago, in ms; null for what says no length of time. */
function agoIn(text: string): number | null {
  const bare = text.replace(BEFORE, '').replace(AFTER, '');
  // A number alone is hours; below zero it is none, and `-3` may mean anything.
  const ago = HOURS.test(text)
    ? Number(text) * HOUR_MS
    : bare === text && WORD.test(text)
      ? null
      : lengthIn(bare);
  return ago !== null && ago > 0 && ago <= MAX_AGO_MS ? ago : null;
}

/** The begin of the week or month of the plant. */
function beginIn(text: string, today: Temporal.ZonedDateTime): number | null {
  if (text === 'this week')
    return today.subtract({ days: today.dayOfWeek - 1 }).startOfDay().epochMilliseconds;
  return text === 'this month' ? today.with({ day: 1 }).startOfDay().epochMilliseconds : null;
}

/**
 * A time in the past as a person or a model writes it, in ms since the epoch: one that says its day (`writtenTime`); a
 * time of day, the last one; `now`, `this week`; or how long ago, in hours where no unit is given. Null for anything else.
 */
function past(given: string, zone: string, now: number): number | null {
  const text = given.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  if (text === 'now') return now;
  const ago = agoIn(text);
  if (ago !== null) return now - ago;
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).startOfDay();
  const begin = beginIn(text, today);
  if (begin !== null) return begin;
  const clock = clockIn(text);
  if (!clock) return writtenTime(given, zone, now);
  const at = today.with(clock).epochMilliseconds;
  return at <= now ? at : today.subtract({ days: 1 }).with(clock).epochMilliseconds;
}

/** A time in the past in the input of a tool, as `momentOf` reads it. */
export const Since = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine((text) => past(text, UTC, MAX_AGO_MS) !== null, FORMS);

type Now = { zone: string | undefined; now: number };

/** The moment of a `Since`; `now` in ms since the epoch, `zone` that of the plant. */
export function momentOf(given: string, at: Now): Date;
export function momentOf(given: string | undefined, at: Now): Date | undefined;
export function momentOf(given: string | undefined, { zone = UTC, now }: Now): Date | undefined {
  if (given === undefined) return undefined;
  const at = past(given, zone, now);
  if (at === null) throw new Unprocessable(FORMS);
  return new Date(at);
}
