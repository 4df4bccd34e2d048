import { z } from 'zod';

import { Unprocessable } from '../../src/kernel/errors.ts';
import { localTime } from '../../src/kernel/input/local-time.ts';
import { UTC } from '../../src/kernel/sentence/time-zone.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_AGO_MS = 366 * DAY_MS;
const FORMS =
  'must be a time such as 2026-03-01T08:30 (in the zone of the plant, or with an offset), 06:00, today, or how long ago: 8, "8 hours", "3 days"';

const UNIT_MS: readonly [form: RegExp, ms: number][] = [
  [/^(?:m|mins?|minutes?)$/, 60_000],
  [/^(?:|h|hrs?|hours?)$/, HOUR_MS],
  [/^(?:d|days?)$/, DAY_MS],
  [/^(?:w|weeks?)$/, 7 * DAY_MS],
];
const AGO = /^(?:last )?(\d{1,5}(?:\.\d{1,3})?) ?([a-z]*)(?: ago)?$/;
const ISO_AGO = /^pt?(\d{1,5})([mhd])$/;
const CLOCK = /^([01]?\d|2[0-3]):([0-5]\d)$/;

/** How long ago, in ms; null for what says no length of time. */
function agoIn(text: string): number | null {
  const [, count = '', unit = ''] = AGO.exec(text) ?? ISO_AGO.exec(text) ?? [];
  const [, ms] = UNIT_MS.find(([form]) => form.test(unit)) ?? [];
  const ago = Number(count) * (ms ?? 0);
  return ago > 0 && ago <= MAX_AGO_MS ? ago : null;
}

/**
 * A time in the past as a person or a model writes it, in ms since the epoch: ISO-8601, without an offset in `zone`; a
 * time of day, the last one; `now`, `today`, `yesterday`; or how long ago, in hours where no unit is given. Null for anything else.
 */
function past(given: string, zone: string, now: number): number | null {
  const text = given.trim().toLowerCase();
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).startOfDay();
  if (text === 'now') return now;
  if (text === 'today') return today.epochMilliseconds;
  if (text === 'yesterday') return today.subtract({ days: 1 }).epochMilliseconds;
  const ago = agoIn(text);
  if (ago !== null) return now - ago;
  const clock = CLOCK.exec(text);
  if (!clock) return localTime(given.trim(), zone);
  const time = { hour: Number(clock[1]), minute: Number(clock[2]) };
  const at = today.with(time).epochMilliseconds;
  return at <= now ? at : today.subtract({ days: 1 }).with(time).epochMilliseconds;
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
