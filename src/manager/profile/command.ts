import { randomUUID } from 'node:crypto';

import type { Selectable } from 'kysely';
import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { NotFound } from '../../core/errors.ts';
import { flag, nameOf, EnableFlag } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, Ext, GivenCode, input, shared } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Name, Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import type { CommandTable } from '../../db/schema/manager.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { tellDrivers } from '../driver/driver-updates.ts';
import { type Entity, entityOf, expectVersion, nextVersion, Version } from '../entity.ts';
import { EntityType, unbind } from '../group/entity-type.ts';
import { lockUnused } from '../in-use.ts';
import { holdProfile } from './profile.ts';

const CommandType = { CUSTOM: 0, CONFIG: 1, ACTION: 2 } as const;
const CallType = { SYNC: 0, ASYNC: 1 } as const;

/** A command definition of a profile; `timeout` in seconds. */
export type Command = Entity & {
  commandName: string;
  commandCode: string;
  commandTypeFlag: keyof typeof CommandType;
  callTypeFlag: keyof typeof CallType;
  timeout: number;
  commandExt: Record<string, unknown>;
  profileId: string;
};

const commandOf = (row: Selectable<CommandTable>): Command => ({
  ...entityOf(row),
  commandName: row.commandName,
  commandCode: row.commandCode,
  commandTypeFlag: nameOf(CommandType, row.commandTypeFlag),
  callTypeFlag: nameOf(CallType, row.callTypeFlag),
  timeout: row.timeout,
  commandExt: row.commandExt,
  profileId: row.profileId,
});

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

/** Throws NotFound, also for another tenant's (docs/specification/tenant-isolation.md 2). */
export async function requireCommand(q: Queries, tenantId: string, id: string): Promise<Command> {
  const row = await q
    .selectFrom('svc_command')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw new NotFound('Command');
  return commandOf(row);
}

export const add: Operation<AddCommand, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, async (q) => {
    await holdProfile(q, tenantId, given.profileId);
    return q
      .insertInto('svc_command')
      .values({
        ...given,
        commandCode: given.commandCode ?? randomUUID(),
        tenantId,
        ...created(app, caller),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
  });
  const { id } = await conflictIfTaken('command', adding);
  await tellDrivers(app, tenantId, { profileId: given.profileId });
  return id;
};

export const update: Operation<UpdateCommand, void> = async (app, caller, given) => {
  const { id, version, ...change } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    const before = await requireCommand(q, tenantId, id);
    expectVersion(version, before.version);
    await q
      .updateTable('svc_command')
      .set({ ...change, ...touched(app, caller), version: nextVersion })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    return before.profileId;
  });
  const profileId = await conflictIfTaken('command', updating);
  await tellDrivers(app, tenantId, { profileId });
};

/** Refused with Conflict while it has parameters or a device has a config for it. */
export const remove: Operation<ById, void> = async (app, { tenantId }, { id }) => {
  const profileId = await inTenant(app.db, tenantId, async (q) => {
    await lockUnused(q, 'svc_command', tenantId, id);
    await unbind(q, tenantId, EntityType.COMMAND, id);
    const gone = await q
      .deleteFrom('svc_command')
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .returning('profileId')
      .executeTakeFirstOrThrow();
    return gone.profileId;
  });
  await tellDrivers(app, tenantId, { profileId });
};

export const byId: Operation<ById, Command> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, (q) => requireCommand(q, tenantId, id));

export const page: Operation<CommandQuery, Paged<Command>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q.selectFrom('svc_command').selectAll().where('tenantId', '=', tenantId);
    if (given.commandName) query = query.where('commandName', 'ilike', contains(given.commandName));
    if (given.commandCode) query = query.where('commandCode', 'ilike', contains(given.commandCode));
    if (given.enableFlag !== undefined) query = query.where('enableFlag', '=', given.enableFlag);
    if (given.commandType !== undefined)
      query = query.where('commandTypeFlag', '=', given.commandType);
    if (given.callType !== undefined) query = query.where('callTypeFlag', '=', given.callType);
    if (given.profileId) query = query.where('profileId', '=', given.profileId);
    if (given.deviceId)
      query = query.where('profileId', 'in', (eb) =>
        eb
          .selectFrom('svc_device')
          .select('profileId')
          .where('tenantId', '=', tenantId)
          .where('id', '=', given.deviceId ?? '0'),
      );
    return pageOf(query.orderBy('createTime', 'desc').orderBy('id', 'desc'), given.page, commandOf);
  });

/** The first 100 of a profile or device, as the list that existing clients expect. */
export const list: Operation<Omit<CommandQuery, 'page'>, Command[]> = async (app, caller, given) =>
  (await page(app, caller, { ...given, page: { current: 1, size: 100 } })).records;
