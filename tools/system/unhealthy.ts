import { z } from 'zod';

import { unhealthy, type Unhealthy } from '../../src/agentic/handover/unhealthy.ts';
import type { Chattering } from '../../src/alarm/dashboard/performance/chattering.ts';
import type { FiringCause } from '../../src/alarm/explain/firing-causes.ts';
import { unnotifiedLine } from '../../src/alarm/ledger/unnotified.ts';
import type { FoundAlarm } from '../../src/alarm/search/search.ts';
import { inZone } from '../../src/kernel/sentence/time-zone.ts';
import { quoted } from '../../src/kernel/sentence/voice.ts';
import type { Behind } from '../../src/manager/firmware/behind.ts';
import { cutTo } from '../shape/budget.ts';
import { defineTool, READS } from '../shape/define.ts';
import { Phrase } from '../shape/text.ts';

/** Of 1,500 for the whole answer. */
const MAX_TOKENS = 1_200;

const KINDS = ['alarm', 'channel', 'device', 'point', 'rule', 'unconfirmed'] as const;

/** What is wrong, where it ranks, and the id that its look-up takes. */
type Found = { kind: (typeof KINDS)[number]; what: string; id: string; rank: number };

const RANKS = { P0: 0, P1: 20, P2: 50, P3: 80 } as const;
const CHANNEL = 10;
const OFFLINE = 40;
const CHATTERS = 45;
const SILENT = 55;
const BAD = 60;
const BEHIND = 70;
const UNCONFIRMED = 30;
const NEVER = 90;
/** Behind alarms of the same level that are sure of their value. */
const DOUBT = 5;

type Placed = Pick<FiringCause, 'ruleName' | 'message' | 'pointName' | 'deviceName' | 'driverName'>;

const placeOf = ({ pointName, deviceName, driverName }: Placed): string =>
  [pointName, deviceName ?? driverName]
    .flatMap((one) => (one === null ? [] : [quoted(one)]))
    .join(' of ');

/** Of a sensor, whose value may be wrong rather than the plant. */
const DOUBTS = {
  STUCK: 'the value does not move',
  DRIFTING: 'the value drifts',
  DIFFERING: 'two points differ',
} as const;

const ruleAt = (alarm: Placed): string =>
  alarm.ruleName === null ? alarm.message : `${quoted(alarm.ruleName)} at ${placeOf(alarm)}`;

function alarmWords(cause: FiringCause, zone: string | undefined): string {
  const what = ruleAt(cause);
  const doubt = cause.doubt === null ? '' : `; ${DOUBTS[cause.doubt]}`;
  const explains = cause.explains === 0 ? '' : `; explains ${cause.explains} more`;
  return `${cause.level} fires since ${inZone(cause.since, zone)}: ${what}${doubt}${explains}`;
}

function overWords(alarm: FoundAlarm, zone: string | undefined): string {
  const { level, since, recovered, value, condition } = alarm;
  const until = recovered === null ? '' : ` until ${inZone(recovered, zone)}`;
  const was = value === null || condition === null ? '' : `, ${value} (${condition})`;
  return `${level} is over and unconfirmed, from ${inZone(since, zone)}${until}: ${ruleAt(alarm)}${was}`;
}

function chatterWords({ ruleName, ruleId, pointName, deviceName, hour, day }: Chattering): string {
  const place = [pointName, deviceName].flatMap((one) => (one === null ? [] : [quoted(one)]));
  const what =
    ruleId === '0'
      ? `The outage of ${place.at(-1) ?? 'a driver'}`
      : [
          quoted(ruleName ?? 'deleted rule'),
          ...(place.length > 0 ? [place.join(' of ')] : []),
        ].join(' at ');
  return `${what} chatters: raised ${day} times in 24 h, ${hour} in the last hour`;
}

function behindWords({ model, version, newest, isPackage, devices }: Behind): string {
  const run = devices === 1 ? '1 device runs' : `${devices} devices run`;
  const than = isPackage ? 'the newest package is' : 'most of that model run';
  return `${run} ${quoted(version)} of ${quoted(model)}: ${than} ${quoted(newest)}`;
}

/** One list of all parts, the worst first; devices whose outage is in the list are not said twice. */
function ranked(
  { causes, unconfirmed, unnotified, outages, silent, bad, chattering, behind }: Unhealthy,
  zone?: string,
): Found[] {
  const away = new Set(
    causes?.rows.flatMap(({ isOutage, deviceId }) => (isOutage ? [deviceId] : [])),
  );
  const found: Found[] = [
    ...(causes?.rows ?? []).map((cause) => ({
      kind: 'alarm' as const,
      what: alarmWords(cause, zone),
      id: cause.alarmId,
      rank: RANKS[cause.level] + (cause.doubt === null ? 0 : DOUBT),
    })),
    ...(unnotified ?? []).map((one) => ({
      kind: 'channel' as const,
      what: unnotifiedLine(one, zone),
      id: one.channelId,
      rank: CHANNEL,
    })),
    ...(unconfirmed?.rows ?? []).map((alarm) => ({
      kind: 'unconfirmed' as const,
      what: overWords(alarm, zone),
      id: alarm.alarmId,
      rank: UNCONFIRMED,
    })),
    ...(outages?.devices ?? [])
      .filter(({ deviceId }) => !away.has(deviceId))
      .map(({ deviceId, deviceName, since }) => ({
        kind: 'device' as const,
        what:
          since === null
            ? `${quoted(deviceName)} never connected`
            : `${quoted(deviceName)} is offline since ${inZone(since, zone)}`,
        id: deviceId,
        rank: since === null ? NEVER : OFFLINE,
      })),
    ...(silent?.rows ?? []).map(({ pointId, pointName, deviceName, since }) => ({
      kind: 'point' as const,
      what: `${quoted(pointName)} of ${quoted(deviceName)} has no value since ${inZone(since, zone)}`,
      id: pointId,
      rank: SILENT,
    })),
    ...(bad?.rows ?? []).map(({ pointId, pointName, deviceName, why }) => ({
      kind: 'point' as const,
      what: `${quoted(pointName)} of ${quoted(deviceName)}: ${why ?? 'bad value'}`,
      id: pointId,
      rank: BAD,
    })),
    ...(chattering?.rows ?? []).map((one) => ({
      kind: one.ruleId === '0' ? ('device' as const) : ('rule' as const),
      what: chatterWords(one),
      id: one.ruleId === '0' ? one.deviceId : one.ruleId,
      rank: CHATTERS,
    })),
    ...(behind ?? []).map((one) => ({
      kind: 'device' as const,
      what: behindWords(one),
      id: one.deviceId,
      rank: BEHIND,
    })),
  ];
  return found.toSorted((a, b) => a.rank - b.rank);
}

/** Whether there is more than was read. */
const isCut = ({ causes, unconfirmed, silent, bad, chattering, outages }: Unhealthy): boolean =>
  silent?.more === true ||
  unconfirmed?.more === true ||
  causes?.more === true ||
  (bad !== null && bad.rows.length < bad.total) ||
  (chattering !== null && chattering.rows.length < chattering.total) ||
  (outages !== null && outages.devices.length < outages.offline + outages.neverConnected);

export const unhealthyTool = defineTool({
  name: 'getUnhealthy',
  title: 'What is unhealthy',
  domain: 'System',
  description:
    'Ranks what is wrong now: firing alarms by their cause, channels that do not know, unconfirmed P0 and P1, devices offline, what chatters, silent and bad points, firmware that is behind; with counts of the rest.',
  permission: 'svc-center-data:dashboard:list',
  scope: 'svc:read',
  input: z.strictObject({}),
  output: z.object({
    now: z.string(),
    /** Worst first, with the id that its look-up takes. */
    worst: z.array(z.object({ kind: z.enum(KINDS), what: Phrase(240), id: z.string() })),
    counts: z.object({
      firing: z.int().optional(),
      causes: z.int().optional(),
      offline: z.int().optional(),
      neverConnected: z.int().optional(),
      badPoints: z.int().optional(),
      silentPoints: z.int().optional(),
      chattering: z.int().optional(),
      firmwareBehind: z.int().optional(),
      channels: z.int().optional(),
    }),
    /** More than the list says. */
    more: z.literal(true).optional(),
  }),
  annotations: READS,
  async run(app, caller) {
    const found = await unhealthy(app, caller, {});
    const { causes, outages, bad } = found;
    const all = ranked(found, caller.timezone).map(({ kind, what, id }) => ({ kind, what, id }));
    const { rows, left } = cutTo(all, MAX_TOKENS, 0);
    return {
      now: inZone(app.clock.now(), caller.timezone),
      worst: rows,
      counts: {
        firing: causes?.firing,
        causes: causes?.causes,
        offline: outages?.offline,
        neverConnected: outages?.neverConnected,
        badPoints: bad?.total,
        silentPoints: found.silent?.total,
        chattering: found.chattering?.total,
        firmwareBehind: found.behind?.reduce((sum, { devices }) => sum + devices, 0),
        channels: found.unnotified?.length,
      },
      ...((left > 0 || isCut(found)) && { more: true as const }),
    };
  },
});
