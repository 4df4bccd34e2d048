import { z } from 'zod';

import { RunningMaintenance } from '../../alarm/alarm/maintenance.ts';
import { Unnotified } from '../../alarm/ledger/unnotified.ts';
import { ListedAlarm } from '../../alarm/search/answer.ts';
import { Receipt } from '../../data/command/record.ts';
import { AnswerId, IsoTime } from '../../kernel/entity/answer.ts';
import { ActionView } from '../action/view.ts';

/** How a plant is handed over; a part is null for a caller that may not read it. */
export const HandoverAnswer = z
  .object({
    since: IsoTime,
    alarms: z
      .object({
        firing: z.number().int().describe('How many fire'),
        recoveredUnconfirmed: z
          .number()
          .int()
          .describe(
            'Rules and places with unconfirmed alarms that are over, of 10,000 alarms at most',
          ),
        rows: z.array(ListedAlarm).describe('The most urgent that fire'),
      })
      .nullable(),
    unnotified: z
      .array(Unnotified)
      .nullable()
      .describe('Channels that do not know of alarms that fire'),
    maintenance: z
      .array(RunningMaintenance)
      .nullable()
      .describe('What is in maintenance now, what ends first at the begin'),
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
