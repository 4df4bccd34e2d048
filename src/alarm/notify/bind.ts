import { type Selectable, sql } from 'kysely';
import type { z } from 'zod';

import type { Operation } from '../../app.ts';
import { NotFound, Unprocessable } from '../../core/errors.ts';
import { EnableFlag, flag, nameOf } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, input, shared } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { pageOf } from '../../db/query-page.ts';
import type { NotifyChannelBindTable } from '../../db/schema/alarm.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { hold } from '../../entity/row.ts';
import { type Base, baseOf } from '../base-fields.ts';
import { BindExt } from './policy-ext.ts';

/** Maximum of channels per policy. */
export const MAX_BINDS = 50;

/** The bind of a channel to a notification policy. */
export type NotifyChannelBind = Base & {
  notifyId: string;
  channelId: string;
  bindExt: Record<string, unknown>;
  enableFlag: keyof typeof EnableFlag;
};

const bindOf = (row: Selectable<NotifyChannelBindTable>): NotifyChannelBind => ({
  ...baseOf(row),
  notifyId: row.notifyId,
  channelId: row.channelId,
  bindExt: row.bindExt,
  enableFlag: nameOf(EnableFlag, row.enableFlag),
});

export const AddBind = input({
  ...shared,
  notifyId: Id,
  channelId: Id,
  bindExt: BindExt.optional(),
});
type AddBind = z.infer<typeof AddBind>;

/** Policy and channel of a bind cannot change. */
export const UpdateBind = input({ ...shared, id: Id, bindExt: BindExt.optional() });
type UpdateBind = z.infer<typeof UpdateBind>;

export const BindQuery = input({
  page: Page,
  notifyId: Id.optional(),
  channelId: Id.optional(),
  enableFlag: flag(EnableFlag).optional(),
});
type BindQuery = z.infer<typeof BindQuery>;

/**
 * Throws NotFound for a missing policy or channel, Conflict for an existing bind, Unprocessable at 50
 * channels.
 */
export const add: Operation<AddBind, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, async (q) => {
    await hold(q, 'svc_notify', tenantId, given.notifyId);
    await hold(q, 'svc_notify_channel', tenantId, given.channelId);
    const bound = await q
      .selectFrom('svc_notify_channel_bind')
      .select(sql<string>`count(*)`.as('count'))
      .where('tenantId', '=', tenantId)
      .where('notifyId', '=', given.notifyId)
      .executeTakeFirstOrThrow();
    if (Number(bound.count) >= MAX_BINDS)
      throw new Unprocessable(`A policy has at most ${MAX_BINDS} channels`);
    return q
      .insertInto('svc_notify_channel_bind')
      .values({
        ...given,
        bindExt: JSON.stringify(given.bindExt ?? {}),
        tenantId,
        ...created(app, caller),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
  });
  return (await conflictIfTaken('bind', adding)).id;
};

export const update: Operation<UpdateBind, void> = async (app, caller, given) => {
  const { id, bindExt, ...change } = given;
  const { tenantId } = caller;
  const updated = await inTenant(app.db, tenantId, (q) =>
    q
      .updateTable('svc_notify_channel_bind')
      .set({
        ...change,
        ...(bindExt ? { bindExt: JSON.stringify(bindExt) } : {}),
        ...touched(app, caller),
      })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst(),
  );
  if (!updated) throw new NotFound('Bind');
};

export const remove: Operation<ById, void> = async (app, { tenantId }, { id }) => {
  const removed = await inTenant(app.db, tenantId, (q) =>
    q
      .deleteFrom('svc_notify_channel_bind')
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst(),
  );
  if (!removed) throw new NotFound('Bind');
};

export const byId: Operation<ById, NotifyChannelBind> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    const row = await q
      .selectFrom('svc_notify_channel_bind')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw new NotFound('Bind');
    return bindOf(row);
  });

export const page: Operation<BindQuery, Paged<NotifyChannelBind>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q
      .selectFrom('svc_notify_channel_bind')
      .selectAll()
      .where('tenantId', '=', tenantId);
    for (const name of ['notifyId', 'channelId'] as const) {
      const value = given[name];
      if (value !== undefined) query = query.where(name, '=', value);
    }
    if (given.enableFlag !== undefined) query = query.where('enableFlag', '=', given.enableFlag);
    return pageOf(query.orderBy('id', 'desc'), given.page, bindOf);
  });
