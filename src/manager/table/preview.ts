import { z } from 'zod';

import { demand } from '../../auth/permission/permission.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { type Table, tableOf } from './columns.ts';
import { demandMissing, Missing, missingOf } from './missing.ts';
import { type PlannedRow, planRows } from './plan-rows.ts';
import { MAX_TABLE, type Row, rowsIn } from './rows.ts';

/** Rows compared in one transaction. */
const SLICE = 500;
/** Rows of an answer, changes of a row and characters of a change. */
const MAX_SHOWN = 500;
const MAX_CHANGES = 20;
const MAX_SHOWN_TEXT = 120;

export const GivenTable = input({
  driverId: Id,
  profileId: Id,
  csv: z.string().max(MAX_TABLE).default(''),
  missing: z
    .enum(['refuse', 'make'])
    .default('refuse')
    .describe(
      'Rows that name a group or label of devices that does not exist: refused, or it is made',
    ),
});
export type GivenTable = z.infer<typeof GivenTable>;

const VERDICTS = ['REFUSED', 'CHANGE', 'ADD', 'UNCHANGED'] as const;

export const Preview = z.object({
  total: z.number().int().describe('Rows of the table, without its titles'),
  add: z.number().int(),
  change: z.number().int(),
  unchanged: z.number().int(),
  refused: z.number().int(),
  missing: Missing.describe('Groups and labels that rows name and that do not exist'),
  rows: z
    .array(
      z.object({
        row: z.number().int().describe('Number in the table; the titles are row 1'),
        deviceName: z.string(),
        verdict: z.enum(VERDICTS),
        column: z.string().describe('Of a refused row: the wrong cell; else empty'),
        reason: z.string().describe('Why a row is refused; else empty'),
        changes: z
          .array(z.object({ column: z.string(), before: z.string(), after: z.string() }))
          .describe('Of a changed row, the first 20; texts are cut at 120 characters'),
      }),
    )
    .describe('The first 500: refused ones, then changed, added and unchanged ones'),
});
type Preview = z.output<typeof Preview>;

/** Throws Forbidden for a caller that may not do one by one what a table can do to devices. */
export function demandTable(caller: Caller): void {
  for (const verb of ['add', 'update']) demand(caller, `svc-center-manager:device:${verb}`);
}

/** Throws Forbidden for a caller that may not do what the columns of these rows do. */
function demandColumns(caller: Caller, rows: readonly Row[]): void {
  const has = (title: string) => rows.some(({ cells }) => cells.has(title));
  if (has('groupName'))
    for (const verb of ['add', 'update']) demand(caller, `svc-center-manager:group_bind:${verb}`);
  if (has('labelNames')) demand(caller, 'svc-center-manager:label_bind:add');
}

/** Reads a table for an import; throws like `rowsIn`, and Forbidden. */
export async function readTable(
  app: App,
  caller: Caller,
  given: GivenTable,
): Promise<{ table: Table; rows: Row[] }> {
  demandTable(caller);
  const table = await inOneTrip(app.db, caller.tenantId, (q) => tableOf(q, caller.tenantId, given));
  const rows = await rowsIn(given.csv, table);
  demandColumns(caller, rows);
  return { table, rows };
}

/** Says what an import of this table would do; writes nothing. */
export const preview: Operation<GivenTable, Preview> = async (app, caller, given) => {
  const { tenantId } = caller;
  const { table, rows } = await readTable(app, caller, given);
  const missing = await inOneTrip(app.db, tenantId, (q) => missingOf(q, tenantId, rows));
  if (given.missing === 'make') demandMissing(caller, missing);
  const made = given.missing === 'make' ? missing : undefined;
  const shown: Record<PlannedRow['verdict'], PlannedRow[]> = {
    REFUSED: [],
    CHANGE: [],
    ADD: [],
    UNCHANGED: [],
  };
  const counts = { REFUSED: 0, CHANGE: 0, ADD: 0, UNCHANGED: 0 };
  for (let at = 0; at < rows.length; at += SLICE) {
    const slice = rows.slice(at, at + SLICE);
    for (const one of await inTenant(app.db, tenantId, (q) =>
      planRows(q, tenantId, table, slice, made),
    )) {
      counts[one.verdict] += 1;
      if (shown[one.verdict].length < MAX_SHOWN) shown[one.verdict].push(one);
    }
  }
  return {
    total: rows.length,
    add: counts.ADD,
    change: counts.CHANGE,
    unchanged: counts.UNCHANGED,
    refused: counts.REFUSED,
    missing: {
      groups: missing.groups.slice(0, MAX_SHOWN),
      labels: missing.labels.slice(0, MAX_SHOWN),
    },
    rows: VERDICTS.flatMap((verdict) => shown[verdict])
      .slice(0, MAX_SHOWN)
      .map(answerOf),
  };
};

function answerOf(one: PlannedRow): Preview['rows'][number] {
  const { row, deviceName, verdict } = one;
  const changes = one.verdict === 'CHANGE' ? one.changes.slice(0, MAX_CHANGES) : [];
  return {
    row,
    deviceName: cut(deviceName),
    verdict,
    column: one.verdict === 'REFUSED' ? one.refused.column : '',
    reason: one.verdict === 'REFUSED' ? one.refused.reason : '',
    changes: changes.map(({ column, before, after }) => ({
      column,
      before: cut(before),
      after: cut(after),
    })),
  };
}

const cut = (text: string): string =>
  text.length > MAX_SHOWN_TEXT ? `${text.slice(0, MAX_SHOWN_TEXT - 1)}…` : text;
