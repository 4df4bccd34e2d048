import type { Selectable } from 'kysely';
import type { z } from 'zod';

import type { Operation } from '../../app.ts';
import type { AttributeType } from '../../bus/topics.ts';
import { NotFound, Unprocessable } from '../../core/errors.ts';
import { EnableFlag, flag, nameOf } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, Ext, input, shared } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Code, Name, Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import type { EventParamTable } from '../../db/schema/manager.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { type Entity, entityOf, expectVersion, nextVersion, Version } from '../entity.ts';
import { hold } from '../in-use.ts';
import { ValueType } from './value-type.ts';

/** Parameters that one report may carry. */
const MAX_PARAMS = 64;

/** Parameter that a report of an event carries. */
export type EventParam = Entity & {
  paramName: string;
  paramCode: string;
  paramTypeFlag: AttributeType;
  paramExt: Record<string, unknown>;
  eventId: string;
};

const paramOf = (row: Selectable<EventParamTable>): EventParam => ({
  ...entityOf(row),
  paramName: row.paramName,
  paramCode: row.paramCode,
  paramTypeFlag: nameOf(ValueType, row.paramTypeFlag),
  paramExt: row.paramExt,
  eventId: row.eventId,
});

const fields = {
  ...shared,
  paramExt: Ext.optional(),
};

export const AddParam = input({
  ...fields,
  paramName: Name,
  paramCode: Code,
  paramTypeFlag: flag(ValueType),
  eventId: Id,
});
type AddParam = z.infer<typeof AddParam>;

export const UpdateParam = input({
  ...fields,
  id: Id,
  version: Version,
  paramName: Name.optional(),
  paramCode: Code.optional(),
  paramTypeFlag: flag(ValueType).optional(),
});
type UpdateParam = z.infer<typeof UpdateParam>;

export const ParamQuery = input({
  page: Page,
  paramName: Text(64).optional(),
  paramCode: Text(64).optional(),
  paramTypeFlag: flag(ValueType).optional(),
  eventId: Id.optional(),
  enableFlag: flag(EnableFlag).optional(),
});
type ParamQuery = z.infer<typeof ParamQuery>;

export const OfEvent = input({ eventId: Id });
type OfEvent = z.infer<typeof OfEvent>;

async function require(q: Queries, tenantId: string, id: string): Promise<EventParam> {
  const row = await q
    .selectFrom('svc_event_param')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw new NotFound('Param');
  return paramOf(row);
}

/** All parameters of an event, in the order they were added. */
async function paramsOf(q: Queries, tenantId: string, eventId: string): Promise<EventParam[]> {
  const rows = await q
    .selectFrom('svc_event_param')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('eventId', '=', eventId)
    .orderBy('id')
    .limit(MAX_PARAMS)
    .execute();
  return rows.map(paramOf);
}

export const add: Operation<AddParam, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, async (q) => {
    await hold(q, 'svc_event', tenantId, given.eventId);
    if ((await paramsOf(q, tenantId, given.eventId)).length >= MAX_PARAMS)
      throw new Unprocessable(`An event has at most ${MAX_PARAMS} parameters`);
    const { id } = await q
      .insertInto('svc_event_param')
      .values({ ...given, tenantId, ...created(app, caller) })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  });
  return conflictIfTaken('param', adding);
};

export const update: Operation<UpdateParam, void> = async (app, caller, given) => {
  const { id, version, ...change } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    expectVersion(version, (await require(q, tenantId, id)).version);
    await q
      .updateTable('svc_event_param')
      .set({ ...change, ...touched(app, caller), version: nextVersion })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });
  await conflictIfTaken('param', updating);
};

export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await require(q, tenantId, id);
    await q
      .deleteFrom('svc_event_param')
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });

export const byId: Operation<ById, EventParam> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, (q) => require(q, tenantId, id));

/** Empty for an event that does not exist. */
export const byEvent: Operation<OfEvent, EventParam[]> = (app, { tenantId }, { eventId }) =>
  inTenant(app.db, tenantId, (q) => paramsOf(q, tenantId, eventId));

export const page: Operation<ParamQuery, Paged<EventParam>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q.selectFrom('svc_event_param').selectAll().where('tenantId', '=', tenantId);
    if (given.paramName) query = query.where('paramName', 'ilike', contains(given.paramName));
    if (given.paramCode) query = query.where('paramCode', 'ilike', contains(given.paramCode));
    if (given.paramTypeFlag !== undefined)
      query = query.where('paramTypeFlag', '=', given.paramTypeFlag);
    if (given.eventId) query = query.where('eventId', '=', given.eventId);
    if (given.enableFlag !== undefined) query = query.where('enableFlag', '=', given.enableFlag);
    return pageOf(query.orderBy('id', 'desc'), given.page, paramOf);
  });
