import type { Selectable } from 'kysely';
import type { z } from 'zod';

import type { Operation } from '../../app.ts';
import { NotFound } from '../../core/errors.ts';
import { flag } from '../../core/input/flag.ts';
import { Id, Uuid } from '../../core/input/id.ts';
import { input } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Text } from '../../core/input/text.ts';
import { pageOf } from '../../db/query-page.ts';
import type { EventHistoryTable } from '../../db/schema/alarm.ts';
import { inTenant } from '../../db/tenant.ts';
import { EventType } from '../../manager/profile/event.ts';

export const AcknowledgeFlag = { NO: 0, YES: 1 } as const;

/** A reported event; the maps are JSON text, as existing clients expect, flags are numbers. */
export type EventRecord = {
  id: string;
  recordId: string;
  tenantId: string;
  deviceId: string;
  /** '0' if the profile does not define the event. */
  eventId: string;
  eventCode: string;
  eventTypeFlag: number;
  eventLevelFlag: number;
  paramValues: string;
  configSnapshot: string;
  message: string;
  occurTime: string;
  /** The sender's time if it was too far in the future; `occurTime` is then the time of reception. */
  claimedTime: string | null;
  receiveTime: string;
  acknowledgeFlag: number;
  acknowledgeTime: string | null;
  acknowledgeUserId: string;
  schemaVersion: number;
  createTime: string;
  operateTime: string;
};

const recordOf = (row: Selectable<EventHistoryTable>): EventRecord => ({
  id: row.id,
  recordId: row.recordId,
  tenantId: row.tenantId,
  deviceId: row.deviceId,
  eventId: row.eventId,
  eventCode: row.eventCode,
  eventTypeFlag: row.eventTypeFlag,
  eventLevelFlag: row.eventLevelFlag,
  paramValues: JSON.stringify(row.paramValues),
  configSnapshot: JSON.stringify(row.configSnapshot),
  message: row.message,
  occurTime: row.occurTime.toISOString(),
  claimedTime: row.claimedTime?.toISOString() ?? null,
  receiveTime: row.receiveTime.toISOString(),
  acknowledgeFlag: row.acknowledgeFlag,
  acknowledgeTime: row.acknowledgeTime?.toISOString() ?? null,
  acknowledgeUserId: row.acknowledgeUserId,
  schemaVersion: row.schemaVersion,
  createTime: row.createTime.toISOString(),
  operateTime: row.operateTime.toISOString(),
});

export const ByRecordId = input({ recordId: Uuid });
type ByRecordId = z.infer<typeof ByRecordId>;

export const EventRecordQuery = input({
  page: Page,
  deviceId: Id.optional(),
  eventId: Id.optional(),
  eventCode: Text(128).optional(),
  eventTypeFlag: flag(EventType).optional(),
  acknowledgeFlag: flag(AcknowledgeFlag).optional(),
});
type EventRecordQuery = z.infer<typeof EventRecordQuery>;

/** Throws NotFound, also for another tenant's record. */
export const byRecordId: Operation<ByRecordId, EventRecord> = (app, { tenantId }, { recordId }) =>
  inTenant(app.db, tenantId, async (q) => {
    const row = await q
      .selectFrom('svc_event_history')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('recordId', '=', recordId)
      .executeTakeFirst();
    if (!row) throw new NotFound('Event record');
    return recordOf(row);
  });

/** Newest first. */
export const page: Operation<EventRecordQuery, Paged<EventRecord>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q.selectFrom('svc_event_history').selectAll().where('tenantId', '=', tenantId);
    if (given.deviceId) query = query.where('deviceId', '=', given.deviceId);
    if (given.eventId) query = query.where('eventId', '=', given.eventId);
    if (given.eventCode) query = query.where('eventCode', '=', given.eventCode);
    if (given.eventTypeFlag !== undefined)
      query = query.where('eventTypeFlag', '=', given.eventTypeFlag);
    if (given.acknowledgeFlag !== undefined)
      query = query.where('acknowledgeFlag', '=', given.acknowledgeFlag);
    return pageOf(query.orderBy('occurTime', 'desc').orderBy('id', 'desc'), given.page, recordOf);
  });

/** Acknowledges an event; user and time of the first acknowledgement stay. Throws NotFound. */
export const acknowledge: Operation<ByRecordId, EventRecord> = async (app, caller, given) => {
  const { tenantId, principalId } = caller;
  const at = new Date(app.clock.now());
  await inTenant(app.db, tenantId, (q) =>
    q
      .updateTable('svc_event_history')
      .set({
        acknowledgeFlag: AcknowledgeFlag.YES,
        acknowledgeTime: at,
        acknowledgeUserId: principalId,
        operateTime: at,
      })
      .where('tenantId', '=', tenantId)
      .where('recordId', '=', given.recordId)
      .where('acknowledgeFlag', '=', AcknowledgeFlag.NO)
      .execute(),
  );
  return byRecordId(app, caller, given);
};
