import type { Selectable } from 'kysely';
import { z } from 'zod';

import type { Operation } from '../../app.ts';
import type { AttributeType } from '../../bus/topics.ts';
import { NotFound, Unprocessable } from '../../core/errors.ts';
import { EnableFlag, flag, nameOf } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, Ext, input, shared } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Code, Name, Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import type { CommandParamTable } from '../../db/schema/manager.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { type Entity, entityOf, expectVersion, nextVersion, Version } from '../entity.ts';
import { hold } from '../in-use.ts';
import { canonical, ValueType } from './value-type.ts';

const ParamDirection = { INPUT: 0, OUTPUT: 1 } as const;
/** Parameters that one call may carry (bus/topics.ts). */
const MAX_PARAMS = 64;

/** Parameter that a command takes (INPUT) or answers (OUTPUT). */
export type CommandParam = Entity & {
  paramName: string;
  paramCode: string;
  paramDirectionFlag: keyof typeof ParamDirection;
  paramTypeFlag: AttributeType;
  requiredFlag: boolean;
  defaultValue: string;
  paramExt: Record<string, unknown>;
  commandId: string;
};

const paramOf = (row: Selectable<CommandParamTable>): CommandParam => ({
  ...entityOf(row),
  paramName: row.paramName,
  paramCode: row.paramCode,
  paramDirectionFlag: nameOf(ParamDirection, row.paramDirectionFlag),
  paramTypeFlag: nameOf(ValueType, row.paramTypeFlag),
  requiredFlag: row.requiredFlag === 1,
  defaultValue: row.defaultValue,
  paramExt: row.paramExt,
  commandId: row.commandId,
});

const fields = {
  ...shared,
  paramDirectionFlag: flag(ParamDirection).optional(),
  requiredFlag: z
    .union([z.boolean(), z.literal(0), z.literal(1)])
    .transform(Number)
    .optional(),
  defaultValue: Text(1024).optional(),
  paramExt: Ext.optional(),
};

export const AddParam = input({
  ...fields,
  paramName: Name,
  paramCode: Code,
  paramTypeFlag: flag(ValueType),
  commandId: Id,
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
  paramDirection: flag(ParamDirection).optional(),
  paramTypeFlag: flag(ValueType).optional(),
  commandId: Id.optional(),
  enableFlag: flag(EnableFlag).optional(),
});
type ParamQuery = z.infer<typeof ParamQuery>;

export const OfCommand = input({ commandId: Id });
type OfCommand = z.infer<typeof OfCommand>;

async function require(q: Queries, tenantId: string, id: string): Promise<CommandParam> {
  const row = await q
    .selectFrom('svc_command_param')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw new NotFound('Param');
  return paramOf(row);
}

/** All parameters of a command, in the order they were added. */
export async function paramsOf(
  q: Queries,
  tenantId: string,
  commandId: string,
): Promise<CommandParam[]> {
  const rows = await q
    .selectFrom('svc_command_param')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('commandId', '=', commandId)
    .orderBy('id')
    .limit(MAX_PARAMS)
    .execute();
  return rows.map(paramOf);
}

function checkDefault({ paramTypeFlag, paramCode, defaultValue }: CommandParam): void {
  if (defaultValue !== '' && canonical(paramTypeFlag, defaultValue) === null)
    throw new Unprocessable(`The default value of ${paramCode} must be a ${paramTypeFlag}`);
}

export const add: Operation<AddParam, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, async (q) => {
    await hold(q, 'svc_command', tenantId, given.commandId);
    if ((await paramsOf(q, tenantId, given.commandId)).length >= MAX_PARAMS)
      throw new Unprocessable(`A command has at most ${MAX_PARAMS} parameters`);
    const { id } = await q
      .insertInto('svc_command_param')
      .values({ ...given, tenantId, ...created(app, caller) })
      .returning('id')
      .executeTakeFirstOrThrow();
    checkDefault(await require(q, tenantId, id));
    return id;
  });
  return conflictIfTaken('param', adding);
};

export const update: Operation<UpdateParam, void> = async (app, caller, given) => {
  const { id, version, ...change } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    expectVersion(version, (await require(q, tenantId, id)).version);
    await q
      .updateTable('svc_command_param')
      .set({ ...change, ...touched(app, caller), version: nextVersion })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    checkDefault(await require(q, tenantId, id));
  });
  await conflictIfTaken('param', updating);
};

export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await require(q, tenantId, id);
    await q
      .deleteFrom('svc_command_param')
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });

export const byId: Operation<ById, CommandParam> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, (q) => require(q, tenantId, id));

/** Empty for a command that does not exist. */
export const byCommand: Operation<OfCommand, CommandParam[]> = (app, { tenantId }, { commandId }) =>
  inTenant(app.db, tenantId, (q) => paramsOf(q, tenantId, commandId));

export const page: Operation<ParamQuery, Paged<CommandParam>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q.selectFrom('svc_command_param').selectAll().where('tenantId', '=', tenantId);
    if (given.paramName) query = query.where('paramName', 'ilike', contains(given.paramName));
    if (given.paramCode) query = query.where('paramCode', 'ilike', contains(given.paramCode));
    if (given.paramDirection !== undefined)
      query = query.where('paramDirectionFlag', '=', given.paramDirection);
    if (given.paramTypeFlag !== undefined)
      query = query.where('paramTypeFlag', '=', given.paramTypeFlag);
    if (given.commandId) query = query.where('commandId', '=', given.commandId);
    if (given.enableFlag !== undefined) query = query.where('enableFlag', '=', given.enableFlag);
    return pageOf(query.orderBy('id', 'desc'), given.page, paramOf);
  });
