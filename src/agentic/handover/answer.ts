import { z } from 'zod';

import { AlarmLevel, AlarmType } from '../../alarm/alarm/alarm.ts';
import { RuleStatus } from '../../alarm/rule/state/rule-status.ts';
import { Receipt } from '../../data/command/record.ts';
import { AnswerId, IsoTime, nameIn } from '../../entity/answer.ts';
import { ActionView } from '../action/view.ts';

const Name = z.string().nullable().describe('null: there is none, or it was deleted');

/** An alarm in a list for people; names and rule as they were when it fired. */
export const ListedAlarm = z
  .object({
    alarmId: AnswerId,
    state: nameIn(RuleStatus).nullable().describe('null: reported, no rule watches it'),
    level: nameIn(AlarmLevel),
    type: nameIn(AlarmType),
    confirmed: z.boolean(),
    since: IsoTime.describe('Begin of its episode'),
    recovered: IsoTime.nullable(),
    occurrences: z.number().int(),
    deviceId: AnswerId,
    deviceName: Name,
    driverName: Name,
    pointId: AnswerId,
    pointName: Name,
    ruleId: AnswerId,
    ruleName: z.string().nullable().describe('null without a rule'),
    condition: z
      .string()
      .nullable()
      .meta({ examples: ['> 80 °C'] }),
    value: z
      .string()
      .nullable()
      .meta({ examples: ['83.2 °C'] }),
    message: z.string(),
    notified: z
      .array(z.object({ channel: z.string(), kind: z.string(), ok: z.boolean(), why: z.string() }))
      .describe('Who was told that it fires, and why not'),
  })
  .meta({ id: 'ListedAlarm' });

/** How a plant is handed over; a part is null for a caller that may not read it. */
export const HandoverAnswer = z
  .object({
    since: IsoTime,
    alarms: z
      .object({
        firing: z.number().int().describe('How many fire'),
        recoveredUnconfirmed: z.number().int().describe('Counted up to 10,000'),
        rows: z.array(ListedAlarm).describe('The most urgent that fire'),
      })
      .nullable(),
    outages: z
      .object({
        offline: z.number().int(),
        neverConnected: z.number().int(),
        devices: z
          .array(
            z.object({
              deviceId: AnswerId,
              deviceName: z.string(),
              since: IsoTime.nullable().describe('null: it never connected'),
            }),
          )
          .describe('The latest that went offline'),
        back: z.array(z.string()).describe('Names of devices that came back since then'),
      })
      .nullable(),
    silentPoints: z.number().int().nullable().describe('Points without a value in time'),
    pending: z.array(ActionView).nullable().describe('Proposals that wait, the oldest first'),
    unknownWrites: z
      .array(Receipt)
      .nullable()
      .describe('Writes of which is not known whether they happened'),
  })
  .meta({ id: 'Handover' });
export type HandoverAnswer = z.output<typeof HandoverAnswer>;
