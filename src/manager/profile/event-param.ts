import type { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId } from '../../kernel/entity/answer.ts';
import { byIdIn, removeIn } from '../../kernel/entity/by-id.ts';
import { addRow, changeRow } from '../../kernel/entity/change.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { hold } from '../../kernel/entity/row.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, input } from '../../kernel/input/input.ts';
import type { Paged } from '../../kernel/input/page.ts';
import { entity } from '../entity/answer.ts';
import type { OfEvent } from './event.ts';
import * as param from './param.ts';

/** Parameter that a report of an event carries. */
export const EventParam = entity('EventParam', { ...param.paramColumns, eventId: AnswerId });
export type EventParam = z.output<typeof EventParam.schema>;

export const AddParam = input({ ...param.added, eventId: Id });
type AddParam = z.infer<typeof AddParam>;

export const UpdateParam = input(param.changed);
type UpdateParam = z.infer<typeof UpdateParam>;

export const ParamQuery = input({ ...param.listed, eventId: Id.optional() });
type ParamQuery = z.infer<typeof ParamQuery>;

/** All parameters of an event, in the order they were added. */
async function paramsOf(q: Queries, tenantId: string, eventId: string): Promise<EventParam[]> {
  const rows = await q
    .selectFrom('svc_event_param')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('eventId', '=', eventId)
    .orderBy('id')
    .limit(param.MAX_PARAMS)
    .execute();
  return rows.map(EventParam.of);
}

export const add: Operation<AddParam, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, async (q) => {
    await hold(q, 'svc_event', tenantId, given.eventId);
    if ((await paramsOf(q, tenantId, given.eventId)).length >= param.MAX_PARAMS)
      throw new Unprocessable(`An event has at most ${param.MAX_PARAMS} parameters`);
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

export const remove: Operation<ById, void> = removeIn('svc_event_param');

export const byId: Operation<ById, EventParam> = byIdIn('svc_event_param', EventParam.of);

/** Empty for an event that does not exist. */
export const byEvent: Operation<OfEvent, EventParam[]> = (app, { tenantId }, { eventId }) =>
  inOneTrip(app.db, tenantId, (q) => paramsOf(q, tenantId, eventId));

export const page: Operation<ParamQuery, Paged<EventParam>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    const query = narrowed(
      q.selectFrom('svc_event_param').selectAll().where('tenantId', '=', tenantId),
      given,
      { like: ['paramName', 'paramCode'], equal: ['paramTypeFlag', 'eventId', 'enableFlag'] },
    );
    return pageOf(query.orderBy('id', 'desc'), given.page, EventParam.of);
  });
