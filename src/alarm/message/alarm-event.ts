import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { storable } from '../../kernel/input/text.ts';
import { UTC } from '../../kernel/sentence/time-zone.ts';
import type { Values } from '../alarm/firing.ts';
import type { Notice } from '../channel/delivery/channel.ts';
import type { AlarmLevel, AlarmTarget, AlarmType } from '../kind/alarm.ts';
import type { NoticeEvent } from '../kind/delivery-status.ts';
import { clip } from './render.ts';

export const MAX_MESSAGE = 1_024;

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
  /** The values that ended the alarm, where they did. */
  endValues?: Values;
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

/** Names of what an alarm is about, empty if there is none, and the time zone of the tenant. */
export type Names = {
  deviceName: string;
  pointName: string;
  driverName: string;
  unit: string;
  zone: string;
};

export async function namesOf(
  q: Queries,
  { tenantId, target, entityId, deviceId, pointId }: AlarmEvent,
): Promise<Names> {
  const driverId = target === 'DRIVER' ? entityId : '0';
  const { rows } = await sql<Record<keyof Names, string | null>>`select
    (select timezone from svc_tenant where id = ${tenantId}) as zone,
    (select device_name from svc_device where tenant_id = ${tenantId} and id = ${deviceId}) as "deviceName",
    (select driver_name from svc_driver where tenant_id = ${tenantId} and id = ${driverId}) as "driverName",
    (select point_name from svc_point where tenant_id = ${tenantId} and id = ${pointId}) as "pointName",
    (select unit from svc_point where tenant_id = ${tenantId} and id = ${pointId}) as unit`.execute(
    q,
  );
  const [found] = rows;
  return {
    deviceName: found?.deviceName ?? '',
    pointName: found?.pointName ?? '',
    driverName: found?.driverName ?? '',
    unit: found?.unit ?? '',
    zone: found?.zone ?? UTC,
  };
}

/** The machine-readable part of a notification: names are separate fields, unquoted. */
export const noticeOf = (
  alarmEvent: AlarmEvent,
  { deviceName, pointName }: Pick<Names, 'deviceName' | 'pointName'>,
  event: NoticeEvent,
  link: string,
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
  ...(link !== '' && { link }),
});
