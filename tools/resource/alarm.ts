import { z } from 'zod';

import * as notifyCounts from '../../src/alarm/notify-counts.ts';
import * as openAlarm from '../../src/alarm/open-alarm.ts';
import { allows } from '../../src/auth/rights/permission.ts';
import { Id } from '../../src/core/input/id.ts';
import { Shown } from '../shape/text.ts';
import { defineResource } from './define.ts';
import { listOf, shownList } from './list.ts';

const PERMISSION = 'svc-center-data:dashboard:list';
/** Who is told is a matter of its own; without it there is no count. */
const NOTIFICATIONS = 'svc-center-data:notify_history:list';
const MAX_SHOWN = 10;

const State = z.string().nullable();

const Alarm = z.object({
  alarmId: z.string(),
  state: State.describe('FIRING, RECOVERED or CLOSED; null: reported, no rule watches it'),
  level: z.string(),
  type: z.string(),
  source: z.string(),
  target: z.string(),
  driverId: z.string(),
  deviceId: z.string(),
  pointId: z.string(),
  confirmed: z.boolean(),
  message: Shown(160),
  createTime: z.string(),
});

export const alarmResources = [
  defineResource({
    uri: 'svc://alarm/active',
    name: 'active-alarms',
    title: 'Active alarms',
    domain: 'Alarm',
    description:
      'Alarms that fire or wait for a human to confirm them, newest first, and conditions about to raise one.',
    permission: PERMISSION,
    params: z.strictObject({}),
    output: listOf(Alarm).extend({
      pending: z.array(
        z.object({
          state: z.literal('PENDING'),
          ruleId: z.string(),
          ruleName: Shown(),
          target: z.string(),
          entityId: z.string(),
          deviceId: z.string(),
          firstTriggerTime: z.string().nullable(),
        }),
      ),
    }),
    async read(app, caller) {
      const open = await openAlarm.openAlarms(app, caller, { limit: MAX_SHOWN });
      const pending = open.pending
        .slice(0, 5)
        .map((row) => ({ ...row, state: 'PENDING' as const }));
      return { ...shownList(open.total, open.alarms), pending };
    },
  }),
  defineResource({
    uri: 'svc://alarm/{alarmId}',
    name: 'alarm',
    title: 'Alarm',
    domain: 'Alarm',
    description:
      'One alarm: its state, level and times, whether a human confirmed it, and how many notifications stand where.',
    permission: PERMISSION,
    params: z.strictObject({ alarmId: Id.describe('Alarm id') }),
    output: Alarm.extend({
      ruleId: z.string(),
      message: Shown(400),
      confirmTime: z.string().nullable(),
      firstTriggerTime: z.string().nullable(),
      lastTriggerTime: z.string().nullable(),
      lastRecoverTime: z.string().nullable(),
      lastNotifyTime: z.string().nullable(),
      notifications: z.record(z.string(), z.int()).nullable().describe('How many by status'),
    }),
    async read(app, caller, given) {
      const alarm = await openAlarm.alarmById(app, caller, given);
      const notifications = allows(caller, NOTIFICATIONS)
        ? await notifyCounts.notificationsOf(app, caller, given)
        : null;
      return { ...alarm, notifications };
    },
  }),
];
