import { randomUUID } from 'node:crypto';

import type { Selectable } from 'kysely';
import type { z } from 'zod';

import type { Operation } from '../../app.ts';
import { NotFound } from '../../core/errors.ts';
import { flag, EnableFlag } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, Ext, GivenCode, input, shared } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Name, Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import type { EventTable } from '../../db/schema/manager.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { tellDrivers } from '../driver/driver-updates.ts';
import { type Entity, entityOf, expectVersion, nextVersion, Version } from '../entity.ts';
import { EntityType, unbind } from '../group/entity-type.ts';
import { lockUnused } from '../in-use.ts';
import { holdProfile } from './profile.ts';

export const EventType = { INFO: 0, ALERT: 1, FAULT: 2, LIFECYCLE: 3 } as const;
export const EventLevel = { LOW: 0, MEDIUM: 1, HIGH: 2, CRITICAL: 3 } as const;

/**
 * An event definition of a profile; its flags are numbers (docs/specification/objects.md, Enumerations of the
 * manager center).
 */
export type Event = Entity & {
  eventName: string;
  eventCode: string;
  eventTypeFlag: number;
  eventLevelFlag: number;
  eventExt: Record<string, unknown>;
  profileId: string;
};

const eventOf = (row: Selectable<EventTable>): Event => ({
  ...entityOf(row),
  eventName: row.eventName,
  eventCode: row.eventCode,
  eventTypeFlag: row.eventTypeFlag,
  eventLevelFlag: row.eventLevelFlag,
  eventExt: row.eventExt,
  profileId: row.profileId,
});

const fields = {
  ...shared,
  eventTypeFlag: flag(EventType).optional(),
  eventLevelFlag: flag(EventLevel).optional(),
  eventExt: Ext.optional(),
};

export const AddEvent = input({
  ...fields,
  eventName: Name,
  eventCode: GivenCode,
  profileId: Id,
});
type AddEvent = z.infer<typeof AddEvent>;

export const UpdateEvent = input({
  ...fields,
  id: Id,
  version: Version,
  eventName: Name.optional(),
});
type UpdateEvent = z.infer<typeof UpdateEvent>;

export const EventQuery = input({
  page: Page,
  eventName: Text(64).optional(),
  eventCode: Text(64).optional(),
  profileId: Id.optional(),
  deviceId: Id.optional(),
  eventType: flag(EventType).optional(),
  eventLevel: flag(EventLevel).optional(),
  enableFlag: flag(EnableFlag).optional(),
});
type EventQuery = z.infer<typeof EventQuery>;

/** Throws NotFound, also for another tenant's (docs/specification/tenant-isolation.md 2). */
async function requireEvent(q: Queries, tenantId: string, id: string): Promise<Event> {
  const row = await q
    .selectFrom('svc_event')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw new NotFound('Event');
  return eventOf(row);
}

export const add: Operation<AddEvent, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, async (q) => {
    await holdProfile(q, tenantId, given.profileId);
    return q
      .insertInto('svc_event')
      .values({
        ...given,
        eventCode: given.eventCode ?? randomUUID(),
        tenantId,
        ...created(app, caller),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
  });
  const { id } = await conflictIfTaken('event', adding);
  await tellDrivers(app, tenantId, { profileId: given.profileId });
  return id;
};

export const update: Operation<UpdateEvent, void> = async (app, caller, given) => {
  const { id, version, ...change } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    const before = await requireEvent(q, tenantId, id);
    expectVersion(version, before.version);
    await q
      .updateTable('svc_event')
      .set({ ...change, ...touched(app, caller), version: nextVersion })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    return before.profileId;
  });
  const profileId = await conflictIfTaken('event', updating);
  await tellDrivers(app, tenantId, { profileId });
};

/** Refused with Conflict while it has parameters or a device has a config for it. */
export const remove: Operation<ById, void> = async (app, { tenantId }, { id }) => {
  const profileId = await inTenant(app.db, tenantId, async (q) => {
    await lockUnused(q, 'svc_event', tenantId, id);
    await unbind(q, tenantId, EntityType.EVENT, id);
    const gone = await q
      .deleteFrom('svc_event')
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .returning('profileId')
      .executeTakeFirstOrThrow();
    return gone.profileId;
  });
  await tellDrivers(app, tenantId, { profileId });
};

export const byId: Operation<ById, Event> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, (q) => requireEvent(q, tenantId, id));

export const page: Operation<EventQuery, Paged<Event>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q.selectFrom('svc_event').selectAll().where('tenantId', '=', tenantId);
    if (given.eventName) query = query.where('eventName', 'ilike', contains(given.eventName));
    if (given.eventCode) query = query.where('eventCode', 'ilike', contains(given.eventCode));
    if (given.enableFlag !== undefined) query = query.where('enableFlag', '=', given.enableFlag);
    if (given.eventType !== undefined) query = query.where('eventTypeFlag', '=', given.eventType);
    if (given.eventLevel !== undefined)
      query = query.where('eventLevelFlag', '=', given.eventLevel);
    if (given.profileId) query = query.where('profileId', '=', given.profileId);
    if (given.deviceId)
      query = query.where('profileId', 'in', (eb) =>
        eb
          .selectFrom('svc_device')
          .select('profileId')
          .where('tenantId', '=', tenantId)
          .where('id', '=', given.deviceId ?? '0'),
      );
    return pageOf(query.orderBy('createTime', 'desc').orderBy('id', 'desc'), given.page, eventOf);
  });

/** The first 100 of a profile or device, as the list that existing clients expect. */
export const list: Operation<Omit<EventQuery, 'page'>, Event[]> = async (app, caller, given) =>
  (await page(app, caller, { ...given, page: { current: 1, size: 100 } })).records;
