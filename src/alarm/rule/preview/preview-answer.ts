import { z } from 'zod';

import { AnswerId, IsoTime } from '../../../kernel/entity/answer.ts';
import { Doubt } from '../../condition/sense.ts';
import { Severity } from '../../kind/rule-ext.ts';

/** An alarm that was raised, or would have been. */
const Episode = z
  .object({
    alarmId: AnswerId.describe('0: it was not raised'),
    deviceId: AnswerId,
    deviceName: z.string(),
    from: IsoTime.describe('When the condition began to hold'),
    fired: IsoTime,
    to: IsoTime.nullable().describe('When it was over; null: not within the span'),
    extreme: z
      .number()
      .nullable()
      .describe('Its value farthest beyond the limit; null where there is none'),
    limit: z
      .number()
      .nullable()
      .describe(
        'The threshold of its device; null where its condition has none, or for an alarm without that',
      ),
    level: Severity.describe(
      'The most urgent that it would have had; of an alarm that was raised, the last',
    ),
  })
  .meta({ id: 'RuleEpisode' });
export type Episode = z.output<typeof Episode>;

const episodes = {
  count: z.number().int(),
  episodes: z.array(Episode).describe('At most 50, newest first'),
};

const Left = z.number().int().describe('Alarms that would be left');

const Suggested = z
  .object({
    hold: z
      .object({ duration: z.string().describe('ISO-8601'), count: Left })
      .nullable()
      .describe('How long the condition would have to match'),
    recovery: z
      .object({ operator: z.enum(['<=', '>=']), threshold: z.number(), count: Left })
      .nullable()
      .describe(
        'A recovery farther from the threshold; devices with a limit of their own keep the distance',
      ),
  })
  .describe('Each alone leaves half of the alarms or fewer; null: none does, or it cannot be said');

/** What a rule would have raised, tried on stored values. */
export const RulePreview = z
  .object({
    from: IsoTime.describe('Later than asked for where not all values could be looked at'),
    to: IsoTime,
    ...episodes,
    worst: z
      .object({ count: z.number().int(), at: IsoTime.nullable().describe('null: no alarm') })
      .describe('The ten minutes in which most of the alarms began'),
    suggested: Suggested,
    devices: z.number().int().describe('Devices whose values were looked at'),
    values: z.number().int().describe('Values that were looked at'),
    cut: z
      .array(z.enum(['DEVICES', 'VALUES', 'TIME']))
      .describe('What there was too much of to look at all of it; empty: nothing was left out'),
    warnings: z
      .array(Doubt)
      .describe(
        'TEXT: the point has texts, and only those that are numbers are compared; EVERY: every value meets the condition',
      ),
    pointName: z.string(),
    unit: z.string(),
    series: z
      .object({
        deviceId: AnswerId,
        deviceName: z.string(),
        values: z.array(z.object({ time: IsoTime, value: z.number() })),
      })
      .nullable()
      .describe(
        'The numbers of the device with most alarms, at most 400, with the extremes; null where there are none',
      ),
    stored: z
      .object({ ...episodes, ruleName: z.string(), changeTime: IsoTime })
      .nullable()
      .describe('The alarms that the stored rule did raise in the same span; null without ruleId'),
  })
  .meta({ id: 'RulePreview' });
export type RulePreview = z.output<typeof RulePreview>;
