import { type SelectQueryBuilder, sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import type { Schema } from '../../db/schema.ts';
import { listTotal } from '../../db/tenant-total.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import {
  answer,
  AnswerId,
  AnswerUuid,
  JsonText,
  MaybeTime,
  numbered,
  Time,
} from '../../kernel/entity/answer.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { NotFound } from '../../kernel/errors.ts';
import { flag } from '../../kernel/input/flag.ts';
import { Id, Uuid } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';
import { EventLevel, EventType } from '../../manager/entity/value-type.ts';

export const AcknowledgeFlag = { NO: 0, YES: 1 } as const;

/** A reported event; the maps are JSON text, as existing clients expect, flags are numbers. */
export const EventRecord = answer('EventRecord', {
  id: AnswerId,
  recordId: AnswerUuid,
  tenantId: AnswerId,
  deviceId: AnswerId,
  eventId: AnswerId.describe("'0': the profile does not define the event"),
  eventCode: z.string().meta({ examples: ['burner-fault'] }),
  eventTypeFlag: numbered(EventType),
  eventLevelFlag: numbered(EventLevel),
  paramValues: JsonText,
  configSnapshot: JsonText,
  message: z.string().meta({ examples: ['Flame lost after ignition'] }),
  occurTime: Time,
  claimedTime: MaybeTime.describe(
    "The sender's time if it was too far in the future; occurTime is then the time of reception",
  ),
  receiveTime: Time,
  acknowledgeFlag: numbered(AcknowledgeFlag),
  acknowledgeTime: MaybeTime,
  acknowledgeUserId: AnswerId.describe("'0': not acknowledged yet"),
  schemaVersion: z.number().int(),
  createTime: Time,
  operateTime: Time,
});
export type EventRecord = z.output<typeof EventRecord.schema>;

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

/** With the names of its device and of its event; null where there is none any more. */
export type NamedRecord = EventRecord & { deviceName: string | null; eventName: string | null };

const recordsOf = (q: Queries, tenantId: string) =>
  q.selectFrom('svc_event_history').selectAll().where('tenantId', '=', tenantId);

const namedRecordsOf = (q: Queries, tenantId: string) =>
  recordsOf(q, tenantId).select([
    sql<string | null>`(select device_name from svc_device d
      where d.tenant_id = svc_event_history.tenant_id and d.id = device_id)`.as('deviceName'),
    sql<string | null>`(select event_name from svc_event e
      where e.tenant_id = svc_event_history.tenant_id and e.id = event_id)`.as('eventName'),
  ]);

type NamedRow = Awaited<ReturnType<ReturnType<typeof namedRecordsOf>['executeTakeFirstOrThrow']>>;
const named = (row: NamedRow): NamedRecord => ({
  ...EventRecord.of(row),
  deviceName: row.deviceName,
  eventName: row.eventName,
});

/** A query of records, with whatever else it selects. */
type Records<Row> = SelectQueryBuilder<Schema, 'svc_event_history', Row>;

async function recordIn<Row>(records: Records<Row>, { recordId }: ByRecordId): Promise<Row> {
  const row = await records.where('recordId', '=', recordId).executeTakeFirst();
  if (!row) throw new NotFound('Event record');
  return row;
}

/** Throws NotFound, also for another tenant's record. */
export const byRecordId: Operation<ByRecordId, EventRecord> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, async (q) =>
    EventRecord.of(await recordIn(recordsOf(q, tenantId), given)),
  );

/** As `byRecordId`. */
export const namedById: Operation<ByRecordId, NamedRecord> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, async (q) =>
    named(await recordIn(namedRecordsOf(q, tenantId), given)),
  );

function pageIn<Row, T>(
  records: Records<Row>,
  of: (row: Row) => T,
  { q, tenantId, given }: { q: Queries; tenantId: string; given: EventRecordQuery },
): Promise<Paged<T>> {
  const query = narrowed(records, given, {
    equal: ['deviceId', 'eventId', 'eventCode', 'eventTypeFlag', 'acknowledgeFlag'],
  });
  const newestFirst = query.orderBy('occurTime', 'desc').orderBy('id', 'desc');
  const total = listTotal(query, { q, tenantId, table: 'svc_event_history', given });
  return pageOf(newestFirst, given.page, of, { total });
}

/** Newest first. */
export const page: Operation<EventRecordQuery, Paged<EventRecord>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) =>
    pageIn(recordsOf(q, tenantId), EventRecord.of, { q, tenantId, given }),
  );

/** As `page`. */
export const namedPage: Operation<EventRecordQuery, Paged<NamedRecord>> = (
  app,
  { tenantId },
  given,
) =>
  inOneTrip(app.db, tenantId, (q) =>
    pageIn(namedRecordsOf(q, tenantId), named, { q, tenantId, given }),
  );

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
