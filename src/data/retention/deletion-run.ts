import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { acrossTenants, inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { discardTurn } from '../history/close/progress.ts';
import { hourColumns, hoursIn, momentOf } from '../history/closed.ts';
import { lockHours, unlessLocked } from '../history/lock.ts';
import { eraseClosed, eraseHot, renewLatest, type SeriesRow, type Span } from './erase.ts';
import { holdOf, shareHolds } from './hold.ts';

export const DeletionState = { RUNNING: 0, DONE: 1, STOPPED: 2 } as const;

/** What a slice deletes at most: it is a transaction in which no late value of the tenant is stored. */
const HOT_OF_SLICE = 2_000;
const ROWS_OF_SLICE = 20;
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
      const slice = await sliceOf(q, tenantId, deletion);
      app.crashAt('deletion-erased');
      await noteSlice(q, tenantId, { id, at: new Date(app.clock.now()), ...slice });
      return slice.state === DeletionState.RUNNING ? 'more' : 'ended';
    }),
  );
  app.crashAt('deletion-slice');
  return done === false ? 'busy' : done;
}

type Running = {
  deviceId: string;
  pointId: string;
  fromTime: Date;
  toTime: Date;
  nextTime: string;
};

async function running(q: Queries, tenantId: string, id: string): Promise<Running | undefined> {
  const { rows } = await sql<Running>`
    select device_id, point_id, from_time, to_time, next_time::text as next_time from svc_value_deletion
    where tenant_id = ${tenantId} and id = ${id} and state_flag = ${DeletionState.RUNNING} for update`.execute(
    q,
  );
  return rows[0];
}

/** `next` is PostgreSQL's text of a moment. */
type Done = { state: number; count: number; next: string };

async function sliceOf(q: Queries, tenantId: string, deletion: Running): Promise<Done> {
  const { fromTime, toTime, nextTime } = deletion;
  const span: Span = { from: fromTime.getTime(), to: toTime.getTime() };
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

async function closedRows(
  q: Queries,
  tenantId: string,
  { deviceId, pointId, nextTime }: Running,
  { from, to }: Span,
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
