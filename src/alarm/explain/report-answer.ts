import { z } from 'zod';

import { AnswerId, IsoTime, nameIn } from '../../kernel/entity/answer.ts';
import { DeliveryStatus, HistoryEvent } from '../kind/delivery-status.ts';
import { notifiedFields, summaryFields } from '../search/answer.ts';
import { Cause } from './cause.ts';

/** All that explains one alarm. */
export const AlarmReportAnswer = z
  .object({
    ...summaryFields,
    source: z.enum(['driver', 'device', 'point']),
    ruleId: AnswerId.nullable().describe('null without a rule; it may have been deleted'),
    seconds: z.number().int().nullable().describe('How long it fired; null for a report'),
    recovery: z
      .string()
      .nullable()
      .meta({ examples: ['<= 75 °C'] }),
    margin: z.string().nullable().describe('How far the value was beyond the limit'),
    instruction: z
      .string()
      .describe('What its rule said to do when it fired; of the person that wrote the rule'),
    confirmNote: z.string().describe('What the person that confirmed it had to say'),
    comments: z
      .array(z.object({ at: IsoTime, by: z.string(), text: z.string() }))
      .describe('What people wrote about it, oldest first'),
    timeline: z
      .array(z.object({ at: IsoTime, what: z.string(), by: z.string().optional() }))
      .describe('What happened to it, oldest first'),
    receivers: z.array(
      z.object({
        ...notifiedFields,
        event: nameIn(HistoryEvent),
        status: nameIn({ ...DeliveryStatus, LEFT_OUT: -1 }),
        to: z.string().describe('Enough of the address for people who have it'),
      }),
    ),
    causes: z
      .array(Cause)
      .describe('What may have led to it, the likeliest first, of what the caller may read'),
    values: z
      .array(z.object({ seconds: z.number(), value: z.string() }))
      .describe('Seconds from the firing, and the value then'),
    explains: z
      .number()
      .int()
      .describe('Unconfirmed alarms that this outage explains, counted up to 500'),
    occurrences: z.object({
      day: z.number().int(),
      week: z.number().int().describe('Counted up to 1,000'),
      latest: z.array(
        z.object({ alarmId: AnswerId, since: IsoTime, seconds: z.number().nullable() }),
      ),
    }),
  })
  .meta({ id: 'AlarmReport' });
