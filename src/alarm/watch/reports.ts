import { sql } from 'kysely';

import type { Delivery } from '../../bus/bus.ts';
import type { Payload } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { findRow } from '../../kernel/entity/row.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { storable } from '../../kernel/input/text.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { atDeviceVersion } from '../../manager/device/version.ts';
import { raise } from '../alarm/raise.ts';
import { statusFact } from '../condition/record-fact.ts';
import { AlarmLevel } from '../kind/alarm.ts';
import { announceNotifications, combined, notifyFired, policiesOf } from '../ledger/notify.ts';
import { withoutRule } from '../message/alarm-event.ts';
import { writingOf } from '../message/alarm-link.ts';
import { evaluateInOrder } from '../rule/evaluate.ts';
import { rulesFor } from '../rule/rule-cache.ts';

type Report = Payload<'svc.e.alarm'>;
/** Length of a report's message in alarms and notifications. */
const MAX_SAID = 1_000;

type Place = { driverId: string; deviceId: string; pointId: string };

/** Consumes the alarms that drivers, devices and the platform itself report over the bus. */
export async function startAlarmReports(app: App): Promise<{ stop(): Promise<void> }> {
  const subscription = await app.bus.subscribe(
    'svc.e.alarm',
    { queue: 'svc.q.alarm', key: '#', prefetch: 1 },
    (report, delivery) => take(app, { ...report, message: storable(report.message) }, delivery),
  );
  return { stop: () => subscription.cancel() };
}

const urgent: readonly Report['type'][] = ['FAULT', 'OFFLINE'];

async function take(app: App, report: Report, { messageId, attempt }: Delivery): Promise<void> {
  const { tenantId, target, entityId, type, source, reference } = report;
  // The text comes from a driver or device: rules compare it unchanged, everything else shows a quotation.
  const message = quoted(report.message, MAX_SAID);
  const now = app.clock.now();
  // A time in the future would block all later facts until then.
  const occurTime = Math.min(report.occurTime, now);
  const watched = target === 'DEVICE' || target === 'DRIVER';
  const written = await atDeviceVersion(app, tenantId, async (at) => {
    const candidates = watched ? await rulesFor(app, at, target) : () => [];
    return inTenant(app.db, tenantId, async (q) => {
      const place = await placeOf(q, report);
      if (!place) return null;
      // A stored alarm means that its notifications and rule states were committed too.
      if (attempt > 1 && (await isStored(q, tenantId, 'messageId', messageId))) return combined([]);
      if (reference !== undefined && (await isStored(q, tenantId, 'reference', reference)))
        return combined([]);
      // An alarm with a reference waits for a confirmation: as urgent as an outage.
      const isUrgent = urgent.includes(type) || reference !== undefined;
      const level = isUrgent ? AlarmLevel.P1 : AlarmLevel.P2;
      const ext = { messageId, occurTime: report.occurTime, ...(reference && { reference }) };
      const alarm = { tenantId, target, entityId, type, source, message, level, ext, now };
      const alarmId = await raise(q, { ...alarm, ...place });
      const { driverId, deviceId, pointId } = place;
      const alarmEvent = {
        ...withoutRule({ tenantId, alarmId, type }),
        level: nameOf(AlarmLevel, level),
        target,
        entityId,
        deviceId,
        pointId,
        message,
        occurTime,
      };
      const policies = await policiesOf(q, tenantId, type);
      const people = await notifyFired(q, alarmEvent, policies, writingOf(app));
      const said = { statusName: type, message: report.message, alarmId };
      const fact = statusFact({ entityId, deviceId, driverId, ...said, at: occurTime, now });
      return combined([people, await evaluateInOrder(app, q, { at, candidates, facts: [fact] })]);
    });
  });
  if (!written) return app.log.warn({ tenantId, target, entityId }, 'a reported alarm was dropped');
  app.crashAt('alarm-committed');
  await announceNotifications(app, tenantId, written);
}

/** Driver, device and point ids of the reported entity; null if the tenant has no such entity. */
async function placeOf(q: Queries, { tenantId, target, entityId }: Report): Promise<Place | null> {
  const none = { driverId: '0', deviceId: '0', pointId: '0' };
  if (target === 'DEVICE' || target === 'EVENT') {
    const device = await findRow(q, 'svc_device', tenantId, entityId);
    return device ? { ...none, driverId: device.driverId, deviceId: entityId } : null;
  }
  const table = target === 'POINT' ? 'svc_point' : 'svc_driver';
  if (!(await findRow(q, table, tenantId, entityId))) return null;
  return target === 'POINT' ? { ...none, pointId: entityId } : { ...none, driverId: entityId };
}

/** `messageId` recognises a redelivered message, `reference` a repeated report. */
async function isStored(
  q: Queries,
  tenantId: string,
  key: 'messageId' | 'reference',
  value: string,
): Promise<boolean> {
  const row = await q
    .selectFrom('svc_entity_alarm')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where(sql`alarm_ext ->> ${key}::text`, '=', value)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
