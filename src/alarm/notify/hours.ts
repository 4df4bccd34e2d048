import { z } from 'zod';

import { Text } from '../../kernel/input/text.ts';
import { inZone } from '../../kernel/sentence/time-zone.ts';
import { isWithin } from '../../kernel/time-window.ts';

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
export type SilenceWindow = z.infer<typeof SilenceWindow>;

const MAX_WINDOWS = 32;
const Windows = z.array(SilenceWindow.omit({ timezone: true })).max(MAX_WINDOWS);

/** When a channel is on call: weekly windows, and other ones, or none, on holidays. */
export const OnCall = z.object({
  timezone: TimeZone.default('UTC'),
  windows: Windows.min(1),
  holidays: z
    .object({
      dates: z.array(z.iso.date()).max(366),
      windows: Windows.default([]).describe('On these dates, instead; none: not on call'),
    })
    .optional(),
});
export type OnCall = z.infer<typeof OnCall>;

/** Whether a channel is on call at a time (ms). A holiday is a date of its time zone, from midnight to midnight. */
export function isOnCall({ timezone, windows, holidays }: OnCall, at: number): boolean {
  const date = (): string => inZone(at, timezone).slice(0, 10);
  const isHoliday = holidays !== undefined && holidays.dates.includes(date());
  const hours = isHoliday ? holidays.windows : windows;
  return hours.some((window) => isWithin({ timezone, ...window }, at));
}
