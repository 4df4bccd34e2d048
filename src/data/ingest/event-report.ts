import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import type { Payload } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App, Operation } from '../../kernel/app/app.ts';
import { demandDiskRoom, fullDisk } from '../../kernel/app/disk-room.ts';
import { NotFound, Unavailable, Unprocessable } from '../../kernel/errors.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { Id, Uuid } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { storable, Text } from '../../kernel/input/text.ts';
import { EventLevel, EventType } from '../../manager/entity/value-type.ts';
import { timesOf } from '../value/stored-value.ts';
import { ValueInput } from '../value/value-input.ts';
import { countRefusedEvent } from './refused-values.ts';
import { earlierReport } from './reported.ts';

type Report = Payload<'svc.e.event'>;
/** `claimedTime`: the sender's time if `occurTime` is the time of reception, else null. */
type StoredReport = Report & { claimedTime: number | null };

const PREFETCH = 10;
const MAX_PARAMS = 64;
const MAX_PARAM = 4_096;

/** `recordId` makes a report idempotent: repeated, it answers the same record and stores nothing. */
export const ReportEvent = input({
  deviceId: Id,
  eventId: Id.optional(),
  eventCode: Text(128).optional(),
  paramValues: z
    .record(Text(64), ValueInput)
    .refine((given) => Object.keys(given).length <= MAX_PARAMS, `at most ${MAX_PARAMS} parameters`)
    .default({}),
  message: Text(1024).default(''),
  recordId: Uuid.optional(),
});
type ReportEvent = z.infer<typeof ReportEvent>;

/** Stores the reports of drivers; a repeated report is stored once. */
export async function startEventReports(app: App): Promise<{ stop(): Promise<void> }> {
  const subscription = await app.bus.subscribe(
    'svc.e.event',
    { queue: 'svc.q.event', key: '#', prefetch: PREFETCH },
    async (given) => {
      const { tenantId, deviceId, recordId } = given;
      const now = app.clock.now();
      const said = storedReport(given, now);
      const hasRoom = (await fullDisk(app)) === null;
      const dropped = await inTenant(app.db, tenantId, async (q) => {
        const event = await definitionOf(q, tenantId, said);
        if (!event) return 'event of an unknown device dropped';
        if (hasRoom) await insert(q, said, event.eventId ?? '0', now);
        // One that was reported over REST is stored before it comes here.
        else if (!(await isStored(q, said)))
          return (await countRefusedEvent(
            q,
            { tenantId, driverCode: event.driverCode ?? '' },
            { deviceId, now },
          ))
            ? 'an event was not stored: the disk is almost full; more are counted (system health)'
            : null;
        return null;
      });
      if (dropped !== null) app.log.warn({ tenantId, deviceId, recordId }, dropped);
    },
  );
  return { stop: () => subscription.cancel() };
}

/** Reports an event for a device; answers the record id. The event is stored before it is published. */
export const report: Operation<ReportEvent, string> = async (app, { tenantId }, given) => {
  if (given.eventId === undefined && given.eventCode === undefined)
    throw new Unprocessable('Name the event by eventId or eventCode');
  await demandDiskRoom(app);
  const now = app.clock.now();
  const said = await inTenant(app.db, tenantId, async (q): Promise<Report> => {
    const { recordId = randomUUID() } = given;
    // Looked up before the checks: a repeated report gets its answer even if its device has changed since.
    const earlier = await earlierReport(q, tenantId, recordId, given);
    if (earlier) return earlier;
    const event = await definitionOf(q, tenantId, given);
    if (!event) throw new NotFound('Device');
    const { eventId, eventCode, eventTypeFlag, eventLevelFlag } = event;
    if (eventId === null || eventCode === null) throw new NotFound('Event');
    const made: Report = {
      schemaVersion: 1,
      recordId,
      tenantId,
      deviceId: given.deviceId,
      eventCode,
      eventType: nameOf(EventType, eventTypeFlag ?? 0),
      eventLevel: nameOf(EventLevel, eventLevelFlag ?? 0),
      params: given.paramValues,
      message: given.message,
      occurTime: now,
    };
    if (await insert(q, made, eventId, now)) return made;
    // A concurrent request inserted the same record.
    return (await earlierReport(q, tenantId, recordId, given)) ?? made;
  });
  await app.bus
    .publish('svc.e.event', said, { key: tenantId, messageId: said.recordId })
    .catch((error: unknown) => {
      throw new Unavailable('Stored, but not given to the rules; repeat it by its recordId', error);
    });
  return said.recordId;
};

/** Undefined if there is no such device; its columns are null if the profile has no such event. */
async function definitionOf(
  q: Queries,
  tenantId: string,
  named: { deviceId: string; eventId?: string | undefined; eventCode?: string | undefined },
) {
  return q
    .selectFrom('svc_device as d')
    .leftJoin('svc_event as e', (join) => {
      let on = join.onRef('e.tenantId', '=', 'd.tenantId').onRef('e.profileId', '=', 'd.profileId');
      if (named.eventId !== undefined) on = on.on('e.id', '=', named.eventId);
      return named.eventCode === undefined ? on : on.on('e.eventCode', '=', named.eventCode);
    })
    .leftJoin('svc_driver as v', (join) =>
      join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.driverId'),
    )
    .select(['e.id as eventId', 'e.eventCode', 'e.eventTypeFlag', 'e.eventLevelFlag'])
    .select('v.driverCode')
    .where('d.tenantId', '=', tenantId)
    .where('d.id', '=', named.deviceId)
    .executeTakeFirst();
}

async function isStored(q: Queries, { tenantId, recordId }: Report): Promise<boolean> {
  const row = await q
    .selectFrom('svc_event_history')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('recordId', '=', recordId)
    .executeTakeFirst();
  return row !== undefined;
}

/** False if the record already exists. */
async function insert(
  q: Queries,
  said: Report & Partial<StoredReport>,
  eventId: string,
  now: number,
): Promise<boolean> {
  const row = await q
    .insertInto('svc_event_history')
    .values({
      recordId: said.recordId,
      tenantId: said.tenantId,
      deviceId: said.deviceId,
      eventId,
      eventCode: said.eventCode,
      eventTypeFlag: EventType[said.eventType],
      eventLevelFlag: EventLevel[said.eventLevel],
      paramValues: JSON.stringify(said.params),
      message: said.message,
      occurTime: new Date(said.occurTime),
      claimedTime: said.claimedTime ? new Date(said.claimedTime) : null,
      receiveTime: new Date(now),
      createTime: new Date(now),
      operateTime: new Date(now),
    })
    .onConflict((conflict) => conflict.columns(['tenantId', 'recordId']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * A report as stored: text without invalid characters, at most 64 parameters, and the time of reception
 * instead of a time too far in the future.
 */
export function storedReport(said: Report, now: number): StoredReport {
  const { at, claimed } = timesOf(said.occurTime, now);
  const params = Object.entries(said.params).slice(0, MAX_PARAMS);
  return {
    ...said,
    eventCode: storable(said.eventCode),
    message: storable(said.message),
    params: Object.fromEntries(
      params.map(([name, value]) => [
        storable(name.slice(0, 64)),
        storable(value.slice(0, MAX_PARAM)),
      ]),
    ),
    occurTime: at,
    claimedTime: claimed,
  };
}
