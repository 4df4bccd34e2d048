import { z } from 'zod';

import { type AlarmReport, report } from '../../src/alarm/explain/report.ts';
import { allows } from '../../src/auth/permission/permission.ts';
import type { Caller } from '../../src/kernel/app/app.ts';
import { Id } from '../../src/kernel/input/id.ts';
import { inZone } from '../../src/kernel/sentence/time-zone.ts';
import { defineTool, READS } from '../shape/define.ts';
import { Phrase, Reported, Visible } from '../shape/text.ts';
import { Line } from '../system/change.ts';
import { NormalRange, normalRange } from '../value/normal.ts';
import { NOTIFICATIONS, summarized, summary } from './summary.ts';

const CHANGES = 'svc-center-data:change:list';
const VALUES = 'svc-center-data:point_value:list';

const Report = z.object({
  ...summary,
  durationS: z.int().optional(),
  confirmWith: z.string().optional(),
  recovers: Phrase(80).optional(),
  margin: Phrase(48).optional(),
  normal: NormalRange.optional(),
  instruction: Visible(1_000).optional(),
  assignee: Visible().optional(),
  comments: z.array(z.object({ at: z.string(), by: Visible(), text: Visible(200) })).optional(),
  /** What happened since it fired. */
  timeline: z
    .array(z.object({ at: z.string(), what: Phrase(160), by: Visible().optional() }))
    .optional(),
  notified: z
    .array(
      z.object({
        channel: Visible(),
        kind: z.string(),
        about: z.string(),
        status: z.string(),
        to: Visible(80).optional(),
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
    /** Other ones. */
    latest: z.array(z.object({ since: z.string(), durationS: z.int().optional() })).optional(),
  }),
  changes: z.array(Line).optional(),
  causes: z
    .array(
      z.object({
        kind: z.string(),
        say: Phrase(240),
        score: z.int(),
        why: Phrase(400),
        evidence: z.array(
          z.object({ kind: z.string(), id: z.string(), at: z.string().optional() }),
        ),
      }),
    )
    .optional(),
});

/** Evidence that its id alone does not lead to. */
const IS_FOUND_BY_TIME: ReadonlySet<string> = new Set(['change', 'value']);

/** The fields beside the timeline say since when it fires. */
const isOnlyFired = ({ state, timeline }: AlarmReport): boolean =>
  state === 'FIRING' && timeline.length === 1;

/** The newest, so that the answer stays short. */
const MAX_COMMENTS = 5;

const some = <T>(list: readonly T[]): T[] | undefined =>
  list.length === 0 ? undefined : [...list];

function explain(caller: Caller, alarm: AlarmReport): z.input<typeof Report> {
  const at = (time: string): string => inZone(time, caller.timezone);
  const { occurrences: often } = alarm;
  return {
    ...summarized(caller, alarm),
    durationS: alarm.seconds ?? undefined,
    confirmWith: alarm.confirmed ? undefined : 'Only a human, with an interactive login',
    recovers: alarm.recovery ?? undefined,
    margin: alarm.margin ?? undefined,
    instruction: alarm.instruction || undefined,
    assignee: alarm.assignee?.name,
    comments: some(alarm.comments.slice(-MAX_COMMENTS).map((one) => ({ ...one, at: at(one.at) }))),
    timeline: isOnlyFired(alarm)
      ? undefined
      : alarm.timeline.map((step) => ({ ...step, at: at(step.at) })),
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
      latest: some(
        often.latest
          .filter(({ alarmId }) => alarmId !== alarm.alarmId)
          .map(({ since, seconds }) => ({ since: at(since), durationS: seconds ?? undefined })),
      ),
    },
    changes: some(alarm.changes.map((change) => ({ ...change, at: at(change.at) }))),
    causes: some(
      alarm.causes.map((cause) => ({
        ...cause,
        evidence: cause.evidence.map(({ kind, id, at: when }) =>
          IS_FOUND_BY_TIME.has(kind) ? { kind, id, at: at(when) } : { kind, id },
        ),
      })),
    ),
  };
}

export const lookupAlarm = defineTool({
  name: 'lookupAlarmById',
  title: 'Look up an alarm',
  domain: 'Alarm',
  listed: 'direct',
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
    const alarm = await report(app, caller, { alarmId, withValues, withChanges });
    const { deviceId, pointId, since } = alarm;
    // As it was before it fired.
    const normal =
      withValues && pointId !== '0'
        ? await normalRange(app, caller, { deviceId, pointId, at: new Date(since).getTime() })
        : {};
    return { ...explain(caller, alarm), ...normal };
  },
});
