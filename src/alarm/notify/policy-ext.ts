import { z } from 'zod';

import { Text } from '../../kernel/input/text.ts';
import { AlarmType } from '../kind/alarm.ts';
import { extOf } from '../kind/ext.ts';

const DAY_MS = 86_400_000;
/** Milliseconds, at most 30 days. */
export const Interval = z
  .number()
  .int()
  .min(0)
  .max(30 * DAY_MS);

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

const TimeZone = Text(64).refine((zone) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}, 'must be an IANA time zone, such as Europe/Berlin');
const TimeOfDay = z
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

const nothing = (why: string) =>
  z
    .unknown()
    .optional()
    .refine((given) => given === undefined || isEmpty(given), why);
const isEmpty = (given: unknown): boolean =>
  given === null || given === '' || (Array.isArray(given) && given.length === 0);

/**
 * The content of a policy (docs/specification/notifications.md, Policy). Escalation is refused, not stored
 * without effect; a dedup key is stored without effect, because existing clients always send one.
 */
const Content = z.object({
  dedup: z
    .object({
      enabled: z.boolean().optional(),
      key: Text(256)
        .optional()
        .describe('kept, without effect: a state is always known by rule, entity and device'),
    })
    .optional(),
  /** At most `maxCount` FIRED notifications of a rule state per channel in `intervalMs`. */
  rateLimit: z
    .object({ intervalMs: Interval, maxCount: z.number().int().min(1).max(1_000).default(1) })
    .optional(),
  silence: z
    .object({
      enabled: z.boolean().default(true),
      windows: z.array(SilenceWindow).max(32).default([]),
    })
    .optional(),
  /**
   * Reminders, sent by matching facts while the alarm keeps firing; at most `maxTimes` per alarm and channel.
   */
  repeat: z
    .object({
      enabled: z.boolean().default(false),
      intervalMs: Interval.min(1_000).default(3_600_000),
      maxTimes: z.number().int().min(1).max(1_000).default(24),
    })
    .optional(),
  recovery: z
    .object({
      enabled: z.boolean().default(true),
      sendRecoveryMessage: z.boolean().default(true),
      autoConfirmOnRecovery: z.boolean().default(false),
    })
    .optional(),
  escalation: nothing('nothing is escalated; add a rule of its own'),
  /**
   * Alarm types without a rule that this policy covers: outages and reports of devices and drivers; IDENTITY: account
   * security events; CHANNEL: channels that do not know of firing alarms.
   */
  alarmTypes: z
    .array(
      z
        .enum([...Object.keys(AlarmType), 'IDENTITY', 'CHANNEL'])
        .refine((type) => type !== 'RULE', 'a rule names its own policy'),
    )
    .max(8)
    .default([]),
});
export type NotifyContent = z.infer<typeof Content>;

export const NotifyExt = extOf(Content.prefault({}));

/** NotifyChannelBindExt: the levels of a channel and its rate. */
export const BindExt = extOf(
  z
    .object({
      /** Empty = all levels. */
      levels: z
        .array(z.enum(['P0', 'P1', 'P2', 'P3']))
        .max(8)
        .default([]),
      sendRecovery: z.boolean().default(true),
      rateLimitOverrideMs: Interval.optional(),
    })
    .prefault({}),
);
export type BindContent = z.infer<typeof BindExt>['content'];
