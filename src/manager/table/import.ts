import { randomUUID } from 'node:crypto';

import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { formatCsv } from '../../kernel/input/csv.ts';
import { Uuid } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { end } from './import-end.ts';
import { keepSlices } from './import-slices.ts';
import { makeMissing, missingOf } from './missing.ts';
import { demandTable, type GivenTable, readTable } from './preview.ts';
import { MAX_ROWS } from './rows.ts';
import { DeviceImport, importOf, importsOf, Refused, refusedOf } from './stored-import.ts';

/** Imports of a tenant that are kept, and refused rows that an answer has. */
const MAX_KEPT = 20;
const MAX_REFUSED = 100;

export const OfImport = input({ importId: Uuid });
type OfImport = z.infer<typeof OfImport>;

export const ImportWithRefused = DeviceImport.extend({
  refusals: z.array(Refused).describe('The first 100; the report has all'),
}).meta({ id: 'DeviceImportWithRefusals' });
type ImportWithRefused = z.output<typeof ImportWithRefused>;

/**
 * Keeps a table and answers the id of its import, which runs in the background and survives a restart. Throws like
 * `preview`, and Conflict while another import of the tenant runs.
 */
export const run: Operation<GivenTable, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const { rows } = await readTable(app, caller, given);
  const importId = randomUUID();
  const keeping = inTenant(app.db, tenantId, async (q) => {
    if (given.missing === 'make')
      await makeMissing(q, app, caller, await missingOf(q, tenantId, rows));
    await dropOld(q, tenantId);
    await q
      .insertInto('svc_device_import')
      .values({
        tenantId,
        importId,
        driverId: given.driverId,
        profileId: given.profileId,
        total: rows.length,
        creatorId: caller.principalId,
        creatorName: caller.name,
        createTime: new Date(app.clock.now()),
      })
      .execute();
    await keepSlices(q, app, { tenantId, importId }, rows);
  });
  await conflictIfTaken('import', keeping, 'Another import of devices is running');
  return importId;
};

/** Leaves room for one more. */
async function dropOld(q: Queries, tenantId: string): Promise<void> {
  const old = importsOf(q, tenantId)
    .clearSelect()
    .select('importId')
    .where('status', '<>', 'RUNNING')
    .offset(MAX_KEPT - 1);
  for (const table of ['svc_device_import_refusal', 'svc_device_import'] as const)
    await sql`
      delete from ${sql.table(table)}
      where tenant_id = ${tenantId} and import_id in (${old})`.execute(q);
}

const found = (q: Queries, tenantId: string, { importId }: OfImport) =>
  importsOf(q, tenantId).where('importId', '=', importId).executeTakeFirst();

/** Throws NotFound. */
export const byId: Operation<OfImport, ImportWithRefused> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const [row, refusals] = await Promise.all([
      found(q, tenantId, given),
      refusedOf(q, tenantId, given.importId, MAX_REFUSED),
    ]);
    return { ...importOf(row), refusals };
  });

/** The newest 20. */
export const list: Operation<object, DeviceImport[]> = (app, { tenantId }) =>
  inOneTrip(app.db, tenantId, async (q) =>
    (await importsOf(q, tenantId).limit(MAX_KEPT).execute()).map(importOf),
  );

/** Leaves the rows that are not handled yet; of an import that has ended, changes nothing. Throws NotFound. */
export const cancel: Operation<OfImport, void> = async (app, caller, given) => {
  const { tenantId } = caller;
  demandTable(caller);
  const row = await inOneTrip(app.db, tenantId, (q) => found(q, tenantId, given));
  await end(app, { tenantId, ...importOf(row) }, { status: 'CANCELLED' });
};

/** All refused rows (CSV), in the order of the table. Throws NotFound. */
export const report: Operation<OfImport, string> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const [row, refusals] = await Promise.all([
      found(q, tenantId, given),
      refusedOf(q, tenantId, given.importId, MAX_ROWS),
    ]);
    importOf(row);
    const rows = refusals.map((one) => [String(one.row), one.deviceName, one.column, one.reason]);
    return formatCsv([['row', 'deviceName', 'column', 'reason'], ...rows]);
  });
