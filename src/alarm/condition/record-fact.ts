import type { Payload } from '../../bus/topic/topics.ts';
import { EventLevel, EventType } from '../../manager/entity/value-type.ts';
import type { Values } from './condition.ts';
import type { Fact } from './fact.ts';

type Place = Pick<Fact, 'entityId' | 'deviceId' | 'driverId'>;
/** `at` is its origin time, `now` when it came (ms). */
type Times = { at: number; now: number };
type Status = Place & Times & { statusName: string; message: string; alarmId: string };

/**
 * What rules on devices and drivers see of an outage, of its end (ONLINE), and of a reported alarm
 * (docs/specification/alarms.md, Definition of a rule).
 */
export function statusFact({ statusName, message, alarmId, at, now, ...place }: Status): Fact {
  const { deviceId, driverId } = place;
  const createTime = new Date(now).toISOString();
  const status = statusName.toLowerCase();
  const values = { status, statusName, message, alarmId, createTime, deviceId, driverId };
  return { ...place, pointId: '0', values, at, seq: BigInt(alarmId) };
}

type Report = Omit<Payload<'svc.e.event'>, 'tenantId' | 'schemaVersion'>;

/** What rules on events see of one that came at `now`; `eventId` is 0 where the profile does not define it. */
export function eventFact(
  report: Report,
  { driverId, eventId, now }: { driverId: string; eventId: string; now: number },
): Fact {
  const { recordId, deviceId, eventCode, eventType, eventLevel, params, message } = report;
  const values: Values = {
    ...params,
    ...Object.fromEntries(
      Object.entries(params).map(([name, value]) => [`paramValues.${name}`, value]),
    ),
    deviceId,
    eventId,
    eventCode,
    eventType,
    eventLevel,
    eventTypeFlag: EventType[eventType],
    eventLevelFlag: EventLevel[eventLevel],
    message,
    occurTime: new Date(report.occurTime).toISOString(),
  };
  // A time in the future would block the event that ends this one.
  const at = Math.min(report.occurTime, now);
  const place = { entityId: deviceId, deviceId, driverId, pointId: '0' };
  return { ...place, values, at, reportId: recordId };
}
