import { z } from 'zod';

import { type AlarmReport, report } from '../../src/alarm/alarm/report/report.ts';
import { PositionText } from '../../src/alarm/alarm/search/position.ts';
import * as alarms from '../../src/alarm/alarm/search/search.ts';
import type { Notified } from '../../src/alarm/alarm/told.ts';
import type { Caller } from '../../src/app.ts';
import { allows } from '../../src/auth/rights/permission.ts';
import { Id } from '../../src/core/input/id.ts';
import { Text } from '../../src/core/input/text.ts';
import { inZone } from '../../src/core/sentence/time-zone.ts';
import { withNames } from '../../src/manager/find/resolve.ts';
import { defineTool, READS } from '../define.ts';
import { cutTo, maxTokens } from '../shape/budget.ts';
import { Ref } from '../shape/ref.ts';
import { Phrase, Reported, Shown } from '../shape/text.ts';
import { momentOf, Since } from '../shape/window.ts';
import { Line } from '../system/change.ts';
import { alarmsView } from '../view.ts';

/** Permission for who was notified; without it an alarm has no `notified`. */
const NOTIFICATIONS = 'svc-center-data:notify_history:list';
/** More than the longest answer holds. */
const MAX_FOUND = 90;

const Row = z.object({
  alarmId: z.string(),
  state: z.string(),
  level: z.string(),
  since: z.string(),
  recovered: z.string().optional(),
  deviceId: z.string().optional(),
  device: Shown().optional(),
  pointId: z.string().optional(),
  point: Shown().optional(),
  rule: Shown().optional(),
  condition: Phrase(160).optional(),
  value: Phrase(96).optional(),
  message: Phrase(160).optional(),
  occurrences: z.int(),
  confirmed: z.boolean(),
  notified: z
    .array(z.object({ channel: Shown(), ok: z.boolean(), why: Phrase(80).optional() }))
    .optional(),
});

const name = (text: string | null): string | undefined => text ?? undefined;
const link = (id: string): string | undefined => (id === '0' ? undefined : id);

const shortly = ({ channel, ok, why }: Notified) => (ok ? { channel, ok } : { channel, ok, why });

function show(caller: Caller, row: alarms.FoundAlarm): z.input<typeof Row> {
  const { notified } = row;
  return {
    alarmId: row.alarmId,
    state: row.state ?? 'REPORTED',
    level: row.level,
    since: inZone(row.since, caller.timezone),
    recovered: row.recovered === null ? undefined : inZone(row.recovered, caller.timezone),
    deviceId: link(row.deviceId),
    device: name(row.deviceName ?? row.driverName),
    pointId: link(row.pointId),
    point: name(row.pointName),
    rule: name(row.ruleName),
    condition: name(row.condition),
    value: name(row.value),
    // The facts of a rule say what its message says.
    message: row.ruleName === null ? row.message : undefined,
    occurrences: row.occurrences,
    confirmed: row.confirmed,
    notified:
      allows(caller, NOTIFICATIONS) && notified.length > 0 ? notified.map(shortly) : undefined,
  };
}

const CHANGES = 'svc-center-data:change:list';
const VALUES = 'svc-center-data:point_value:list';

const Report = z.object({
  alarmId: z.string(),
  state: z.string(),
  level: z.string(),
  since: z.string(),
  durationS: z.int().optional(),
  confirmed: z.boolean(),
  confirmWith: z.string().optional(),
  deviceId: z.string().optional(),
  device: Shown().optional(),
  pointId: z.string().optional(),
  point: Shown().optional(),
  rule: Shown().optional(),
  condition: Phrase(160).optional(),
  recovers: Phrase(80).optional(),
  value: Phrase(96).optional(),
  margin: Phrase(48).optional(),
  message: Phrase(300).optional(),
  timeline: z.array(z.object({ at: z.string(), what: Shown(120), by: Shown().optional() })),
  notified: z
    .array(
      z.object({
        channel: Shown(),
        kind: z.string(),
        about: z.string(),
        status: z.string(),
        to: Shown(80).optional(),
        why: Phrase(120).optional(),
      }),
    )
    .optional(),
  valuesAround: z
    .object({
      columns: z.tuple([z.literal('s'), z.literal('value')]),
      rows: z.array(z.tuple([z.int(), Reported(32)])),
    })
    .optional(),
  occurrences: z.object({
    last24h: z.int(),
    last7d: z.int(),
    latest: z.array(z.object({ since: z.string(), durationS: z.int().optional() })),
  }),
  changes: z.array(Line).optional(),
});

const some = <T>(list: readonly T[]): T[] | undefined =>
  list.length === 0 ? undefined : [...list];

function explain(caller: Caller, alarm: AlarmReport): z.input<typeof Report> {
  const at = (time: string): string => inZone(time, caller.timezone);
  const { occurrences: often, source } = alarm;
  return {
    alarmId: alarm.alarmId,
    state: alarm.state ?? 'REPORTED',
    level: alarm.level,
    since: at(alarm.since),
    durationS: alarm.seconds ?? undefined,
    confirmed: alarm.confirmed,
    confirmWith: alarm.confirmed
      ? undefined
      : `Only a human, with an interactive login: POST /api/v3/data/dashboard/alert/confirm {"source":"${source}","id":"${alarm.alarmId}"}`,
    deviceId: link(alarm.deviceId),
    device: name(alarm.deviceName ?? alarm.driverName),
    pointId: link(alarm.pointId),
    point: name(alarm.pointName),
    rule: name(alarm.ruleName),
    condition: name(alarm.condition),
    recovers: name(alarm.recovery),
    value: name(alarm.value),
    margin: name(alarm.margin),
    message: alarm.ruleName === null ? alarm.message : undefined,
    timeline: alarm.timeline.map((step) => ({ ...step, at: at(step.at) })),
    notified: allows(caller, NOTIFICATIONS)
      ? some(
          alarm.receivers.map(({ channel, kind, event, status, to, why }) => ({
            channel,
            kind,
            about: event,
            status,
            to: to || undefined,
            why: why || undefined,
          })),
        )
      : undefined,
    valuesAround:
      alarm.values.length === 0
        ? undefined
        : {
            columns: ['s', 'value'],
            rows: alarm.values.map(({ seconds, value }): [number, string] => [seconds, value]),
          },
    occurrences: {
      last24h: often.day,
      last7d: often.week,
      latest: often.latest.map(({ since, seconds }) => ({
        since: at(since),
        durationS: seconds ?? undefined,
      })),
    },
    changes: some(alarm.changes.map((change) => ({ ...change, at: at(change.at) }))),
  };
}

/** Listed in their descriptions only: what an enumeration costs a model is more than it says. */
const oneOf = <T extends string>(names: readonly T[]) =>
  z
    .string()
    .refine(
      (given): given is T => names.some((one) => one === given),
      `must be one of ${names.join(', ')}`,
    );
const State = oneOf(['FIRING', 'RECOVERED', 'CLOSED', 'unconfirmed']);
const Level = oneOf(['P0', 'P1', 'P2', 'P3']);

export const alarmTools = [
  defineTool({
    name: 'searchAlarms',
    title: 'Search alarms',
    domain: 'Alarm',
    description:
      'Lists alarms, one row per rule and place: firing first, then unconfirmed. Closed ones by state or time.',
    permission: 'svc-center-data:dashboard:list',
    scope: 'svc:read',
    input: z.strictObject({
      state: State.optional().describe('FIRING, RECOVERED, CLOSED, unconfirmed'),
      level: Level.optional().describe('P0 to P3'),
      deviceId: Ref.optional().describe('Id or name'),
      groupId: Ref.optional().describe('Id or name'),
      since: Since.optional().describe('ISO-8601 or hours ago'),
      until: Since.optional().describe('Raised before'),
      query: Text(64).optional().describe('Part of a name'),
      cursor: PositionText.optional().describe('nextCursor'),
      ...maxTokens,
    }),
    output: z.object({
      counts: z.object({ firing: z.int(), recoveredUnconfirmed: z.int() }),
      returned: z.int(),
      nextCursor: z.string().nullable(),
      records: z.array(Row),
    }),
    annotations: READS,
    view: alarmsView,
    async run(
      app,
      caller,
      { cursor, since, until, deviceId, groupId, maxTokens: most, ...filters },
    ) {
      const now = app.clock.now();
      const found = await withNames(app, caller, async (find) =>
        alarms.search(app, caller, {
          ...filters,
          ...(await find.ids({ deviceId, groupId })),
          since: momentOf(since, now),
          until: momentOf(until, now),
          after: cursor,
          limit: MAX_FOUND,
        }),
      );
      const { rows, left } = cutTo(
        found.alarms.map((row) => show(caller, row)),
        most,
      );
      return {
        counts: found.counts,
        returned: rows.length,
        nextCursor: left > 0 ? (found.alarms[rows.length - 1]?.position ?? null) : found.next,
        records: rows,
      };
    },
  }),
  defineTool({
    name: 'lookupAlarmById',
    title: 'Look up an alarm',
    domain: 'Alarm',
    description:
      'Explains one alarm: rule and value when it fired, values around, course, who was notified, how often, changes near it.',
    permission: 'svc-center-data:dashboard:list',
    scope: 'svc:read',
    input: z.strictObject({ alarmId: Id.describe('From searchAlarms') }),
    output: Report,
    annotations: READS,
    async run(app, caller, { alarmId }) {
      const withValues = allows(caller, VALUES);
      const withChanges = allows(caller, CHANGES);
      return explain(caller, await report(app, caller, { alarmId, withValues, withChanges }));
    },
  }),
];
