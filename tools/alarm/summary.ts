import { z } from 'zod';

import type { AlarmSummary } from '../../src/alarm/alarm/summary.ts';
import type { Caller } from '../../src/kernel/app/app.ts';
import { inZone } from '../../src/kernel/sentence/time-zone.ts';
import { Phrase, Visible } from '../shape/text.ts';

/** Permission for who was notified; without it an alarm has no `notified`. */
export const NOTIFICATIONS = 'svc-center-data:notify_history:list';

/** What a row of a list and the answer to a look-up have in common. */
export const summary = {
  alarmId: z.string(),
  state: z.string(),
  level: z.string(),
  since: z.string(),
  confirmed: z.boolean(),
  deviceId: z.string().optional(),
  device: Visible().optional(),
  pointId: z.string().optional(),
  point: Visible().optional(),
  rule: Visible().optional(),
  condition: Phrase(160).optional(),
  value: Phrase(96).optional(),
  message: Phrase(300).optional(),
};
const Summary = z.object(summary);

const link = (id: string): string | undefined => (id === '0' ? undefined : id);

export const summarized = (
  { timezone }: Pick<Caller, 'timezone'>,
  alarm: AlarmSummary,
): z.input<typeof Summary> => ({
  alarmId: alarm.alarmId,
  state: alarm.state ?? 'REPORTED',
  level: alarm.level,
  since: inZone(alarm.since, timezone),
  confirmed: alarm.confirmed,
  deviceId: link(alarm.deviceId),
  device: alarm.deviceName ?? alarm.driverName ?? undefined,
  pointId: link(alarm.pointId),
  point: alarm.pointName ?? undefined,
  rule: alarm.ruleName ?? undefined,
  condition: alarm.condition ?? undefined,
  value: alarm.value ?? undefined,
  // The facts of a rule say what its message says.
  message: alarm.ruleName === null ? alarm.message : undefined,
});
