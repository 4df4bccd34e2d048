import { z } from 'zod';

import { madeByPlatform } from '../../auth/connection/untrusted.ts';
import { AnswerId, IsoTime, nameIn } from '../../kernel/entity/answer.ts';
import { MaintenanceMode } from '../alarm/in-maintenance.ts';
import { AlarmLevel, AlarmType } from '../kind/alarm.ts';
import { RuleStatus } from '../kind/rule-status.ts';

const Name = z.string().nullable().describe('null: there is none, or it was deleted');

/** What a list of alarms and the report of one answer alike; names and rule as they were when it fired. */
export const summaryFields = {
  alarmId: AnswerId,
  state: nameIn(RuleStatus).nullable().describe('null: reported, no rule watches it'),
  level: nameIn(AlarmLevel),
  type: nameIn(AlarmType),
  confirmed: z.boolean(),
  since: IsoTime.describe('Begin of its episode'),
  deviceId: AnswerId,
  deviceName: Name,
  driverName: Name,
  pointId: AnswerId,
  pointName: Name,
  ruleName: z.string().nullable().describe('null without a rule'),
  condition: z
    .string()
    .nullable()
    .meta({ examples: ['> 80 °C'] }),
  value: z
    .string()
    .nullable()
    .meta({ examples: ['83.2 °C'] }),
  message: madeByPlatform(z.string()),
  silenced: z
    .object({ until: IsoTime, by: z.string(), reason: z.string() })
    .nullable()
    .describe('Its notifications are held back by a person; alarms go on'),
  acknowledged: z
    .object({ channel: z.string().nullable().describe('null: deleted'), at: IsoTime })
    .nullable()
    .describe('The receiver of a channel acknowledged it, which confirms nothing'),
  maintenance: z
    .object({
      id: AnswerId,
      name: z.string(),
      mode: nameIn(MaintenanceMode),
      until: IsoTime,
      owner: z.string(),
      reason: z.string(),
    })
    .nullable()
    .describe('Of its place, when it was raised or since'),
  assignee: z
    .object({ id: AnswerId, name: z.string() })
    .nullable()
    .describe('The person that looks after it'),
};

/** How a notification went. */
export const notifiedFields = {
  channel: z.string(),
  kind: z.string(),
  ok: z.boolean(),
  why: z.string().describe('Why it did not arrive, or not yet; empty if it did'),
};

/** An alarm in a list for people. */
export const ListedAlarm = z
  .object({
    ...summaryFields,
    ruleId: AnswerId,
    recovered: IsoTime.nullable(),
    occurrences: z.number().int().describe('100: or more'),
    notified: z.array(z.object(notifiedFields)).describe('The channels that got that it fires'),
  })
  .meta({ id: 'ListedAlarm' });

/** A page of alarms that a search found. */
export const FoundAlarmsAnswer = z
  .object({
    counts: z.object({
      firing: z.number().int(),
      recoveredUnconfirmed: z
        .number()
        .int()
        .describe(
          'Rules and places with unconfirmed alarms that are over, of 10,000 alarms at most',
        ),
    }),
    alarms: z.array(ListedAlarm),
    next: z.string().nullable().describe('Continues the list; null at its end'),
  })
  .meta({ id: 'FoundAlarms' });
