import { z } from 'zod';

import { Text } from '../../kernel/input/text.ts';

const days = [
  'MONDAY',
  'TUESDAY',
  'WEDNESDAY',
  'THURSDAY',
  'FRIDAY',
  'SATURDAY',
  'SUNDAY',
] as const;
const Day = z
  .union([z.number().int().min(1).max(7), z.string().toUpperCase().pipe(z.enum(days))])
  .transform((day) => (typeof day === 'number' ? day : days.indexOf(day) + 1))
  .describe('1 (Monday) to 7 (Sunday), or the name of the day');

export const TimeZone = Text(64).refine((zone) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}, 'must be an IANA time zone, such as Europe/Berlin');
export const TimeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/, 'must be a time of day, such as 22:00');

/**
 * From `start` (included) to `end` (excluded), into the next day if `end` is not later; an empty `daysOfWeek`
 * means every day.
 */
export const SilenceWindow = z.object({
  timezone: TimeZone.default('UTC'),
  start: TimeOfDay,
  end: TimeOfDay,
  daysOfWeek: z.array(Day).max(14).default([]),
});

/** The same of a rule: without a time zone, that of the plant when the rule is saved. */
export const ScheduleWindow = SilenceWindow.extend({ timezone: TimeZone.optional() });
