import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import { pageOf } from '../../db/query-page.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerExt, AnswerId, numbered } from '../../kernel/entity/answer.ts';
import { byIdIn } from '../../kernel/entity/by-id.ts';
import { addRow, changeRow, deleteRow, Version } from '../../kernel/entity/change.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { hold } from '../../kernel/entity/row.ts';
import { flag, EnableFlag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, Ext, GivenCode, input, shared } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { tellDrivers } from '../driver/driver-updates.ts';
import { entity } from '../entity/answer.ts';
import { EntityType, unbind } from '../entity/entity-type.ts';
import { lockUnused } from '../entity/in-use.ts';
import { EventLevel, EventType } from '../entity/value-type.ts';
import { profileOf } from './profile.ts';

/**
 * An event definition of a profile; its flags are numbers (docs/specification/objects.md, Enumerations of the
 * manager center).
 */
export const Event = entity('Event', {
  eventName: z.string().meta({ examples: ['Burner fault'] }),
  eventCode: z.string().meta({ examples: ['burner-fault'] }),
  eventTypeFlag: numbered(EventType),
  eventLevelFlag: numbered(EventLevel),
  eventExt: AnswerExt,
  profileId: AnswerId,
});
export type Event = z.output<typeof Event.schema>;

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

export const OfEvent = input({ eventId: Id });
export type OfEvent = z.infer<typeof OfEvent>;

export const add: Operation<AddEvent, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, async (q) => {
    await hold(q, 'svc_profile', tenantId, given.profileId);
    const eventCode = given.eventCode ?? randomUUID();
    return addRow(q, app, caller, 'svc_event', { ...given, eventCode });
  });
  const id = await conflictIfTaken('event', adding);
  await tellDrivers(app, tenantId, { profileId: given.profileId });
  return id;
};

export const update: Operation<UpdateEvent, void> = async (app, caller, given) => {
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, (q) => changeRow(q, app, caller, 'svc_event', given));
  const { profileId } = await conflictIfTaken('event', updating);
  await tellDrivers(app, tenantId, { profileId });
};

/** Refused with Conflict while it has parameters or a device has a config for it. */
export const remove: Operation<ById, void> = async (app, { tenantId }, { id }) => {
  const { profileId } = await inTenant(app.db, tenantId, async (q) => {
    const event = await lockUnused(q, 'svc_event', tenantId, id);
    await unbind(q, tenantId, EntityType.EVENT, id);
    await deleteRow(q, 'svc_event', tenantId, id);
    return event;
  });
  await tellDrivers(app, tenantId, { profileId });
};

export const byId: Operation<ById, Event> = byIdIn('svc_event', Event.of);

export const page: Operation<EventQuery, Paged<Event>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    let query = narrowed(
      q.selectFrom('svc_event').selectAll().where('tenantId', '=', tenantId),
      { ...given, eventTypeFlag: given.eventType, eventLevelFlag: given.eventLevel },
      {
        like: ['eventName', 'eventCode'],
        equal: ['enableFlag', 'profileId', 'eventTypeFlag', 'eventLevelFlag'],
      },
    );
    if (given.deviceId)
      query = query.where('profileId', 'in', profileOf(q, tenantId, given.deviceId));
    return pageOf(query.orderBy('createTime', 'desc').orderBy('id', 'desc'), given.page, Event.of);
  });

/** The first 100 of a profile or device, as the list that existing clients expect. */
export const list: Operation<Omit<EventQuery, 'page'>, Event[]> = async (app, caller, given) =>
  (await page(app, caller, { ...given, page: { current: 1, size: 100 } })).records;
