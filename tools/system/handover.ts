import { z } from 'zod';

import type { Changes } from '../../src/agentic/handover/changes.ts';
import { handover, type Handover } from '../../src/agentic/handover/handover.ts';
import { unnotifiedLine } from '../../src/alarm/ledger/unnotified.ts';
import type { FoundAlarm } from '../../src/alarm/search/search.ts';
import { inZone } from '../../src/kernel/sentence/time-zone.ts';
import { quoted } from '../../src/kernel/sentence/voice.ts';
import { momentOf, Since } from '../given/window.ts';
import { cutTo } from '../shape/budget.ts';
import { defineTool, READS } from '../shape/define.ts';
import { Phrase, Sentence, Visible } from '../shape/text.ts';
import { Line } from './change.ts';

const DEFAULT_HOURS = '8';
const MAX_EYES = 8;
const MAX_CHANNELS = 3;
const MAX_MAINTENANCE = 3;
const MAX_PLACES = 3;
/** Of 1,500 for the whole answer. */
const TOKENS = { alarms: 330, changes: 400, pending: 260 };

const Alarm = z.object({
  alarmId: z.string(),
  state: z.string(),
  level: z.string(),
  since: z.string(),
  device: Visible().optional(),
  point: Visible().optional(),
  what: Phrase(120),
});

const Part = z.object({
  since: z.string(),
  now: z.string(),
  /** Most urgent first, with the id that its look-up takes: of a proposal that `pending` lists it is there. */
  needsAttention: z.array(z.object({ what: Phrase(120), id: z.string().optional() })),
  alarms: z
    .object({
      firing: z.int(),
      recoveredUnconfirmed: z.int(),
      rows: z.array(Alarm),
      more: z.literal(true).optional(),
    })
    .optional(),
  /** Channels that do not know of firing alarms, and why. */
  unnotified: z.array(Sentence).optional(),
  /** What is in maintenance, and until when. */
  maintenance: z.array(Sentence).optional(),
  outages: z
    .object({
      offline: z.int(),
      neverConnected: z.int(),
      devices: z.array(
        z.object({ device: Visible(), deviceId: z.string(), since: z.string().optional() }),
      ),
      back: z.array(Visible()).optional(),
    })
    .optional(),
  silentPoints: z.int().optional(),
  pending: z
    .array(z.object({ actionId: z.string(), say: Sentence, by: Visible(), leftS: z.int() }))
    .optional(),
  /** More wait than are listed: an answer never holds all that are looked up. */
  pendingMore: z.literal(true).optional(),
  unknownWrites: z.array(z.object({ commandId: z.string(), say: Sentence })).optional(),
  /**
   * What was written first, then what was configured. Without their ids, which searchChanges has: of a decided action they
   * are the longest part.
   */
  changes: z.array(Line.omit({ actionId: true, commandId: true })).optional(),
  /** So many are left out. */
  changesMore: z.int().optional(),
});

const place = ({ deviceName, driverName, pointName }: FoundAlarm): string =>
  [pointName, deviceName ?? driverName]
    .flatMap((one) => (one === null ? [] : [quoted(one)]))
    .join(' of ');

const said = ({ ruleName, value, condition, message }: FoundAlarm): string =>
  ruleName === null
    ? message
    : [quoted(ruleName), value, condition && `(${condition})`].filter(Boolean).join(' ');

type Pending = NonNullable<Handover['pending']>;

function waitingWhat({ pointName, deviceName, firmware, kind, title }: Pending[number]): string {
  if (firmware === null && kind !== 'write' && kind !== 'plan')
    return `proposal waits: ${quoted(title, 80)}`;
  return firmware
    ? `firmware waits: ${quoted(`${firmware.packageName} ${firmware.packageVersion}`)} for ${firmware.devices.length} devices`
    : `proposal waits: ${quoted(pointName)} of ${quoted(deviceName)}`;
}

/** Of proposals that the answer lists as pending one line, without the ids that are there. */
function waitingLines(pending: Pending, listed: ReadonlySet<string>) {
  const [first, ...more] = pending.filter(({ actionId }) => listed.has(actionId));
  const what =
    first && (more.length === 0 ? waitingWhat(first) : `${more.length + 1} proposals wait`);
  return [
    ...(what === undefined ? [] : [{ what }]),
    ...pending
      .filter(({ actionId }) => !listed.has(actionId))
      .map((one) => ({ what: waitingWhat(one), id: one.actionId })),
  ];
}

/** Firing alarms by level, channels that do not know of them, writes of unknown outcome, proposals that wait, devices that went, what is unconfirmed. */
function needingEyes(
  { alarms, unnotified, unknownWrites, pending, outages }: Handover,
  listed: ReadonlySet<string>,
) {
  // An alarm of a device alone is about its outage.
  const saidAway = new Set(
    (alarms?.firing.alarms ?? []).flatMap(({ deviceId, pointName, ruleName }) =>
      pointName === null && ruleName === null ? [deviceId] : [],
    ),
  );
  const open = alarms?.raised.alarms.filter(
    ({ state, confirmed }) => state !== 'FIRING' && !confirmed,
  );
  return [
    ...(alarms?.firing.alarms ?? []).map((alarm) => ({
      what: `${alarm.level} fires: ${place(alarm)}`,
      id: alarm.alarmId,
    })),
    ...(unnotified ?? []).map(({ channelName, channelId, alarms: missed }) => ({
      what: `not notified: channel ${quoted(channelName)} does not know of ${missed} firing`,
      id: channelId,
    })),
    ...(unknownWrites ?? []).map(({ commandId, pointName, deviceName }) => ({
      what: `write of unknown outcome: ${quoted(pointName)} of ${quoted(deviceName)}`,
      id: commandId,
    })),
    ...waitingLines(pending ?? [], listed),
    ...(outages?.devices ?? []).flatMap(({ deviceId, deviceName, since }) =>
      since === null || saidAway.has(deviceId)
        ? []
        : [{ what: `offline: ${quoted(deviceName)}`, id: deviceId }],
    ),
    ...(open ?? []).map((alarm) => ({
      what: `${alarm.level} unconfirmed: ${place(alarm)}`,
      id: alarm.alarmId,
    })),
  ].slice(0, MAX_EYES);
}

function linesOf(unnotified: Handover['unnotified'], zone?: string): string[] | undefined {
  const lines = (unnotified ?? []).slice(0, MAX_CHANNELS).map((one) => unnotifiedLine(one, zone));
  return lines.length > 0 ? lines : undefined;
}

function maintenanceLines(running: Handover['maintenance'], zone?: string): string[] | undefined {
  const lines = (running ?? [])
    .slice(0, MAX_MAINTENANCE)
    .map(({ name, mode, of, until, owner }) => {
      const what =
        of.length === 0
          ? 'the whole plant'
          : of
              .slice(0, MAX_PLACES)
              .map((one) => quoted(one))
              .join(', ');
      const more = of.length > MAX_PLACES ? ' and more' : '';
      const then = mode === 'MUTE' ? 'alarms there are not sent' : 'messages say so';
      return `${quoted(name)}: ${what}${more}, until ${inZone(until, zone)}, by ${quoted(owner)}; ${then}.`;
    });
  return lines.length > 0 ? lines : undefined;
}

/** As many as fit, and how many do not; `waits`: actions that are listed as such. */
function changesOf({ lines, total }: Changes, waits: ReadonlySet<string | undefined>) {
  const told = lines.filter(({ line }) => !(line.what === 'propose' && waits.has(line.actionId)));
  const { rows } = cutTo(
    told.map(({ line: { actionId: _action, commandId: _command, ...line } }) => line),
    TOKENS.changes,
    0,
  );
  const shown = told.slice(0, rows.length).reduce((sum, { count }) => sum + count, 0);
  return { rows, more: Math.max(0, total - shown) };
}

export const handoverTools = [
  defineTool({
    name: 'getHandover',
    title: 'Shift handover',
    domain: 'System',
    listed: 'direct',
    description:
      'Returns alarms, outages, changes and pending proposals since a time, and what needs attention first.',
    permission: 'svc-center-data:dashboard:list',
    scope: 'svc:read',
    input: z.strictObject({
      since: Since.default(DEFAULT_HOURS).describe('ISO-8601 or hours ago'),
    }),
    output: Part,
    annotations: READS,
    async run(app, caller, { since: given }) {
      const now = app.clock.now();
      const since = momentOf(given, { zone: caller.timezone, now });
      const found = await handover(app, caller, { since, hasChanges: true });
      const {
        alarms,
        unnotified,
        maintenance,
        outages,
        silentPoints,
        pending,
        unknownWrites,
        changes,
      } = found;
      const at = (time: string | number | Date): string => inZone(time, caller.timezone);
      const optional = (text: string | null): string | undefined => text ?? undefined;
      const seen = new Map(
        [...(alarms?.firing.alarms ?? []), ...(alarms?.raised.alarms ?? [])].map((one) => [
          one.alarmId,
          one,
        ]),
      );
      const rows = [...seen.values()].map((alarm) => ({
        alarmId: alarm.alarmId,
        state: alarm.state ?? 'REPORTED',
        level: alarm.level,
        since: at(alarm.since),
        device: optional(alarm.deviceName ?? alarm.driverName),
        point: optional(alarm.pointName),
        what: said(alarm),
      }));
      const waits = new Set<string | undefined>(pending?.map(({ actionId }) => actionId));
      const handed = changes && changesOf(changes, waits);
      const listed = cutTo(rows, TOKENS.alarms, 0);
      const waiting =
        pending &&
        cutTo(
          pending.map(({ actionId, say, proposerName, expiresAt }) => ({
            actionId,
            say,
            by: proposerName,
            leftS: Math.max(0, Math.round((Date.parse(expiresAt) - now) / 1000)),
          })),
          TOKENS.pending,
          0,
        );
      const shownIds = new Set(waiting?.rows.map(({ actionId }) => actionId));
      return {
        since: at(since),
        now: at(now),
        needsAttention: needingEyes(found, shownIds),
        alarms: alarms
          ? {
              ...alarms.firing.counts,
              rows: listed.rows,
              ...(hasMore(alarms, listed.left) && { more: true as const }),
            }
          : undefined,
        unnotified: linesOf(unnotified, caller.timezone),
        maintenance: maintenanceLines(maintenance, caller.timezone),
        outages: outages ? outageLines(outages, at) : undefined,
        silentPoints: silentPoints ?? undefined,
        pending: waiting?.rows,
        pendingMore: waiting && waiting.left > 0 ? (true as const) : undefined,
        unknownWrites: unknownWrites?.map(({ commandId, say }) => ({ commandId, say })),
        changes: handed?.rows.map((line) => ({ ...line, at: at(line.at) })),
        changesMore: handed && handed.more > 0 ? handed.more : undefined,
      };
    },
  }),
];

type Outages = NonNullable<Handover['outages']>;

/** A list that is empty is left out. */
const outageLines = (outages: Outages, at: (time: string | number | Date) => string) => ({
  ...outages,
  back: outages.back.length > 0 ? outages.back : undefined,
  devices: outages.devices.map(({ deviceId, deviceName, since }) => ({
    device: deviceName,
    deviceId,
    since: since === null ? undefined : at(since),
  })),
});

const hasMore = ({ firing, raised }: NonNullable<Handover['alarms']>, left: number): boolean =>
  left > 0 || firing.next !== null || raised.next !== null;
