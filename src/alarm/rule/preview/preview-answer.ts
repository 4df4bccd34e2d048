import { z } from 'zod';

import { AnswerId, IsoTime } from '../../../kernel/entity/answer.ts';
import { Severity } from '../../kind/rule-ext.ts';
import { type Doubt, Warnings } from '../../validation/sense.ts';

/** An alarm that was raised, or would have been. */
const Episode = z
  .object({
    alarmId: AnswerId.describe('0: it was not raised'),
    entityId: AnswerId.describe('The point, device or driver; of an event, the device'),
    entityName: z.string().describe('Empty: deleted'),
    deviceId: AnswerId.describe('0: of a driver'),
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
    matches: z.number().int().describe('Values or reports that matched since it fired'),
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

/** What the answer cannot know, as it is not stored. */
export const Unknown = z.enum(['OUTAGES', 'FIELDS', 'DELETED', 'CONFIRMED']);
type Unknown = z.output<typeof Unknown>;

/** What may be meant otherwise, and what is not known, for agents and in the text of a proposal. */
export const LIMIT_WORDS: Readonly<Record<Doubt | Unknown, string>> = {
  TEXT: 'The point has texts: only those that are numbers are compared.',
  EVERY: 'Every value meets the condition.',
  NO_NUMBER: 'No value that was looked at is a number that it compares.',
  NEVER: 'It can never do what it says since what it watches was changed.',
  NOTHING: 'Nothing that it watches is there and enabled.',
  LIMITS:
    'Rules name more than 100,000 limits of devices: some devices are judged by the threshold.',
  PLACES: 'Rules choose more than 100,000 places: some devices are not watched.',
  PEERS:
    'It compares more than 1,000 devices, or takes more than 100 together: those with the highest ids are not judged.',
  SPARSE:
    'Values are farther apart than the time for which the condition must hold: one is enough; a longest gap (maxGap) asks for more.',
  OUTAGES: 'Outages without an alarm are not stored; rules do not see them.',
  FIELDS: 'The compared name, message or driver is not stored as it was.',
  DELETED: 'Older records are deleted by their retention class.',
  CONFIRMED: 'Only a confirmation ends its alarms: one goes on until the end.',
};

/** What a rule would have raised, tried on what is stored. */
export const RulePreview = z
  .object({
    from: IsoTime.describe('Later than asked for where not all values could be looked at'),
    to: IsoTime,
    ...episodes,
    worst: z
      .object({ count: z.number().int(), at: IsoTime.nullable().describe('null: no alarm') })
      .describe('The ten minutes in which most of the alarms began'),
    suggested: Suggested,
    devices: z
      .number()
      .int()
      .describe('Devices that were looked at; of a rule on drivers, drivers'),
    values: z
      .number()
      .int()
      .describe(
        'Values that were looked at; of other rules, outages, their ends, reports or events',
      ),
    cut: z
      .array(z.enum(['DEVICES', 'POINTS', 'VALUES', 'TIME']))
      .describe('What there was too much of to look at all of it; empty: nothing was left out'),
    unknown: z
      .array(Unknown)
      .describe(
        'OUTAGES: an outage without an alarm is not stored, and rules do not see it; FIELDS: the name, message or driver that the rule compares is not stored as it was; DELETED: records before `from` are deleted by the retention class; CONFIRMED: an alarm that only a person ends goes on until `to`',
      ),
    warnings: Warnings,
    pointName: z.string().describe('Empty: not on one point'),
    unit: z.string(),
    series: z
      .object({
        entityName: z.string(),
        deviceId: AnswerId,
        deviceName: z.string(),
        values: z.array(z.object({ time: IsoTime, value: z.number() })),
      })
      .nullable()
      .describe(
        'The numbers of the device, or its point, with most alarms, at most 400, with the extremes; null where there are none',
      ),
    stored: z
      .object({ ...episodes, ruleName: z.string(), changeTime: IsoTime })
      .nullable()
      .describe('The alarms that the stored rule did raise in the same span; null without ruleId'),
  })
  .meta({ id: 'RulePreview' });
export type RulePreview = z.output<typeof RulePreview>;
