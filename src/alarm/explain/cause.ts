import { z } from 'zod';

import { madeByPlatform } from '../../auth/connection/untrusted.ts';
import { AnswerId, IsoTime } from '../../kernel/entity/answer.ts';

const CAUSE_KINDS = [
  'COMMON_CAUSE',
  'OUTAGE',
  'WRITE',
  'RULE',
  'CONFIGURATION',
  'QUALITY',
  'MAINTENANCE',
  'GAP',
  'NEIGHBOUR',
] as const;

/** What a cause is read from, and the read that answers it. */
const Evidence = z.object({
  kind: z
    .enum(['alarm', 'command', 'action', 'change', 'value', 'maintenance'])
    .describe(
      'alarm: alert/report; command: point_command_history/get_by_command_id; action: action/get; maintenance: maintenance/get_by_id; change and value: in change/list and the history at that time',
    ),
  id: z.string().describe('Of the alarm, command, action, changed entity, point or maintenance'),
  deviceId: AnswerId.describe('0: of no device'),
  at: IsoTime,
});

/** Something stored that may have led to an alarm. */
export const Cause = z
  .object({
    kind: z.enum(CAUSE_KINDS),
    say: madeByPlatform(
      z.string().meta({ examples: ['“Setpoint” of “Boiler 2” was written: 85 °C, 2 min before.'] }),
    ),
    score: z.number().int().describe('1 to 100, to compare the causes of one alarm'),
    why: z
      .string()
      .describe('What the score is made of')
      .meta({ examples: ['write at the same point (90), 2 min before it began (× 0.93)'] }),
    evidence: z.array(Evidence),
  })
  .meta({ id: 'AlarmCause' });
export type Cause = z.output<typeof Cause>;
export type Evidence = z.output<typeof Evidence>;
