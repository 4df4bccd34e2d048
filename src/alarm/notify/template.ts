import { z } from 'zod';

import { pageOf } from '../../db/query-page.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { knownExt, named, stored } from '../../kernel/entity/answer.ts';
import { addRow, changeRow, deleteRow } from '../../kernel/entity/change.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { EnableFlag, flag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, exact, GivenCode, input, shared } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { AlarmLevel } from '../kind/alarm.ts';
import { lockUnused } from './in-use.ts';
import { MessageExt } from './template-ext.ts';

/** A message template (table svc_message_template; svc_message holds the lines of conversations). */
export const Message = stored('MessageTemplate', {
  messageName: z.string().meta({ examples: ['Boiler alarm'] }),
  messageCode: z.string().meta({ examples: ['boiler-alarm'] }),
  messageLevel: named(AlarmLevel),
  messageExt: knownExt(MessageExt),
  enableFlag: named(EnableFlag),
});
export type Message = z.output<typeof Message.schema>;
const answered = Object.keys(Message.schema.shape);

const fields = {
  ...shared,
  messageLevel: flag(AlarmLevel).optional(),
  messageExt: MessageExt.optional(),
};

export const AddMessage = exact({ ...fields, messageName: Name, messageCode: GivenCode }, answered);
type AddMessage = z.infer<typeof AddMessage>;

export const UpdateMessage = exact({ ...fields, id: Id, messageName: Name.optional() }, answered);
type UpdateMessage = z.infer<typeof UpdateMessage>;

export const MessageQuery = input({
  page: Page,
  messageName: Text(64).optional(),
  messageCode: Text(64).optional(),
  messageLevel: flag(AlarmLevel).optional(),
  enableFlag: flag(EnableFlag).optional(),
});
type MessageQuery = z.infer<typeof MessageQuery>;

export const add: Operation<AddMessage, string> = (app, caller, given) => {
  const messageExt = JSON.stringify(given.messageExt ?? {});
  const adding = inTenant(app.db, caller.tenantId, (q) =>
    addRow(q, app, caller, 'svc_message_template', { ...given, messageExt }),
  );
  return conflictIfTaken('message', adding);
};

/** Notifications that are already written keep their text. */
export const update: Operation<UpdateMessage, void> = async (app, caller, given) => {
  const messageExt = given.messageExt && JSON.stringify(given.messageExt);
  const updating = inTenant(app.db, caller.tenantId, (q) =>
    changeRow(q, app, caller, 'svc_message_template', { ...given, messageExt }),
  );
  await conflictIfTaken('message', updating);
};

/** Refused while a rule or a policy uses the template. */
export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await lockUnused(q, 'svc_message_template', tenantId, id);
    await deleteRow(q, 'svc_message_template', tenantId, id);
  });

export const byId: Operation<ById, Message> = (app, { tenantId }, { id }) =>
  inOneTrip(app.db, tenantId, async (q) =>
    Message.of(await rowOf(q, 'svc_message_template', tenantId, id)),
  );

export const page: Operation<MessageQuery, Paged<Message>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    const query = narrowed(
      q.selectFrom('svc_message_template').selectAll().where('tenantId', '=', tenantId),
      given,
      { like: ['messageName', 'messageCode'], equal: ['messageLevel', 'enableFlag'] },
    );
    return pageOf(query.orderBy('id', 'desc'), given.page, Message.of);
  });
