import type { Selectable } from 'kysely';

import type { Schema } from '../../db/schema.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../app/app.ts';
import type { ById } from '../input/input.ts';
import { deleteRow } from './change.ts';
import type { NounTable } from './noun.ts';
import { lockedRow, rowOf } from './row.ts';

/** Answers a row of the tenant; NotFound (404) for every other. */
export const byIdIn =
  <T extends NounTable, A>(
    table: T,
    answer: (row: Selectable<Schema[T]>) => A,
  ): Operation<ById, A> =>
  (app, { tenantId }, { id }) =>
    inOneTrip(app.db, tenantId, async (q) => answer(await rowOf(q, table, tenantId, id)));

/** Deletes a row of the tenant that no other refers to; NotFound (404) for every other. */
export const removeIn =
  (table: NounTable): Operation<ById, void> =>
  (app, { tenantId }, { id }) =>
    inTenant(app.db, tenantId, async (q) => {
      await lockedRow(q, table, tenantId, id);
      await deleteRow(q, table, tenantId, id);
    });
