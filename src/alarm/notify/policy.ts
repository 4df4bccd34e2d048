import type { Selectable } from 'kysely';
import type { z } from 'zod';

import type { Operation } from '../../app.ts';
import { NotFound } from '../../core/errors.ts';
import { EnableFlag, flag, nameOf } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, GivenCode, input, shared } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Name, Text } from '../../core/input/text.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import type { NotifyTable } from '../../db/schema/alarm.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { type Base, baseOf } from '../base-fields.ts';
import { lockUnused } from './in-use.ts';
import { Interval, NotifyExt } from './policy-ext.ts';

/** AutoConfirmFlagEnum: AUTO confirms an alarm when it recovers. */
export const AutoConfirm = { AUTO: 0, MANUAL: 1 } as const;

/** A notification policy: when and how often its channels are notified of an alarm. */
export type Notify = Base & {
  notifyName: string;
  notifyCode: string;
  autoConfirmFlag: keyof typeof AutoConfirm;
  /** Minimum of milliseconds between two FIRED notifications of one rule state; 0 = no limit. */
  notifyInterval: number;
  notifyExt: Record<string, unknown>;
  enableFlag: keyof typeof EnableFlag;
};

const notifyOf = (row: Selectable<NotifyTable>): Notify => ({
  ...baseOf(row),
  notifyName: row.notifyName,
  notifyCode: row.notifyCode,
  autoConfirmFlag: nameOf(AutoConfirm, row.autoConfirmFlag),
  notifyInterval: Number(row.notifyInterval),
  notifyExt: row.notifyExt,
  enableFlag: nameOf(EnableFlag, row.enableFlag),
});

const fields = {
  ...shared,
  autoConfirmFlag: flag(AutoConfirm).optional(),
  notifyInterval: Interval.optional(),
  notifyExt: NotifyExt.optional(),
};

export const AddNotify = input({ ...fields, notifyName: Name, notifyCode: GivenCode });
type AddNotify = z.infer<typeof AddNotify>;

export const UpdateNotify = input({ ...fields, id: Id, notifyName: Name.optional() });
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

export const add: Operation<AddNotify, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, (q) =>
    q
      .insertInto('svc_notify')
      .values({
        ...given,
        notifyExt: JSON.stringify(given.notifyExt ?? {}),
        tenantId,
        ...created(app, caller),
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  return (await conflictIfTaken('notify', adding)).id;
};

export const update: Operation<UpdateNotify, void> = async (app, caller, given) => {
  const { id, notifyExt, ...change } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, (q) =>
    q
      .updateTable('svc_notify')
      .set({
        ...change,
        ...(notifyExt ? { notifyExt: JSON.stringify(notifyExt) } : {}),
        ...touched(app, caller),
      })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst(),
  );
  if (!(await conflictIfTaken('notify', updating))) throw new NotFound('Notify');
};

/** Refused while a rule uses the policy or a channel is bound to it; the notification history stays. */
export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await lockUnused(q, 'svc_notify', tenantId, id);
    await q
      .deleteFrom('svc_notify')
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });

export const byId: Operation<ById, Notify> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    const row = await q
      .selectFrom('svc_notify')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw new NotFound('Notify');
    return notifyOf(row);
  });

export const page: Operation<NotifyQuery, Paged<Notify>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q.selectFrom('svc_notify').selectAll().where('tenantId', '=', tenantId);
    if (given.notifyName) query = query.where('notifyName', 'ilike', contains(given.notifyName));
    if (given.notifyCode) query = query.where('notifyCode', 'ilike', contains(given.notifyCode));
    if (given.notifyInterval !== undefined)
      query = query.where('notifyInterval', '=', String(given.notifyInterval));
    for (const name of ['autoConfirmFlag', 'enableFlag'] as const) {
      const value = given[name];
      if (value !== undefined) query = query.where(name, '=', value);
    }
    return pageOf(query.orderBy('id', 'desc'), given.page, notifyOf);
  });
