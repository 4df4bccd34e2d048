import { sql } from 'kysely';
import type { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { lockedRow } from '../../kernel/entity/row.ts';
import { Conflict } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { exact } from '../../kernel/input/input.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { DeletionState } from './deletion-run.ts';
import { addDeletion, carriedOut, Reason, type ValueDeletion } from './deletion.ts';
import { shareHolds } from './hold.ts';

export const UndoImport = exact({ id: Id.describe('Of the import'), reason: Reason });

/**
 * Deletes the values that an import stored, of all its points, and no others: as a deletion of a span, at once or in the
 * background. An import replaces no value, so none comes back. Throws NotFound, and Conflict where the undo runs, where
 * nothing is left to be undone, and where a hold covers a part of a span.
 */
export const undoImport: Operation<z.output<typeof UndoImport>, ValueDeletion> = async (
  app,
  caller,
  { id, reason },
) => {
  const { tenantId } = caller;
  const deletionId = await inTenant(app.db, tenantId, async (q) => {
    const { importName, fromTime, toTime } = await lockedRow(q, 'svc_value_import', tenantId, id);
    await shareHolds(q, tenantId);
    await demandUndoable(q, tenantId, id);
    const of = { deviceId: '0', pointId: '0', importId: id, fromTime, toTime };
    return addDeletion(q, app, caller, { ...of, reason, deletionName: `Import of ${importName}` });
  });
  return carriedOut(app, tenantId, deletionId);
};

async function demandUndoable(q: Queries, tenantId: string, id: string): Promise<void> {
  const series = sql`svc_value_import_series s where s.tenant_id = ${tenantId} and s.import_id = ${id}`;
  const { rows } = await sql<{ runs: boolean; left: boolean; hold: string | null }>`
    select exists (select from svc_value_deletion d where d.tenant_id = ${tenantId} and d.import_id = ${id}
        and d.state_flag = ${DeletionState.RUNNING}) as runs,
      exists (select from ${series}) as left,
      (select min(k.hold_name) from svc_retention_hold k where k.tenant_id = ${tenantId}
        and exists (select from ${series} and k.device_id in (0, s.device_id)
          and coalesce(k.from_time, '-infinity') <= s.to_time
          and coalesce(k.to_time, 'infinity') >= s.from_time)) as hold`.execute(q);
  const [found] = rows;
  if (found?.runs) throw new Conflict('The import is being undone');
  if (!found?.left) throw new Conflict('Nothing that the import stored is left to be undone');
  if (found.hold !== null)
    throw new Conflict(`The hold ${quoted(found.hold)} keeps values of this import`);
}
