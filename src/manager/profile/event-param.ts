import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { Unprocessable } from '../../core/errors.ts';
import { EnableFlag, flag } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, Ext, input, shared } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Code, Name, Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { AnswerExt, AnswerId, named } from '../../entity/answer.ts';
import { addRow, changeRow, deleteRow, Version } from '../../entity/change.ts';
import { narrowed } from '../../entity/narrowed.ts';
import { hold, lockedRow, rowOf } from '../../entity/row.ts';
import { entity } from '../entity.ts';
import type { OfEvent } from './event.ts';
import { ValueType } from './value-type.ts';

/** Parameters that one report may carry. */
const MAX_PARAMS = 64;

/** Parameter that a report of an event carries. */
export const EventParam = entity('EventParam', {
  paramName: z.string().meta({ examples: ['Burner temperature'] }),
  paramCode: z.string().meta({ examples: ['burner-temperature'] }),
  paramTypeFlag: named(ValueType),
  paramExt: AnswerExt,
  eventId: AnswerId,
});
export type EventParam = z.output<typeof EventParam.schema>;

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
  return rows.map(EventParam.of);
}

export const add: Operation<AddParam, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, async (q) => {
    await hold(q, 'svc_event', tenantId, given.eventId);
    if ((await paramsOf(q, tenantId, given.eventId)).length >= MAX_PARAMS)
      throw new Unprocessable(`An event has at most ${MAX_PARAMS} parameters`);
    return addRow(q, app, caller, 'svc_event_param', given);
  });
  return conflictIfTaken('param', adding);
};

export const update: Operation<UpdateParam, void> = async (app, caller, given) => {
  const updating = inTenant(app.db, caller.tenantId, (q) =>
    changeRow(q, app, caller, 'svc_event_param', given),
  );
  await conflictIfTaken('param', updating);
};

export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await lockedRow(q, 'svc_event_param', tenantId, id);
    await deleteRow(q, 'svc_event_param', tenantId, id);
  });

export const byId: Operation<ById, EventParam> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) =>
    EventParam.of(await rowOf(q, 'svc_event_param', tenantId, id)),
  );

/** Empty for an event that does not exist. */
export const byEvent: Operation<OfEvent, EventParam[]> = (app, { tenantId }, { eventId }) =>
  inTenant(app.db, tenantId, (q) => paramsOf(q, tenantId, eventId));

export const page: Operation<ParamQuery, Paged<EventParam>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    const query = narrowed(
      q.selectFrom('svc_event_param').selectAll().where('tenantId', '=', tenantId),
      given,
      { like: ['paramName', 'paramCode'], equal: ['paramTypeFlag', 'eventId', 'enableFlag'] },
    );
    return pageOf(query.orderBy('id', 'desc'), given.page, EventParam.of);
  });
