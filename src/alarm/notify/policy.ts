import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId, Int8, knownExt, named, stored } from '../../kernel/entity/answer.ts';
import { addRow, changeRow, deleteRow } from '../../kernel/entity/change.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { hold, rowOf } from '../../kernel/entity/row.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { EnableFlag, flag } from '../../kernel/input/flag.ts';
import { Id, IdOrZero } from '../../kernel/input/id.ts';
import { type ById, exact, GivenCode, input, shared } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { lockUnused } from './in-use.ts';
import { Interval, MAX_POLICIES, NotifyExt } from './policy-ext.ts';
import { takeTemplate, wake } from './wake.ts';

/** AutoConfirmFlagEnum: AUTO confirms an alarm when it recovers. */
export const AutoConfirm = { AUTO: 0, MANUAL: 1 } as const;

/** A notification policy: when and how often its channels are notified of an alarm. */
export const Notify = stored('NotifyPolicy', {
  notifyName: z.string().meta({ examples: ['Night shift'] }),
  notifyCode: z.string().meta({ examples: ['night-shift'] }),
  autoConfirmFlag: named(AutoConfirm),
  notifyInterval: Int8.meta({
    description:
      'Minimum of milliseconds between two FIRED notifications of one rule state; 0: no limit',
    examples: [900_000],
  }),
  messageId: AnswerId.describe('The message template of alarms without a rule; 0: none'),
  notifyExt: knownExt(NotifyExt),
  enableFlag: named(EnableFlag),
});
export type Notify = z.output<typeof Notify.schema>;
const answered = Object.keys(Notify.schema.shape);

const fields = {
  ...shared,
  autoConfirmFlag: flag(AutoConfirm).optional(),
  notifyInterval: Interval.optional(),
  messageId: IdOrZero.optional(),
  notifyExt: NotifyExt.optional(),
};

export const AddNotify = exact({ ...fields, notifyName: Name, notifyCode: GivenCode }, answered);
type AddNotify = z.infer<typeof AddNotify>;

export const UpdateNotify = exact({ ...fields, id: Id, notifyName: Name.optional() }, answered);
type UpdateNotify = z.infer<typeof UpdateNotify>;

export const NotifyQuery = input({
  page: Page,
  notifyName: Text(64).optional(),
  notifyCode: Text(64).optional(),
  autoConfirmFlag: flag(AutoConfirm).optional(),
  notifyInterval: Interval.optional(),
  enableFlag: flag(EnableFlag).optional(),
});
type NotifyQuery = z.infer<typeof NotifyQuery>;

/** Throws Unprocessable for a step of escalation whose channel is not bound to the policy. */
async function demandBound(
  q: Queries,
  tenantId: string,
  notifyId: string,
  { content }: z.output<typeof NotifyExt>,
): Promise<void> {
  const ids = [...new Set((content.escalation ?? []).flatMap(({ channels }) => channels))];
  if (ids.length === 0) return;
  const binds = await q
    .selectFrom('svc_notify_channel_bind')
    .select('channelId')
    .where('tenantId', '=', tenantId)
    .where('notifyId', '=', notifyId)
    .where('channelId', 'in', ids)
    // None of them is removed before this change is committed.
    .forShare()
    .execute();
  const missing = ids.find((id) => !binds.some(({ channelId }) => channelId === id));
  if (missing !== undefined)
    throw new Unprocessable(
      `A step of escalation names channel ${missing}, which is not bound to the policy`,
    );
}

/** Until the end of the transaction no other change of the tenant counts which policies take a type of alarm. */
const lockTypes = (q: Queries, tenantId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`policy types ${tenantId}`}::text, 0))`.execute(
    q,
  );

/** The types of alarms that an enabled policy takes. */
async function typesOf(q: Queries, tenantId: string, id: string): Promise<string[]> {
  const { enableFlag, notifyExt } = await rowOf(q, 'svc_notify', tenantId, id);
  const isOn = enableFlag === EnableFlag.ENABLE;
  return isOn ? (NotifyExt.safeParse(notifyExt).data?.content.alarmTypes ?? []) : [];
}

/** Throws Unprocessable where more enabled policies than are looked at take one of these types of alarms. */
async function demandRoom(q: Queries, tenantId: string, types: readonly string[]): Promise<void> {
  if (types.length === 0) return;
  const { rows } = await sql<{ type: string }>`
    select t.type from svc_notify n
    cross join lateral jsonb_array_elements_text(n.notify_ext #> '{content,alarmTypes}') t (type)
    where n.tenant_id = ${tenantId} and n.enable_flag = ${EnableFlag.ENABLE} and t.type = any(${types}::text[])
    group by t.type having count(distinct n.id) > ${MAX_POLICIES}
    order by t.type limit 1`.execute(q);
  const [full] = rows;
  if (full)
    throw new Unprocessable(
      `At most ${MAX_POLICIES} enabled policies take alarms of the type ${full.type}; disable one first, or let one name more channels`,
    );
}

/** Throws NotFound for a template that the tenant does not have. */
async function holdTemplate(q: Queries, tenantId: string, messageId = '0'): Promise<void> {
  if (messageId !== '0') await hold(q, 'svc_message_template', tenantId, messageId);
}

export const add: Operation<AddNotify, string> = (app, caller, given) => {
  const notifyExt = JSON.stringify(given.notifyExt ?? {});
  const adding = inTenant(app.db, caller.tenantId, async (q) => {
    await holdTemplate(q, caller.tenantId, given.messageId);
    const id = await addRow(q, app, caller, 'svc_notify', { ...given, notifyExt });
    if (given.notifyExt) {
      await demandBound(q, caller.tenantId, id, given.notifyExt);
      await lockTypes(q, caller.tenantId);
      await demandRoom(q, caller.tenantId, await typesOf(q, caller.tenantId, id));
    }
    return id;
  });
  return conflictIfTaken('notify', adding);
};

export const update: Operation<UpdateNotify, void> = async (app, caller, given) => {
  const notifyExt = given.notifyExt && JSON.stringify(given.notifyExt);
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    await holdTemplate(q, tenantId, given.messageId);
    if (given.notifyExt) await demandBound(q, tenantId, given.id, given.notifyExt);
    const mayTake = given.notifyExt !== undefined || given.enableFlag === EnableFlag.ENABLE;
    if (mayTake) await lockTypes(q, tenantId);
    const before = mayTake ? await typesOf(q, tenantId, given.id) : [];
    await changeRow(q, app, caller, 'svc_notify', { ...given, notifyExt });
    if (mayTake) {
      const types = await typesOf(q, tenantId, given.id);
      await demandRoom(
        q,
        tenantId,
        types.filter((type) => !before.includes(type)),
      );
    }
    const { messageId } = given;
    if (messageId !== undefined) await takeTemplate(q, tenantId, { notifyId: given.id, messageId });
    await wake(q, tenantId, { notifyId: given.id }, app.clock.now());
  });
  await conflictIfTaken('notify', updating);
};

/** Refused while a rule uses the policy or a channel is bound to it; the notification history stays. */
export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await lockUnused(q, 'svc_notify', tenantId, id);
    await deleteRow(q, 'svc_notify', tenantId, id);
  });

export const byId: Operation<ById, Notify> = (app, { tenantId }, { id }) =>
  inOneTrip(app.db, tenantId, async (q) => Notify.of(await rowOf(q, 'svc_notify', tenantId, id)));

export const page: Operation<NotifyQuery, Paged<Notify>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    const query = narrowed(
      q.selectFrom('svc_notify').selectAll().where('tenantId', '=', tenantId),
      given,
      {
        like: ['notifyName', 'notifyCode'],
        equal: ['notifyInterval', 'autoConfirmFlag', 'enableFlag'],
      },
    );
    return pageOf(query.orderBy('id', 'desc'), given.page, Notify.of);
  });
