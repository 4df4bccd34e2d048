import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId, named, YesNo } from '../../kernel/entity/answer.ts';
import { removeIn } from '../../kernel/entity/by-id.ts';
import { addRow, changeRow } from '../../kernel/entity/change.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { hold, rowOf } from '../../kernel/entity/row.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { flag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, input } from '../../kernel/input/input.ts';
import type { Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';
import { entity } from '../entity/answer.ts';
import { canonical } from '../entity/value-type.ts';
import type { OfCommand } from './command.ts';
import * as param from './param.ts';

const ParamDirection = { INPUT: 0, OUTPUT: 1 } as const;

/** Parameter that a command takes (INPUT) or answers (OUTPUT). */
export const CommandParam = entity('CommandParam', {
  ...param.paramColumns,
  paramDirectionFlag: named(ParamDirection),
  requiredFlag: YesNo,
  defaultValue: z.string().meta({ examples: ['60'] }),
  commandId: AnswerId,
});
export type CommandParam = z.output<typeof CommandParam.schema>;

const fields = {
  paramDirectionFlag: flag(ParamDirection).optional(),
  requiredFlag: z
    .union([z.boolean(), z.literal(0), z.literal(1)])
    .transform(Number)
    .meta({ enum: [true, false, 1, 0] })
    .optional(),
  defaultValue: Text(1024).optional(),
};

export const AddParam = input({ ...param.added, ...fields, commandId: Id });
type AddParam = z.infer<typeof AddParam>;

export const UpdateParam = input({ ...param.changed, ...fields });
type UpdateParam = z.infer<typeof UpdateParam>;

export const ParamQuery = input({
  ...param.listed,
  paramDirection: flag(ParamDirection).optional(),
  commandId: Id.optional(),
});
type ParamQuery = z.infer<typeof ParamQuery>;

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
    .limit(param.MAX_PARAMS)
    .execute();
  return rows.map(CommandParam.of);
}

function checkDefault({ paramTypeFlag, paramCode, defaultValue }: CommandParam): void {
  if (defaultValue !== '' && canonical(paramTypeFlag, defaultValue) === null)
    throw new Unprocessable(`The default value of ${paramCode} must be a ${paramTypeFlag}`);
}

export const add: Operation<AddParam, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, async (q) => {
    await hold(q, 'svc_command', tenantId, given.commandId);
    if ((await paramsOf(q, tenantId, given.commandId)).length >= param.MAX_PARAMS)
      throw new Unprocessable(`A command has at most ${param.MAX_PARAMS} parameters`);
    const id = await addRow(q, app, caller, 'svc_command_param', given);
    checkDefault(await paramOf(q, tenantId, id));
    return id;
  });
  return conflictIfTaken('param', adding);
};

export const update: Operation<UpdateParam, void> = async (app, caller, given) => {
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    await changeRow(q, app, caller, 'svc_command_param', given);
    checkDefault(await paramOf(q, tenantId, given.id));
  });
  await conflictIfTaken('param', updating);
};

export const remove: Operation<ById, void> = removeIn('svc_command_param');

const paramOf = async (q: Queries, tenantId: string, id: string): Promise<CommandParam> =>
  CommandParam.of(await rowOf(q, 'svc_command_param', tenantId, id));

export const byId: Operation<ById, CommandParam> = (app, { tenantId }, { id }) =>
  inOneTrip(app.db, tenantId, (q) => paramOf(q, tenantId, id));

/** Empty for a command that does not exist. */
export const byCommand: Operation<OfCommand, CommandParam[]> = (app, { tenantId }, { commandId }) =>
  inOneTrip(app.db, tenantId, (q) => paramsOf(q, tenantId, commandId));

export const page: Operation<ParamQuery, Paged<CommandParam>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    const query = narrowed(
      q.selectFrom('svc_command_param').selectAll().where('tenantId', '=', tenantId),
      { ...given, paramDirectionFlag: given.paramDirection },
      {
        like: ['paramName', 'paramCode'],
        equal: ['paramDirectionFlag', 'paramTypeFlag', 'commandId', 'enableFlag'],
      },
    );
    return pageOf(query.orderBy('id', 'desc'), given.page, CommandParam.of);
  });
