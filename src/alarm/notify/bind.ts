import { sql } from 'kysely';
import type { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId, knownExt, named, stored } from '../../kernel/entity/answer.ts';
import { addRow, changeRow, deleteRow } from '../../kernel/entity/change.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { findRow, hold, lockedRow, rowOf } from '../../kernel/entity/row.ts';
import { Conflict, Unprocessable } from '../../kernel/errors.ts';
import { EnableFlag, flag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, exact, input, shared } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { BindExt, NotifyExt, wantsEnd } from './policy-ext.ts';
import { endEntries, wake } from './wake.ts';

/** Maximum of channels per policy. */
export const MAX_BINDS = 50;

/** The bind of a channel to a notification policy. */
export const NotifyChannelBind = stored('NotifyChannelBind', {
  notifyId: AnswerId,
  channelId: AnswerId,
  bindExt: knownExt(BindExt),
  enableFlag: named(EnableFlag),
});
export type NotifyChannelBind = z.output<typeof NotifyChannelBind.schema>;
const answered = Object.keys(NotifyChannelBind.schema.shape);

export const AddBind = exact(
  {
    ...shared,
    notifyId: Id,
    channelId: Id,
    bindExt: BindExt.optional(),
  },
  answered,
);
type AddBind = z.infer<typeof AddBind>;

/** Policy and channel of a bind cannot change. */
export const UpdateBind = exact({ ...shared, id: Id, bindExt: BindExt.optional() }, answered);
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
export const add: Operation<AddBind, string> = (app, caller, given) => {
  const { tenantId } = caller;
  const { notifyId, channelId } = given;
  const bindExt = JSON.stringify(given.bindExt ?? {});
  const adding = inTenant(app.db, tenantId, async (q) => {
    await hold(q, 'svc_notify', tenantId, notifyId);
    await hold(q, 'svc_notify_channel', tenantId, channelId);
    const bound = await q
      .selectFrom('svc_notify_channel_bind')
      .select(sql<string>`count(*)`.as('count'))
      .where('tenantId', '=', tenantId)
      .where('notifyId', '=', notifyId)
      .executeTakeFirstOrThrow();
    if (Number(bound.count) >= MAX_BINDS)
      throw new Unprocessable(`A policy has at most ${MAX_BINDS} channels`);
    const bindId = await addRow(q, app, caller, 'svc_notify_channel_bind', { ...given, bindExt });
    await wake(q, tenantId, { bindId }, app.clock.now());
    return bindId;
  });
  return conflictIfTaken('bind', adding);
};

export const update: Operation<UpdateBind, void> = async (app, caller, given) => {
  const bindExt = given.bindExt && JSON.stringify(given.bindExt);
  const { tenantId } = caller;
  await inTenant(app.db, tenantId, async (q) => {
    await changeRow(q, app, caller, 'svc_notify_channel_bind', { ...given, bindExt });
    await wake(q, tenantId, { bindId: given.id }, app.clock.now());
  });
};

/** Throws Conflict while a step of escalation of the policy names the channel. */
async function demandUnescalated(
  q: Queries,
  tenantId: string,
  { notifyId, channelId }: { notifyId: string; channelId: string },
): Promise<void> {
  const step = JSON.stringify([{ channels: [channelId] }]);
  const naming = await q
    .selectFrom('svc_notify')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('id', '=', notifyId)
    .where(sql<boolean>`notify_ext #> '{content,escalation}' @> ${step}::jsonb`)
    .executeTakeFirst();
  if (naming) throw new Conflict('A step of escalation of the policy names this channel');
}

/** Refused while a step of escalation names the channel. */
export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    const bind = await lockedRow(q, 'svc_notify_channel_bind', tenantId, id);
    await demandUnescalated(q, tenantId, bind);
    await deleteRow(q, 'svc_notify_channel_bind', tenantId, id);
    const { notifyId, channelId, bindExt } = bind;
    await wake(q, tenantId, { channelId }, app.clock.now());
    const policy = await findRow(q, 'svc_notify', tenantId, notifyId);
    const of = NotifyExt.safeParse(policy?.notifyExt).data;
    const own = BindExt.safeParse(bindExt).data;
    // Later nothing knows that it does not want them: the policy may be deleted, too.
    if (own && of && !wantsEnd({ policy: of.content, bind: own.content }))
      await endEntries(q, tenantId, bind, app.clock.now());
  });

export const byId: Operation<ById, NotifyChannelBind> = (app, { tenantId }, { id }) =>
  inOneTrip(app.db, tenantId, async (q) =>
    NotifyChannelBind.of(await rowOf(q, 'svc_notify_channel_bind', tenantId, id)),
  );

export const page: Operation<BindQuery, Paged<NotifyChannelBind>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    const query = narrowed(
      q.selectFrom('svc_notify_channel_bind').selectAll().where('tenantId', '=', tenantId),
      given,
      { equal: ['notifyId', 'channelId', 'enableFlag'] },
    );
    return pageOf(query.orderBy('id', 'desc'), given.page, NotifyChannelBind.of);
  });
