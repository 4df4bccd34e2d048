import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { acrossTenants, inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { discardTurn } from '../history/close/progress.ts';
import { hourColumns, hoursIn, momentOf } from '../history/closed.ts';
import { lockHours, unlessLocked } from '../history/lock.ts';
import { type Erased, eraseClosed, eraseHot, renewLatest, type SeriesRow } from './erase.ts';
import { holdOf, shareHolds } from './hold.ts';

export const DeletionState = { RUNNING: 0, DONE: 1, STOPPED: 2 } as const;

/** What a slice deletes at most: it is a transaction in which no late value of the tenant is stored. */
const HOT_OF_SLICE = 2_000;
const ROWS_OF_SLICE = 20;
const SERIES_OF_SLICE = 50;
/** Of a sweep; the next one goes on. */
const MAX_SLICES = 500;
const MAX_DELETIONS = 100;

/** `busy`: late values are being stored; what there is to do remains. */
type Slice = 'more' | 'ended' | 'busy';

/** Deletes the next slice of a deletion that runs. */
export async function deleteSome(app: App, tenantId: string, id: string): Promise<Slice> {
  const done = await unlessLocked(() =>
    inTenant(app.db, tenantId, async (q): Promise<Slice> => {
      // In this order: a closing, a late value and a hold wait for the slice, or the slice for them.
      await lockHours(q, tenantId);
      await shareHolds(q, tenantId);
      const deletion = await running(q, tenantId, id);
      if (!deletion) return 'ended';
      const { importId } = deletion;
      const slice =
        importId === null
          ? await sliceOf(q, tenantId, deletion)
          : await sliceOfImport(q, tenantId, importId);
      app.crashAt('deletion-erased');
      await noteSlice(q, tenantId, { id, at: new Date(app.clock.now()), ...slice });
      return slice.state === DeletionState.RUNNING ? 'more' : 'ended';
    }),
  );
  app.crashAt('deletion-slice');
  return done === false ? 'busy' : done;
}

/** What is deleted of a point; `receiveTime`: of an import alone. */
type Running = {
  deviceId: string;
  pointId: string;
  fromTime: Date;
  toTime: Date;
  nextTime: string;
  receiveTime?: Date;
};
type Deletion = Running & { importId: string | null };

async function running(q: Queries, tenantId: string, id: string): Promise<Deletion | undefined> {
  const { rows } = await sql<Deletion>`
    select device_id, point_id, from_time, to_time, next_time::text as next_time, import_id from svc_value_deletion
    where tenant_id = ${tenantId} and id = ${id} and state_flag = ${DeletionState.RUNNING} for update`.execute(
    q,
  );
  return rows[0];
}

/** `next` is PostgreSQL's text of a moment. */
type Done = { state: number; count: number; next: string };

async function sliceOf(q: Queries, tenantId: string, deletion: Running): Promise<Done> {
  const { fromTime, toTime, nextTime, receiveTime } = deletion;
  const span: Erased = {
    from: fromTime.getTime(),
    to: toTime.getTime(),
    ...(receiveTime && { imported: receiveTime.getTime() }),
  };
  if ((await holdOf(q, tenantId, deletion, span)) !== null)
    return { state: DeletionState.STOPPED, count: 0, next: nextTime };
  await discardTurn(q, tenantId);
  // Hot values first: what is closed between two slices is among the closed rows then.
  const hot = await eraseHot(q, tenantId, deletion, span, HOT_OF_SLICE);
  if (hot === HOT_OF_SLICE) return { state: DeletionState.RUNNING, count: hot, next: nextTime };
  const rows = await closedRows(q, tenantId, deletion, span);
  const closed = await eraseClosed(q, tenantId, rows, span);
  const last = rows.at(-1);
  if (last && rows.length === ROWS_OF_SLICE) {
    const next = new Date(last.start.getTime() + 1).toISOString();
    return { state: DeletionState.RUNNING, count: hot + closed, next };
  }
  await renewLatest(q, tenantId, deletion, span);
  return { state: DeletionState.DONE, count: hot + closed, next: 'infinity' };
}

/** Of the points of an import one after the other, without those of which nothing is left. */
async function sliceOfImport(q: Queries, tenantId: string, importId: string): Promise<Done> {
  const series = await seriesOf(q, tenantId, importId);
  let count = 0;
  for (const one of series) {
    const { deviceId, pointId } = one;
    const done = await sliceOf(q, tenantId, one);
    count += done.count;
    if (done.state === DeletionState.STOPPED) return { ...done, count };
    const ofOne = sql`tenant_id = ${tenantId} and import_id = ${importId} and device_id = ${deviceId}
      and point_id = ${pointId}`;
    if (done.state === DeletionState.DONE)
      await sql`delete from svc_value_import_series where ${ofOne}`.execute(q);
    else
      await sql`update svc_value_import_series set next_time = ${done.next}::timestamptz where ${ofOne}`.execute(
        q,
      );
    if (done.state === DeletionState.RUNNING || count >= HOT_OF_SLICE)
      return { state: DeletionState.RUNNING, count, next: BEGIN };
  }
  const state = series.length < SERIES_OF_SLICE ? DeletionState.DONE : DeletionState.RUNNING;
  return { state, count, next: BEGIN };
}

const BEGIN = '-infinity';

async function seriesOf(q: Queries, tenantId: string, importId: string): Promise<Running[]> {
  const { rows } = await sql<Running>`
    select s.device_id, s.point_id, s.from_time, s.to_time, s.next_time::text as next_time, i.receive_time
    from svc_value_import_series s
    join svc_value_import i on i.tenant_id = s.tenant_id and i.id = s.import_id
    where s.tenant_id = ${tenantId} and s.import_id = ${importId}
    order by s.device_id, s.point_id limit ${SERIES_OF_SLICE}`.execute(q);
  return rows;
}

async function closedRows(
  q: Queries,
  tenantId: string,
  { deviceId, pointId, nextTime }: Running,
  { from, to }: Erased,
): Promise<SeriesRow[]> {
  const reach = { from: momentOf(from), to: momentOf(to) };
  const { rows } = await sql<SeriesRow>`
    select h.device_id, h.point_id, ${hourColumns}
    from ${hoursIn({ tenantId, deviceId, pointId }, reach)} and h.start >= ${nextTime}::timestamptz
    order by h.start limit ${ROWS_OF_SLICE}`.execute(q);
  return rows;
}

const noteSlice = (
  q: Queries,
  tenantId: string,
  { id, at, state, count, next }: Done & { id: string; at: Date },
) =>
  sql`update svc_value_deletion set state_flag = ${state}, value_count = value_count + ${count},
    next_time = ${next}::timestamptz,
    finish_time = case when ${state !== DeletionState.RUNNING} then ${at}::timestamptz end
    where tenant_id = ${tenantId} and id = ${id}`.execute(q);

/** Goes on with the deletions that run, of all tenants in turn; one that fails waits for the next sweep. */
export async function deleteDue(app: App, ending?: AbortSignal): Promise<void> {
  let waiting = await acrossTenants(app.db, 'sweeper', async (q) => {
    const { rows } = await sql<{ tenantId: string; id: string }>`
      select tenant_id, min(id) as id from svc_value_deletion where state_flag = ${DeletionState.RUNNING}
      group by tenant_id order by min(id) limit ${MAX_DELETIONS}`.execute(q);
    return rows;
  });
  for (let slices = 0; waiting.length > 0 && slices < MAX_SLICES;) {
    const further: typeof waiting = [];
    for (const one of waiting) {
      if (slices === MAX_SLICES || ending?.aborted) return;
      slices += 1;
      if ((await takeSlice(app, one)) === 'more') further.push(one);
    }
    waiting = further;
  }
}

async function takeSlice(
  app: App,
  { tenantId, id }: { tenantId: string; id: string },
): Promise<Slice> {
  try {
    return await deleteSome(app, tenantId, id);
  } catch (error) {
    app.log.error({ error, tenantId, id }, 'values could not be deleted, retrying');
    return 'busy';
  }
}
