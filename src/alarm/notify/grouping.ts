import { z } from 'zod';

import { TimeOfDay, TimeZone } from '../kind/week-window.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Alarms with the same device, driver, rule or level that begin, or end, within `waitMs` are one message; P0 does not wait. */
export const Grouping = z.object({
  by: z
    .array(z.enum(['device', 'driver', 'rule', 'level']))
    .max(4)
    .default([]),
  waitMs: z
    .number()
    .int()
    .min(1_000)
    .max(60 * MINUTE_MS)
    .default(30_000),
});

/** Alarms of these levels go out in one message at these times. */
export const Digest = z
  .object({
    everyMs: z
      .number()
      .int()
      .min(MINUTE_MS)
      .max(7 * DAY_MS)
      .optional(),
    at: z.array(TimeOfDay).min(1).max(24).optional(),
    timezone: TimeZone.optional().describe('Of `at`; absent: that of the tenant'),
    levels: z
      .array(z.enum(['P1', 'P2', 'P3']))
      .min(1)
      .max(3),
  })
  .refine(({ everyMs, at }) => (everyMs === undefined) !== (at === undefined), {
    message: 'has one of everyMs and at',
  });
export type Digest = z.infer<typeof Digest>;

/** Once a channel got `count` messages in `perMs`, all others are one message each `perMs`. */
export const Flood = z.object({
  count: z.number().int().min(1).max(1_000),
  perMs: z.number().int().min(MINUTE_MS).max(DAY_MS),
});
export type Flood = z.infer<typeof Flood>;
