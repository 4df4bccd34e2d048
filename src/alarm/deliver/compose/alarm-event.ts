import { clean } from '../../../core/sentence/visible.ts';
import { quoted } from '../../../core/sentence/voice.ts';
import type { Queries } from '../../../db/connect.ts';
import { type AlarmLevel, type AlarmTarget, type AlarmType, storable } from '../../alarm/alarm.ts';
import type { Notice } from '../../channel/channel.ts';
import type { NoticeEvent } from './notice-event.ts';
import { clip, type Variables } from './render.ts';

/** What happened, as rules, outages and reports know it; ids that do not apply are '0'. */
export type AlarmEvent = {
  tenantId: string;
  alarmId: string;
  ruleStateId: string;
  ruleId: string;
  ruleCode: string;
  /** What it is called: the rule's name, or what happened where no rule was. */
  name: string;
  level: keyof typeof AlarmLevel;
  target: AlarmTarget;
  entityId: string;
  deviceId: string;
  pointId: string;
  message: string;
  /** Origin time (ms). */
  occurTime: number;
  /** What a template may name besides. */
  facts: Readonly<Record<string, unknown>>;
};

/** What is the same of all alarms that no rule raised: they are called by their type. */
export const withoutRule = ({
  tenantId,
  alarmId,
  type,
}: {
  tenantId: string;
  alarmId: string;
  type: keyof typeof AlarmType;
}) => ({
  tenantId,
  alarmId,
  ruleStateId: '0',
  ruleId: '0',
  ruleCode: '',
  name: type,
  pointId: '0',
  facts: {},
});

const MAX_VALUE = 256;
const MAX_MESSAGE = 1_024;

/** A fact as a template shows it. */
function shown(value: unknown, max: number): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  // One line: a name or value cannot add a line to what the platform says.
  return clean(storable(text), max);
}

type Names = { deviceName: string; pointName: string; unit: string };

/**
 * The variables of docs/specification/notifications.md, Policy: what the platform says goes before what a
 * device says.
 */
export function variablesOf(
  alarmEvent: AlarmEvent,
  names: Names,
  { event, reminder, now }: { event: NoticeEvent; reminder: boolean; now: number },
): Variables {
  const { facts, occurTime, name, target, level, ...ids } = alarmEvent;
  const time = new Date(occurTime).toISOString();
  const all: Record<string, unknown> = {
    ...facts,
    ...ids,
    ruleName: name,
    alarmTargetType: target,
    severity: level,
    level,
    factTime: time,
    occurTime: time,
    triggerTime: new Date(now).toISOString(),
    event: event.toLowerCase(),
    matchType: reminder ? 'REMINDER' : event,
    device: names.deviceName,
    deviceName: names.deviceName,
    point: names.pointName,
    pointName: names.pointName,
    unit: facts['unit'] ?? names.unit,
  };
  return Object.fromEntries(
    Object.entries(all).map(([key, value]) => [
      key,
      // Cut within a quotation it would leave it open: a message holds a few of them.
      shown(value, key === 'message' ? MAX_MESSAGE : MAX_VALUE),
    ]),
  );
}

/**
 * For the platform's own words, in which names are quotations, and so is what a message holds of others. In
 * ASCII: other marks would double the length of an SMS and encode the subject of a mail.
 */
export const quotedNames = (variables: Variables): Variables =>
  Object.fromEntries(
    Object.entries(variables).map(([key, value]) => {
      if (key === 'message') return [key, inAscii(value)];
      return [key, NAMES.has(key) ? inAscii(quoted(value, MAX_VALUE)) : value];
    }),
  );
const inAscii = (text: string): string => text.replaceAll(/[“”]/g, '"');
const NAMES: ReadonlySet<string> = new Set(['ruleName', 'deviceName', 'pointName']);

/** What people call the device and the point; empty where there is none. */
export async function namesOf(
  q: Queries,
  { tenantId, deviceId, pointId }: AlarmEvent,
): Promise<Names> {
  const device = await q
    .selectFrom('svc_device')
    .select('deviceName')
    .where('tenantId', '=', tenantId)
    .where('id', '=', deviceId)
    .executeTakeFirst();
  const point = await q
    .selectFrom('svc_point')
    .select(['pointName', 'unit'])
    .where('tenantId', '=', tenantId)
    .where('id', '=', pointId)
    .executeTakeFirst();
  const { pointName = '', unit = '' } = point ?? {};
  return { deviceName: device?.deviceName ?? '', pointName, unit };
}

/** The part of a notification that programs read: names are fields of their own, as they are. */
export const noticeOf = (
  alarmEvent: AlarmEvent,
  { deviceName, pointName }: Names,
  event: NoticeEvent,
): Notice => ({
  event: event === 'FIRED' ? 'fired' : 'recovered',
  tenantId: alarmEvent.tenantId,
  alarmId: alarmEvent.alarmId,
  ruleId: alarmEvent.ruleId,
  ruleName: alarmEvent.name,
  level: alarmEvent.level,
  target: alarmEvent.target,
  entityId: alarmEvent.entityId,
  deviceId: alarmEvent.deviceId,
  deviceName,
  pointId: alarmEvent.pointId,
  pointName,
  message: clip(storable(alarmEvent.message), MAX_MESSAGE),
  occurTime: new Date(alarmEvent.occurTime).toISOString(),
});
