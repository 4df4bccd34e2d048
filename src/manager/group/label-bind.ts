import type { Selectable } from 'kysely';
import type { z } from 'zod';

import type { Operation } from '../../app.ts';
import { NotFound, Unprocessable } from '../../core/errors.ts';
import { flag, nameOf } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, input, shared } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import type { LabelBindTable } from '../../db/schema/manager.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { hold } from '../../entity/row.ts';
import { type Entity, entityOf, expectVersion, nextVersion, Version } from '../entity.ts';
import { EntityType, holdEntity } from './entity-type.ts';
import { requireLabel } from './label.ts';

/** Assignment of a label to an entity. */
export type LabelBind = Entity & {
  entityTypeFlag: keyof typeof EntityType;
  labelId: string;
  entityId: string;
};

const bindOf = (row: Selectable<LabelBindTable>): LabelBind => ({
  ...entityOf(row),
  entityTypeFlag: nameOf(EntityType, row.entityTypeFlag),
  labelId: row.labelId,
  entityId: row.entityId,
});

export const AddLabelBind = input({
  remark: shared.remark,
  entityTypeFlag: flag(EntityType),
  labelId: Id,
  entityId: Id,
});
type AddLabelBind = z.infer<typeof AddLabelBind>;

export const UpdateLabelBind = input({
  remark: shared.remark,
  id: Id,
  version: Version,
  labelId: Id.optional(),
});
type UpdateLabelBind = z.infer<typeof UpdateLabelBind>;

export const LabelBindQuery = input({
  page: Page,
  entityTypeFlag: flag(EntityType).optional(),
  labelId: Id.optional(),
  entityId: Id.optional(),
});
type LabelBindQuery = z.infer<typeof LabelBindQuery>;

async function require(q: Queries, tenantId: string, id: string): Promise<LabelBind> {
  const row = await q
    .selectFrom('svc_label_bind')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw new NotFound('Label bind');
  return bindOf(row);
}

async function checkLabel(q: Queries, tenantId: string, labelId: string, type: number) {
  await hold(q, 'svc_label', tenantId, labelId);
  const label = await requireLabel(q, tenantId, labelId);
  if (EntityType[label.entityTypeFlag] !== type)
    throw new Unprocessable(`The label is for entities of type ${label.entityTypeFlag}`);
}

export const add: Operation<AddLabelBind, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, async (q) => {
    await checkLabel(q, tenantId, given.labelId, given.entityTypeFlag);
    await holdEntity(q, tenantId, given);
    return q
      .insertInto('svc_label_bind')
      .values({ ...given, tenantId, ...created(app, caller) })
      .returning('id')
      .executeTakeFirstOrThrow();
  });
  return (await conflictIfTaken('label bind', adding)).id;
};

/** Replaces the label by another one of its kind. */
export const update: Operation<UpdateLabelBind, void> = async (app, caller, given) => {
  const { id, version, ...change } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    const before = await require(q, tenantId, id);
    expectVersion(version, before.version);
    const type = EntityType[before.entityTypeFlag];
    if (change.labelId) await checkLabel(q, tenantId, change.labelId, type);
    await q
      .updateTable('svc_label_bind')
      .set({ ...change, ...touched(app, caller), version: nextVersion })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });
  await conflictIfTaken('label bind', updating);
};

export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await require(q, tenantId, id);
    await q
      .deleteFrom('svc_label_bind')
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });

export const byId: Operation<ById, LabelBind> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, (q) => require(q, tenantId, id));

export const page: Operation<LabelBindQuery, Paged<LabelBind>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q.selectFrom('svc_label_bind').selectAll().where('tenantId', '=', tenantId);
    if (given.entityTypeFlag !== undefined)
      query = query.where('entityTypeFlag', '=', given.entityTypeFlag);
    if (given.labelId) query = query.where('labelId', '=', given.labelId);
    if (given.entityId) query = query.where('entityId', '=', given.entityId);
    return pageOf(query.orderBy('id', 'desc'), given.page, bindOf);
  });
