import type { Operation } from '../../app.ts';
import { formatCsv } from '../../core/input/csv.ts';
import { inOneTrip } from '../../db/tenant.ts';
import { type OfTable, tableOf, titlesOf } from './columns.ts';

/** An empty table (CSV) of the devices of a driver and a profile, for an import. */
export const template: Operation<OfTable, string> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, async (q) =>
    formatCsv([titlesOf(await tableOf(q, tenantId, given))]),
  );
