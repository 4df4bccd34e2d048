import { randomUUID } from 'node:crypto';

import type { Selectable } from 'kysely';
import type { z } from 'zod';

import type { Operation } from '../../app.ts';
import { NotFound } from '../../core/errors.ts';
import { EnableFlag, flag, nameOf } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, GivenCode, input, shared } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Name, Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import type { LabelTable } from '../../db/schema/manager.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { type Entity, entityOf, expectVersion, nextVersion, Version } from '../entity.ts';
import { lockUnused } from '../in-use.ts';
import { EntityType } from './entity-type.ts';

/** A coloured tag for entities of one kind; an entity can carry any number. */
export type Label = Entity & {
  labelName: string;
  labelCode: string;
  labelColor: string;
  entityTypeFlag: keyof typeof EntityType;
};

const labelOf = (row: Selectable<LabelTable>): Label => ({
  ...entityOf(row),
  labelName: row.labelName,
  labelCode: row.labelCode,
  labelColor: row.labelColor,
  entityTypeFlag: nameOf(EntityType, row.entityTypeFlag),
});

const fields = {
  ...shared,
  labelColor: Text(9)
    .regex(/^#[0-9A-Fa-f]{6}([0-9A-Fa-f]{2})?$/, 'must be a colour such as #F4F4F5')
    .optional(),
};

export const AddLabel = input({
  ...fields,
  labelName: Name,
  labelCode: GivenCode,
  entityTypeFlag: flag(EntityType),
});
type AddLabel = z.infer<typeof AddLabel>;

export const UpdateLabel = input({
  ...fields,
  id: Id,
  version: Version,
  labelName: Name.optional(),
});
type UpdateLabel = z.infer<typeof UpdateLabel>;

export const LabelQuery = input({
  page: Page,
  labelName: Text(64).optional(),
  color: Text(9).optional(),
  entityTypeFlag: flag(EntityType).optional(),
  enableFlag: flag(EnableFlag).optional(),
});
type LabelQuery = z.infer<typeof LabelQuery>;

export async function requireLabel(q: Queries, tenantId: string, id: string): Promise<Label> {
  const row = await q
    .selectFrom('svc_label')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw new NotFound('Label');
  return labelOf(row);
}

export const add: Operation<AddLabel, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const labelCode = given.labelCode ?? randomUUID();
  const adding = inTenant(app.db, tenantId, (q) =>
    q
      .insertInto('svc_label')
      .values({ ...given, labelCode, tenantId, ...created(app, caller) })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  return (await conflictIfTaken('label', adding)).id;
};

export const update: Operation<UpdateLabel, void> = async (app, caller, given) => {
  const { id, version, ...change } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    expectVersion(version, (await requireLabel(q, tenantId, id)).version);
    await q
      .updateTable('svc_label')
      .set({ ...change, ...touched(app, caller), version: nextVersion })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });
  await conflictIfTaken('label', updating);
};

/** Refused with Conflict while an entity carries it. */
export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await lockUnused(q, 'svc_label', tenantId, id);
    await q.deleteFrom('svc_label').where('tenantId', '=', tenantId).where('id', '=', id).execute();
  });

export const byId: Operation<ById, Label> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, (q) => requireLabel(q, tenantId, id));

export const page: Operation<LabelQuery, Paged<Label>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q.selectFrom('svc_label').selectAll().where('tenantId', '=', tenantId);
    if (given.labelName) query = query.where('labelName', 'ilike', contains(given.labelName));
    if (given.color) query = query.where('labelColor', 'ilike', contains(given.color));
    if (given.entityTypeFlag !== undefined)
      query = query.where('entityTypeFlag', '=', given.entityTypeFlag);
    if (given.enableFlag !== undefined) query = query.where('enableFlag', '=', given.enableFlag);
    return pageOf(query.orderBy('id', 'desc'), given.page, labelOf);
  });
