import { z } from 'zod';

import * as openAlarm from '../../src/alarm/search/open-alarm.ts';
import { PositionText } from '../../src/alarm/search/position.ts';
import { allows } from '../../src/auth/permission/permission.ts';
import { Id } from '../../src/kernel/input/id.ts';
import { Phrase, Visible } from '../shape/text.ts';
import { defineResource } from './define.ts';
import { listOf } from './list.ts';

const PERMISSION = 'svc-center-data:dashboard:list';
/** Permission for the counts of notifications; without it `notifications` is null. */
const NOTIFICATIONS = 'svc-center-data:notify_history:list';
const MAX_SHOWN = 20;
const MAX_PENDING = 5;

/** The open alarms of one rule at one place. */
const OpenAlarm = z.object({
  alarmId: z.string(),
  state: z
    .string()
    .nullable()
    .describe('FIRING, RECOVERED or CLOSED; null: reported, no rule watches it'),
  level: z.enum(['P0', 'P1', 'P2', 'P3']),
  type: z.string(),
  since: z.string(),
  occurrences: z.int().describe('Open alarms of this rule at this place; 100: or more'),
  deviceId: z.string(),
  deviceName: Visible().nullable(),
  pointId: z.string(),
  pointName: Visible().nullable(),
  ruleId: z.string(),
  message: Phrase(160),
  confirmed: z.boolean(),
  position: z.string(),
});

const Alarm = z.object({
  alarmId: z.string(),
  state: z
    .string()
    .nullable()
    .describe('FIRING, RECOVERED or CLOSED; null: reported, no rule watches it'),
  level: z.string(),
  type: z.string(),
  source: z.string(),
  target: z.string(),
  driverId: z.string(),
  deviceId: z.string(),
  pointId: z.string(),
  ruleId: z.string(),
  confirmed: z.boolean(),
  message: Phrase(400),
  createTime: z.string(),
  confirmTime: z.string().nullable(),
  confirmedBy: Visible(64).nullable().describe('null: not by a person'),
  firstTriggerTime: z.string().nullable(),
  lastTriggerTime: z.string().nullable(),
  lastRecoverTime: z.string().nullable(),
  lastNotifyTime: z.string().nullable(),
  triggerCount: z.string(),
  condition: Phrase(256).describe('Of the rule, when it fired'),
  endReason: z.string().describe('Why it ended without a recovery; empty otherwise'),
  notifications: z.record(z.string(), z.int()).nullable().describe('How many by status'),
});

const OpenAlarms = listOf(OpenAlarm).extend({
  firing: z.int(),
  unconfirmed: z.int(),
  next: z.string().nullable().describe('URI of the rest; null: nothing is left'),
});

const after = (position: string): string => `svc://alarm/active/after/${position}`;
const next = (last: unknown): string => after(OpenAlarm.parse(last).position);

function shown({ total, counts, alarms, next: rest }: openAlarm.ActiveAlarms) {
  const { firing, recoveredUnconfirmed: unconfirmed } = counts;
  const truncated = rest !== null;
  const numbers = { total, returned: alarms.length, truncated, firing, unconfirmed };
  return { ...numbers, records: alarms, next: rest === null ? null : after(rest) };
}

export const alarmResources = [
  defineResource({
    uri: 'svc://alarm/active',
    name: 'active-alarms',
    title: 'Active alarms',
    domain: 'Alarm',
    description:
      'Alarms that fire or wait for a human to confirm them, one row for each rule and place: firing first, then by level and age; and conditions about to raise one.',
    permission: PERMISSION,
    params: z.strictObject({}),
    follows: () => ['alarm'],
    output: OpenAlarms.extend({
      pending: z.array(
        z.object({
          state: z.literal('PENDING'),
          ruleId: z.string(),
          ruleName: Visible(),
          target: z.string(),
          entityId: z.string(),
          deviceId: z.string(),
          firstTriggerTime: z.string().nullable(),
        }),
      ),
    }),
    next,
    async read(app, caller) {
      const limits = { limit: MAX_SHOWN, pendingLimit: MAX_PENDING };
      const { pending, ...open } = await openAlarm.activeAndPending(app, caller, limits);
      return {
        ...shown(open),
        pending: pending.map((row) => ({ ...row, state: 'PENDING' as const })),
      };
    },
  }),
  defineResource({
    uri: 'svc://alarm/active/after/{position}',
    name: 'more-active-alarms',
    title: 'More active alarms',
    domain: 'Alarm',
    description: 'The rest of svc://alarm/active, behind the position its `next` names.',
    permission: PERMISSION,
    params: z.strictObject({ position: PositionText.describe('From `next`') }),
    follows: () => ['alarm'],
    output: OpenAlarms,
    next,
    async read(app, caller, { position }) {
      const asked = { limit: MAX_SHOWN, after: position };
      return shown(await openAlarm.activeAlarms(app, caller, asked));
    },
  }),
  defineResource({
    uri: 'svc://alarm/{alarmId}',
    name: 'alarm',
    title: 'Alarm',
    domain: 'Alarm',
    description:
      'One alarm: the state, level, condition and times of its episode, whether a human confirmed it, and how many notifications stand where.',
    permission: PERMISSION,
    params: z.strictObject({ alarmId: Id.describe('Alarm id') }),
    follows: ({ alarmId }) => [`alarm:${alarmId}`],
    output: Alarm,
    read: (app, caller, { alarmId }) =>
      openAlarm.alarmById(app, caller, {
        alarmId,
        withNotifications: allows(caller, NOTIFICATIONS),
      }),
  }),
];
