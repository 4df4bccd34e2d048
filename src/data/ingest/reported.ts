import type { Payload } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';
import { Conflict } from '../../kernel/errors.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { EventLevel, EventType } from '../../manager/entity/value-type.ts';

type Report = Payload<'svc.e.event'>;

/** A caller's report; the event by id, code or both. */
type Asked = {
  deviceId: string;
  eventId?: string | undefined;
  eventCode?: string | undefined;
  paramValues: Readonly<Record<string, string>>;
  message: string;
};

/** The stored report with this id; null without one. Throws Conflict if its content differs. */
export async function earlierReport(
  q: Queries,
  tenantId: string,
  recordId: string,
  asked: Asked,
): Promise<Report | null> {
  const first = await q
    .selectFrom('svc_event_history')
    .select(['deviceId', 'eventId', 'eventCode', 'eventTypeFlag', 'eventLevelFlag'])
    .select(['paramValues', 'message', 'occurTime'])
    .where('tenantId', '=', tenantId)
    .where('recordId', '=', recordId)
    .executeTakeFirst();
  if (!first) return null;
  const isSame =
    asked.deviceId === first.deviceId &&
    (asked.eventId ?? first.eventId) === first.eventId &&
    (asked.eventCode ?? first.eventCode) === first.eventCode &&
    asked.message === first.message &&
    canonicalJson(asked.paramValues) === canonicalJson(first.paramValues);
  if (!isSame) throw new Conflict('Another event was reported with this recordId');
  return {
    schemaVersion: 1,
    recordId,
    tenantId,
    deviceId: first.deviceId,
    eventCode: first.eventCode,
    eventType: nameOf(EventType, first.eventTypeFlag),
    eventLevel: nameOf(EventLevel, first.eventLevelFlag),
    params: { ...asked.paramValues },
    message: first.message,
    occurTime: first.occurTime.getTime(),
  };
}
