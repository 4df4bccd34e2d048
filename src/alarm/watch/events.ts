import type { Payload } from '../../bus/topic/topics.ts';
import { storedReport } from '../../data/ingest/event-report.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { atDeviceVersion, type DeviceVersion } from '../../manager/device/version.ts';
import { eventFact } from '../condition/record-fact.ts';
import { evaluateAt } from '../rule/evaluate.ts';
import { rulesFor } from '../rule/rule-cache.ts';

type Report = Payload<'svc.e.event'>;

/** Evaluates reported events against the rules of their devices; another queue stores the history. */
export async function startEventRules(app: App): Promise<{ stop(): Promise<void> }> {
  const subscription = await app.bus.subscribe(
    'svc.e.event',
    { queue: 'svc.q.event_rule', key: '#', prefetch: 1 },
    (report) =>
      atDeviceVersion(app, report.tenantId, (present) =>
        evaluateReport(app, present, storedReport(report, app.clock.now())),
      ),
  );
  return { stop: () => subscription.cancel() };
}

async function evaluateReport(app: App, present: DeviceVersion, report: Report): Promise<void> {
  const { tenantId, deviceId, eventCode } = report;
  const candidates = await rulesFor(app, present, 'EVENT');
  if (candidates(deviceId).length === 0) return;
  const device = await inOneTrip(app.db, tenantId, (q) =>
    q
      .selectFrom('svc_device as d')
      .leftJoin('svc_event as e', (join) =>
        join
          .onRef('e.tenantId', '=', 'd.tenantId')
          .onRef('e.profileId', '=', 'd.profileId')
          .on('e.eventCode', '=', eventCode),
      )
      .select(['d.driverId', 'e.id as eventId'])
      .where('d.tenantId', '=', tenantId)
      .where('d.id', '=', deviceId)
      .executeTakeFirst(),
  );
  if (!device) return;
  const { driverId, eventId } = device;
  const now = app.clock.now();
  const fact = eventFact(report, { driverId, eventId: eventId ?? '0', now });
  await evaluateAt(app, present, 'EVENT', [fact]);
}
