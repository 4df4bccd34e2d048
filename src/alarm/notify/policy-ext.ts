import { z } from 'zod';

import { Id } from '../../kernel/input/id.ts';
import { Text } from '../../kernel/input/text.ts';
import { AlarmType } from '../kind/alarm.ts';
import { Duration, durationMs } from '../kind/duration.ts';
import { extOf } from '../kind/ext.ts';
import { SilenceWindow } from '../kind/week-window.ts';
import { Digest, Flood, Grouping } from './grouping.ts';
import { OnCall } from './hours.ts';

const DAY_MS = 86_400_000;
/** Milliseconds, at most 30 days. */
export const Interval = z
  .number()
  .int()
  .min(0)
  .max(30 * DAY_MS);

/** Enabled policies that take a type of alarm; the next one is refused (policy.ts). */
export const MAX_POLICIES = 20;

/** Empty = all levels. */
const Levels = z
  .array(z.enum(['P0', 'P1', 'P2', 'P3']))
  .max(8)
  .default([]);

/** When the channels of a step get an alarm that still fires unconfirmed; another channel gets it at once. */
const Step = z
  .object({
    afterMs: Interval.optional(),
    after: Duration.optional().describe('After the alarm began, such as PT10M; kept as `afterMs`'),
    onFailure: z
      .boolean()
      .default(false)
      .describe('Earlier, when every channel before this step could not be reached'),
    channels: z.array(Id).min(1).max(50).describe('Ids of channels that are bound to the policy'),
    levels: Levels.describe('Of these levels alone; empty: of all'),
    onCall: OnCall.optional().describe('Instead of that of the binds of its channels'),
  })
  .refine(
    ({ afterMs, after }) => afterMs === undefined || after === undefined,
    'has one of afterMs and after',
  )
  .refine(
    ({ afterMs, after, onFailure }) => onFailure || (afterMs ?? after) !== undefined,
    'needs afterMs, after or onFailure',
  )
  .transform(({ after, afterMs = durationMs(after ?? ''), ...step }) => ({
    ...step,
    ...(afterMs !== null && { afterMs }),
  }));
export type Step = z.infer<typeof Step>;

/** Existing clients send empty forms: null, '' and []. */
const Escalation = z.preprocess(
  (given) => (given === null || given === '' ? [] : given),
  z.array(Step).max(10),
);

/**
 * The content of a policy (docs/specification/notifications.md, Policy). A dedup key is stored without effect, because
 * existing clients always send one.
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
  /** Reminders while the alarm goes on; at most `maxTimes` per alarm and channel. */
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
  escalation: Escalation.optional(),
  pauseWhileActing: z
    .boolean()
    .optional()
    .describe('No step calls its channels while a write to the device of the alarm runs'),
  grouping: Grouping.optional(),
  digest: Digest.optional(),
  flood: Flood.optional(),
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

/** Hours in which a channel gets nothing, but for alarms of the levels that go `through`. */
const Quiet = z.object({ windows: z.array(SilenceWindow).max(32), through: Levels });

/** NotifyChannelBindExt: the levels of a channel, its rate, and when it gets alarms. */
export const BindExt = extOf(
  z
    .object({
      levels: Levels,
      sendRecovery: z.boolean().default(true),
      rateLimitOverrideMs: Interval.optional(),
      onCall: OnCall.optional(),
      quiet: Quiet.optional(),
    })
    .prefault({}),
);
export type BindContent = z.infer<typeof BindExt>['content'];

/** Whether the ends of alarms are sent to a channel. */
export function wantsEnd({ policy, bind }: { policy: NotifyContent; bind: BindContent }): boolean {
  const { enabled = true, sendRecoveryMessage = true } = policy.recovery ?? {};
  return enabled && sendRecoveryMessage && bind.sendRecovery;
}
