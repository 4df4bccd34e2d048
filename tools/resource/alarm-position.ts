import { z } from 'zod';

import { AlarmLevel } from '../../src/alarm/alarm/alarm.ts';
import type { Place } from '../../src/alarm/alarm/open-alarm.ts';
import { Shown } from '../shape/text.ts';

/** An open alarm in the shape of an answer, which includes the fields of its sort order. */
export const OpenAlarm = z.object({
  alarmId: z.string(),
  state: z
    .string()
    .nullable()
    .describe('FIRING, RECOVERED or CLOSED; null: reported, no rule watches it'),
  level: z.enum(['P0', 'P1', 'P2', 'P3']),
  type: z.string(),
  since: z.string(),
  occurrences: z.int().describe('Open alarms of this rule at this place'),
  deviceId: z.string(),
  deviceName: Shown().nullable(),
  pointId: z.string(),
  pointName: Shown().nullable(),
  ruleId: z.string(),
  message: Shown(160),
  confirmed: z.boolean(),
});

/** A position between two open alarms, as part of a URI: firing, level, since (ms), id. */
export const Position = z
  .string()
  .regex(/^[01]\.[0-3]\.\d{1,14}\.\d{1,18}$/)
  .describe('From `next`');

/** The position after a listed alarm. */
export function positionOf(record: unknown): string {
  const { state, level, since, alarmId } = OpenAlarm.parse(record);
  const firing = state === 'FIRING' ? 1 : 0;
  return [firing, AlarmLevel[level], Date.parse(since), alarmId].join('.');
}

export function placeOf(position: string): Place {
  const [firing = '', level = '', since = '', alarmId = ''] = position.split('.');
  return { firing: firing === '1', level: Number(level), since: Number(since), alarmId };
}
