import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { formatCsv } from '../../kernel/input/csv.ts';
import { type OfTable, tableOf, titlesOf } from './columns.ts';

/** An empty table (CSV) of the devices of a driver and a profile, for an import. */
export const template: Operation<OfTable, string> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, async (q) =>
    formatCsv([titlesOf(await tableOf(q, tenantId, given))]),
  );
