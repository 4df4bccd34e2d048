import { z } from 'zod';

import { AnswerId, IsoTime, nameIn } from '../../kernel/entity/answer.ts';
import { CommandStatus, CommandType, Verification } from './state.ts';

const Value = z.string().meta({ examples: ['60'] });
const Seen = z.object({ value: Value, time: IsoTime });

/** What is known of a command, without the names of its device and point. */
export const CommandTruth = z
  .object({
    type: nameIn(CommandType),
    requestValue: Value.nullable(),
    responseValue: Value.nullable(),
    beforeValue: Value.nullable().describe(
      'What the point held when the write was sent; null where that is not known',
    ),
    status: nameIn(CommandStatus).describe('PENDING and SENT are not the end'),
    verification: nameIn(Verification).describe('What reading a write back said'),
    readBackValue: Value.nullable(),
    errorCode: z.string().meta({ examples: ['DEVICE_OFFLINE'] }),
    sendTime: IsoTime.nullable(),
    waits: z
      .object({ since: IsoTime, until: IsoTime })
      .nullable()
      .describe(
        'Since when, and until when at most, its driver holds it because the device sleeps',
      ),
    seen: Seen.nullable().describe(
      'The reading that bears on a write that ended UNKNOWN; proof once settledTime is set',
    ),
    settledTime: IsoTime.nullable(),
    openUntil: IsoTime.nullable().describe('Until when a reading can prove an unknown write'),
    reconfiguredTime: IsoTime.nullable().describe(
      'When a reading found the device or point configured anew after an unknown write was sent; no later ' +
        'reading is compared',
    ),
  })
  .meta({ id: 'CommandTruth' });
export type CommandTruth = z.output<typeof CommandTruth>;

/** All that a sentence about a command says. */
export const CommandFacts = CommandTruth.extend({
  deviceId: AnswerId,
  deviceName: z.string().meta({ examples: ['Boiler 2'] }),
  pointId: AnswerId,
  pointName: z.string().meta({ examples: ['Setpoint'] }),
  unit: z.string().meta({ examples: ['°C'] }),
});
export type CommandFacts = z.output<typeof CommandFacts>;

/** How a command ended, for its readers. */
export const CommandEnd = z.enum(['EXECUTED', 'MISMATCH', 'FAILED', 'UNKNOWN']);
export type CommandEnd = z.output<typeof CommandEnd>;

/** Fields that every answer about a command has, for its readers. */
export const outcome = {
  outcome: z.enum(['UNDERWAY', ...CommandEnd.options]),
  done: z.boolean().describe('Only true means done'),
  say: z.string().meta({
    description: 'All that is known, in one sentence',
    examples: [
      'Setpoint of Boiler 2 was 55 °C, became 60 °C: written 2026-03-01T08:30:00Z, read back.',
    ],
  }),
};
