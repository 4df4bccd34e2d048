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
import type { MessageTemplateTable } from '../../db/schema/alarm.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { AlarmLevel } from '../alarm/alarm.ts';
import { type Base, baseOf } from '../base-fields.ts';
import { lockUnused } from './in-use.ts';
import { MessageExt } from './template-ext.ts';

/** A message template (table svc_message_template; svc_message holds the lines of conversations). */
export type Message = Base & {
  messageName: string;
  messageCode: string;
  messageLevel: keyof typeof AlarmLevel;
  messageExt: Record<string, unknown>;
  enableFlag: keyof typeof EnableFlag;
};

const messageOf = (row: Selectable<MessageTemplateTable>): Message => ({
  ...baseOf(row),
  messageName: row.messageName,
  messageCode: row.messageCode,
  messageLevel: nameOf(AlarmLevel, row.messageLevel),
  messageExt: row.messageExt,
  enableFlag: nameOf(EnableFlag, row.enableFlag),
});

const fields = {
  ...shared,
  messageLevel: flag(AlarmLevel).optional(),
  messageExt: MessageExt.optional(),
};

export const AddMessage = input({ ...fields, messageName: Name, messageCode: GivenCode });
type AddMessage = z.infer<typeof AddMessage>;

export const UpdateMessage = input({ ...fields, id: Id, messageName: Name.optional() });
type UpdateMessage = z.infer<typeof UpdateMessage>;

export const MessageQuery = input({
  page: Page,
  messageName: Text(64).optional(),
  messageCode: Text(64).optional(),
  messageLevel: flag(AlarmLevel).optional(),
  enableFlag: flag(EnableFlag).optional(),
});
type MessageQuery = z.infer<typeof MessageQuery>;

export const add: Operation<AddMessage, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, (q) =>
    q
      .insertInto('svc_message_template')
      .values({
        ...given,
        messageExt: JSON.stringify(given.messageExt ?? {}),
        tenantId,
        ...created(app, caller),
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  return (await conflictIfTaken('message', adding)).id;
};

/** Notifications that are already written keep their text. */
export const update: Operation<UpdateMessage, void> = async (app, caller, given) => {
  const { id, messageExt, ...change } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, (q) =>
    q
      .updateTable('svc_message_template')
      .set({
        ...change,
        ...(messageExt ? { messageExt: JSON.stringify(messageExt) } : {}),
        ...touched(app, caller),
      })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst(),
  );
  if (!(await conflictIfTaken('message', updating))) throw new NotFound('Message');
};

/** Refused while a rule uses the template. */
export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await lockUnused(q, 'svc_message_template', tenantId, id);
    await q
      .deleteFrom('svc_message_template')
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });

export const byId: Operation<ById, Message> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    const row = await q
      .selectFrom('svc_message_template')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw new NotFound('Message');
    return messageOf(row);
  });

export const page: Operation<MessageQuery, Paged<Message>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q.selectFrom('svc_message_template').selectAll().where('tenantId', '=', tenantId);
    if (given.messageName) query = query.where('messageName', 'ilike', contains(given.messageName));
    if (given.messageCode) query = query.where('messageCode', 'ilike', contains(given.messageCode));
    for (const name of ['messageLevel', 'enableFlag'] as const) {
      const value = given[name];
      if (value !== undefined) query = query.where(name, '=', value);
    }
    return pageOf(query.orderBy('id', 'desc'), given.page, messageOf);
  });
