import { z } from 'zod';

import { inZone } from '../../kernel/sentence/time-zone.ts';
import { isWithin } from '../../kernel/time-window.ts';
import { SilenceWindow, TimeZone } from '../kind/week-window.ts';

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
