import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import { pageOf } from '../../db/query-page.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerExt, AnswerId, named } from '../../kernel/entity/answer.ts';
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
import { profileOf } from './profile.ts';

const CommandType = { CUSTOM: 0, CONFIG: 1, ACTION: 2 } as const;
const CallType = { SYNC: 0, ASYNC: 1 } as const;

/** A command definition of a profile. */
export const Command = entity('Command', {
  commandName: z.string().meta({ examples: ['Restart burner'] }),
  commandCode: z.string().meta({ examples: ['restart-burner'] }),
  commandTypeFlag: named(CommandType),
  callTypeFlag: named(CallType),
  timeout: z
    .number()
    .int()
    .meta({ description: 'Seconds', examples: [30] }),
  commandExt: AnswerExt,
  profileId: AnswerId,
});
export type Command = z.output<typeof Command.schema>;

const fields = {
  ...shared,
  commandTypeFlag: flag(CommandType).optional(),
  callTypeFlag: flag(CallType).optional(),
  timeout: z.number().int().min(1).max(3600).optional(),
  commandExt: Ext.optional(),
};

export const AddCommand = input({
  ...fields,
  commandName: Name,
  commandCode: GivenCode,
  profileId: Id,
});
type AddCommand = z.infer<typeof AddCommand>;

export const UpdateCommand = input({
  ...fields,
  id: Id,
  version: Version,
  commandName: Name.optional(),
});
type UpdateCommand = z.infer<typeof UpdateCommand>;

export const CommandQuery = input({
  page: Page,
  commandName: Text(64).optional(),
  commandCode: Text(64).optional(),
  commandType: flag(CommandType).optional(),
  callType: flag(CallType).optional(),
  profileId: Id.optional(),
  deviceId: Id.optional(),
  enableFlag: flag(EnableFlag).optional(),
});
type CommandQuery = z.infer<typeof CommandQuery>;

export const OfCommand = input({ commandId: Id });
export type OfCommand = z.infer<typeof OfCommand>;

export const add: Operation<AddCommand, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, async (q) => {
    await hold(q, 'svc_profile', tenantId, given.profileId);
    const commandCode = given.commandCode ?? randomUUID();
    return addRow(q, app, caller, 'svc_command', { ...given, commandCode });
  });
  const id = await conflictIfTaken('command', adding);
  await tellDrivers(app, tenantId, { profileId: given.profileId });
  return id;
};

export const update: Operation<UpdateCommand, void> = async (app, caller, given) => {
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, (q) =>
    changeRow(q, app, caller, 'svc_command', given),
  );
  const { profileId } = await conflictIfTaken('command', updating);
  await tellDrivers(app, tenantId, { profileId });
};

/** Refused with Conflict while it has parameters or a device has a config for it. */
export const remove: Operation<ById, void> = async (app, { tenantId }, { id }) => {
  const { profileId } = await inTenant(app.db, tenantId, async (q) => {
    const command = await lockUnused(q, 'svc_command', tenantId, id);
    await unbind(q, tenantId, EntityType.COMMAND, id);
    await deleteRow(q, 'svc_command', tenantId, id);
    return command;
  });
  await tellDrivers(app, tenantId, { profileId });
};

export const byId: Operation<ById, Command> = byIdIn('svc_command', Command.of);

export const page: Operation<CommandQuery, Paged<Command>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    let query = narrowed(
      q.selectFrom('svc_command').selectAll().where('tenantId', '=', tenantId),
      { ...given, commandTypeFlag: given.commandType, callTypeFlag: given.callType },
      {
        like: ['commandName', 'commandCode'],
        equal: ['enableFlag', 'profileId', 'commandTypeFlag', 'callTypeFlag'],
      },
    );
    if (given.deviceId)
      query = query.where('profileId', 'in', profileOf(q, tenantId, given.deviceId));
    return pageOf(
      query.orderBy('createTime', 'desc').orderBy('id', 'desc'),
      given.page,
      Command.of,
    );
  });

/** The first 100 of a profile or device, as the list that existing clients expect. */
export const list: Operation<Omit<CommandQuery, 'page'>, Command[]> = async (app, caller, given) =>
  (await page(app, caller, { ...given, page: { current: 1, size: 100 } })).records;
