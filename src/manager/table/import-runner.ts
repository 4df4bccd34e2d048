import { withActor } from '../../db/actor.ts';
import type { Queries } from '../../db/connect.ts';
import { acrossTenants, inTenant } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { startSweeper } from '../../kernel/app/sweeper.ts';
import { AppError, NotFound } from '../../kernel/errors.ts';
import { storable } from '../../kernel/input/text.ts';
import { type Table, tableOf, titlesOf } from './columns.ts';
import { applyRows } from './import-apply.ts';
import { end } from './import-end.ts';
import { takeSlice } from './import-slices.ts';
import { type PlannedRow, planRows } from './plan-rows.ts';
import type { Row } from './rows.ts';

const EVERY_MS = 1_000;
/** Imports that take turns. */
const MAX_AT_ONCE = 20;
/** Of a slice that fails for another reason than the database or the bus being away. */
const MAX_ATTEMPTS = 3;
const MAX_NAME = 64;

type Job = {
  tenantId: string;
  importId: string;
  driverId: string;
  profileId: string;
  creatorId: string;
  creatorName: string;
};

/**
 * Applies the tables of running imports, slice by slice in turns, until stopped; `stop` waits for the slice under way,
 * and another start goes on with the next. Several processes may do so at once.
 */
export function startDeviceImports(app: App): { stop(): Promise<void> } {
  const signal = { isStopped: false };
  const failed = 'import of devices failed, retrying';
  const runs = startSweeper(app, { everyMs: EVERY_MS, failed }, () => runAll(app, signal));
  return {
    stop() {
      signal.isStopped = true;
      return runs.stop();
    },
  };
}

async function runAll(app: App, signal: { isStopped: boolean }): Promise<void> {
  for (let hasMore = true; hasMore;) {
    hasMore = false;
    for (const job of await jobsOf(app)) {
      if (signal.isStopped) return;
      hasMore = (await step(app, job)) || hasMore;
    }
  }
}

const jobsOf = (app: App): Promise<Job[]> =>
  acrossTenants(app.db, 'sweeper', (q) =>
    q
      .selectFrom('svc_device_import')
      .select(['tenantId', 'importId', 'driverId', 'profileId', 'creatorId', 'creatorName'])
      .where('status', '=', 'RUNNING')
      .orderBy('id')
      .limit(MAX_AT_ONCE)
      .execute(),
  );

/** Applies the next slice, or ends the import after the last; answers whether there may be more to do. */
async function step(app: App, job: Job): Promise<boolean> {
  const actor = { id: job.creatorId, name: job.creatorName, via: 'login' };
  for (let attempt = 1; ; attempt += 1) {
    const at = new Date(app.clock.now()).toISOString();
    try {
      const state = await withActor({ ...actor, at }, () =>
        inTenant(app.db, job.tenantId, (q) => applyNext(q, app, job)),
      );
      if (state === 'last') await end(app, job, { status: 'DONE' });
      return state === 'more';
    } catch (error) {
      if (error instanceof NotFound) {
        await end(app, job, { status: 'FAILED', why: `${error.message} meanwhile` });
        return false;
      }
      if (error instanceof AppError) throw error;
      if (attempt < MAX_ATTEMPTS) continue;
      app.log.error({ error, importId: job.importId }, 'import of devices failed');
      await end(app, job, { status: 'FAILED', why: 'A slice of the table could not be imported' });
      return false;
    }
  }
}

/** `busy`: another process has it, or it has ended. */
async function applyNext(q: Queries, app: App, job: Job): Promise<'more' | 'last' | 'busy'> {
  const { tenantId, importId } = job;
  const held = await q
    .selectFrom('svc_device_import')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('importId', '=', importId)
    .where('status', '=', 'RUNNING')
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!held) return 'busy';
  const rows = await takeSlice(q, app, job);
  if (!rows) return 'last';
  const table = await tableOf(q, tenantId, job);
  const judged = await planRows(
    q,
    tenantId,
    table,
    rows.map((row) => withoutLost(table, row)),
  );
  await note(q, job, await applyRows(q, app, callerOf(job), table, judged));
  app.crashAt('import-slice');
  return 'more';
}

/** The driver or the profile may have changed since the table was read. */
function withoutLost(table: Table, row: Row): Row {
  const titles = new Set(titlesOf(table));
  const column = [...row.cells.keys()].find((title) => !titles.has(title));
  return column === undefined
    ? row
    : { ...row, refused: { column, reason: 'There is no such column any more' } };
}

/** Changes are of the person that began the import, which checked the permissions. */
const callerOf = ({ tenantId, creatorId, creatorName }: Job): Caller => ({
  tenantId,
  principalId: creatorId,
  principalType: 'USER',
  name: creatorName,
  via: 'login',
  permissions: new Set(),
});

async function note(
  q: Queries,
  { tenantId, importId }: Job,
  rows: readonly PlannedRow[],
): Promise<void> {
  const of = (verdict: PlannedRow['verdict']) =>
    rows.filter((one) => one.verdict === verdict).length;
  await q
    .updateTable('svc_device_import')
    .set((eb) => ({
      added: eb('added', '+', of('ADD')),
      changed: eb('changed', '+', of('CHANGE')),
      unchanged: eb('unchanged', '+', of('UNCHANGED')),
      refused: eb('refused', '+', of('REFUSED')),
    }))
    .where('tenantId', '=', tenantId)
    .where('importId', '=', importId)
    .execute();
  const refused = rows.flatMap((one) =>
    one.verdict === 'REFUSED'
      ? {
          tenantId,
          importId,
          rowNumber: one.row,
          deviceName: storable(one.deviceName.slice(0, MAX_NAME)),
          columnTitle: one.refused.column,
          reason: one.refused.reason,
        }
      : [],
  );
  if (refused.length > 0) await q.insertInto('svc_device_import_refusal').values(refused).execute();
}
