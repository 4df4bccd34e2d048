import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { named } from '../../kernel/entity/answer.ts';
import { byIdIn } from '../../kernel/entity/by-id.ts';
import { addRow, changeRow, deleteRow, Version } from '../../kernel/entity/change.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { EnableFlag, flag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, GivenCode, input, shared } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { entity } from '../entity/answer.ts';
import { EntityType } from '../entity/entity-type.ts';
import { lockUnused } from '../entity/in-use.ts';

/** A coloured tag for entities of one kind; an entity can carry any number. */
export const Label = entity('Label', {
  labelName: z.string().meta({ examples: ['Needs maintenance'] }),
  labelCode: z.string().meta({ examples: ['needs-maintenance'] }),
  labelColor: z.string().meta({ examples: ['#F4A261'] }),
  entityTypeFlag: named(EntityType),
});
export type Label = z.output<typeof Label.schema>;

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
  color: Text(9)
    .meta({ examples: ['#F4A261'] })
    .optional(),
  entityTypeFlag: flag(EntityType).optional(),
  enableFlag: flag(EnableFlag).optional(),
});
type LabelQuery = z.infer<typeof LabelQuery>;

/** The transaction of `add`. */
export const addIn = (q: Queries, app: App, caller: Caller, given: AddLabel): Promise<string> =>
  addRow(q, app, caller, 'svc_label', { ...given, labelCode: given.labelCode ?? randomUUID() });

export const add: Operation<AddLabel, string> = (app, caller, given) =>
  conflictIfTaken(
    'label',
    inTenant(app.db, caller.tenantId, (q) => addIn(q, app, caller, given)),
  );

export const update: Operation<UpdateLabel, void> = async (app, caller, given) => {
  const updating = inTenant(app.db, caller.tenantId, (q) =>
    changeRow(q, app, caller, 'svc_label', given),
  );
  await conflictIfTaken('label', updating);
};

/** Refused with Conflict while an entity carries it. */
export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await lockUnused(q, 'svc_label', tenantId, id);
    await deleteRow(q, 'svc_label', tenantId, id);
  });

export const byId: Operation<ById, Label> = byIdIn('svc_label', Label.of);

export const page: Operation<LabelQuery, Paged<Label>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    const query = narrowed(
      q.selectFrom('svc_label').selectAll().where('tenantId', '=', tenantId),
      { ...given, labelColor: given.color },
      { like: ['labelName', 'labelColor'], equal: ['entityTypeFlag', 'enableFlag'] },
    );
    return pageOf(query.orderBy('id', 'desc'), given.page, Label.of);
  });
