import type { Queries } from '../../db/connect.ts';
import { findRow } from '../../kernel/entity/row.ts';
import { storable } from '../../kernel/input/text.ts';
import { clean } from '../../kernel/sentence/visible.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import type { Notice } from '../channel/channel.ts';
import type { AlarmLevel, AlarmTarget, AlarmType } from '../kind/alarm.ts';
import type { NoticeEvent } from '../kind/delivery-status.ts';
import { clip, type Variables } from './render.ts';

/** An event of an alarm, from a rule, an outage or a report; ids that do not apply are '0'. */
export type AlarmEvent = {
  tenantId: string;
  alarmId: string;
  ruleStateId: string;
  ruleId: string;
  ruleCode: string;
  /** The rule's name, or the alarm type if there is no rule. */
  name: string;
  /** Of what is reported without an alarm: a channel; else an account. */
  about?: 'channel';
  level: keyof typeof AlarmLevel;
  target: AlarmTarget;
  entityId: string;
  deviceId: string;
  pointId: string;
  message: string;
  /** Origin time (ms). */
  occurTime: number;
  /** Further variables for templates. */
  facts: Readonly<Record<string, unknown>>;
};

/** Fields common to all alarms without a rule; the alarm type is their name. */
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

/** A fact as text for a template. */
function shown(value: unknown, max: number): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  // One line: a name or value must not add a line to the platform's text.
  return clean(storable(text), max);
}

type Names = { deviceName: string; pointName: string; unit: string };

/**
 * The variables of docs/specification/notifications.md, Policy; the platform's fields override facts of the
 * same name.
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
      // A message contains quotations, and a cut inside one leaves it open: allow more length.
      shown(value, key === 'message' ? MAX_MESSAGE : MAX_VALUE),
    ]),
  );
}

/**
 * Variables for the default templates: names become quotations, and all quotation marks become ASCII, because
 * others double the length of an SMS and force an encoded mail subject.
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

/** Names of the device and the point; empty if there is none. */
export async function namesOf(
  q: Queries,
  { tenantId, deviceId, pointId }: AlarmEvent,
): Promise<Names> {
  const device = await findRow(q, 'svc_device', tenantId, deviceId);
  const point = await findRow(q, 'svc_point', tenantId, pointId);
  const { pointName = '', unit = '' } = point ?? {};
  return { deviceName: device?.deviceName ?? '', pointName, unit };
}

/** The machine-readable part of a notification: names are separate fields, unquoted. */
export const noticeOf = (
  alarmEvent: AlarmEvent,
  { deviceName, pointName }: Names,
  event: NoticeEvent,
): Notice => ({
  event: event === 'FIRED' ? 'fired' : 'recovered',
  ...(alarmEvent.about && { about: alarmEvent.about }),
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
