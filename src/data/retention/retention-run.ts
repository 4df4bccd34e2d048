import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { acrossTenants, inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { discardTurn } from '../history/close/progress.ts';
import { DAY_MS, hourColumns } from '../history/closed.ts';
import { lockHours, unlessLocked } from '../history/lock.ts';
import type { Pair } from '../value/pair.ts';
import { type Ends, endsOf } from './ends.ts';
import { eraseClosed, renewLatest, type SeriesRow } from './erase.ts';
import { isHeld, shareHolds } from './hold.ts';
import { shareClasses } from './retention-class.ts';

/** What a slice deletes at most: it is a transaction in which no late value of the tenant is stored. */
const HOT_OF_SLICE = 2_000;
const ROWS_OF_SLICE = 50;
const LATEST_OF_SLICE = 50;
/** Of a sweep; the next one goes on. */
const MAX_SLICES = 500;
const MAX_TENANTS = 100;

/** `busy`: late values are being stored; what there is to do remains. */
type Slice = 'more' | 'done' | 'busy';

/** Deletes some of the values of a tenant that its classes keep no longer; those of whole days. */
async function sweepSome(app: App, tenantId: string): Promise<Slice> {
  const now = app.clock.now();
  const taken = await unlessLocked(() =>
    inTenant(app.db, tenantId, async (q): Promise<Slice> => {
      // In this order: a closing, a late value, a hold and a class wait for the slice, or the slice for them.
      await lockHours(q, tenantId);
      await shareHolds(q, tenantId);
      await shareClasses(q, tenantId);
      const ends = await endsOf(q, tenantId, now);
      const count =
        ends.last === null ? null : await eraseSome(q, tenantId, { ...ends, last: ends.last });
      app.crashAt('retention-erased');
      await noteSweep(q, tenantId, { count, at: now });
      return count === null ? 'done' : 'more';
    }),
  );
  app.crashAt('retention-slice');
  return taken === false ? 'busy' : taken;
}

/** Answers how many values are gone; null where there is nothing to delete. */
async function eraseSome(
  q: Queries,
  tenantId: string,
  { ofProfile, ofOthers, last }: Ends & { last: number },
): Promise<number | null> {
  const moments = [...ofProfile.values()].map((end) => (end === null ? null : new Date(end)));
  const end = ofOthers === null ? null : new Date(ofOthers);
  const until = sql`${new Date(last)}::timestamptz`;
  /** `from` and `where` of rows that are not kept, by the column with their time. A hold keeps the days that it touches. */
  const notKept = (table: string, column: string) => {
    const at = sql.ref(`v.${column}`);
    const day = sql`date_trunc('day', ${at}, 'UTC')`;
    const to = sql`${day} + interval '1 day' - interval '1 microsecond'`;
    return sql`
      from ${sql.table(table)} v
      left join svc_device d on d.tenant_id = v.tenant_id and d.id = v.device_id
      left join unnest(${[...ofProfile.keys()]}::bigint[], ${moments}::timestamptz[]) as c (profile_id, ends)
        on c.profile_id = d.profile_id
      where v.tenant_id = ${tenantId} and ${at} < ${until}
        and ${at} < case when c.profile_id is null then ${end}::timestamptz else c.ends end
        and not ${isHeld(tenantId, { device: sql`v.device_id`, from: day, to })}`;
  };
  const { numAffectedRows } = await sql`
    with old as (select v.device_id, v.point_id, v.create_time, v.seq
      ${notKept('svc_point_value', 'create_time')} limit ${HOT_OF_SLICE})
    delete from svc_point_value v using old o
    where v.tenant_id = ${tenantId} and v.device_id = o.device_id and v.point_id = o.point_id
      and v.create_time = o.create_time and v.seq = o.seq and v.create_time < ${until}`.execute(q);
  const hot = Number(numAffectedRows ?? 0n);
  if (hot > 0) {
    await discardTurn(q, tenantId);
    return hot;
  }
  const { rows } = await sql<SeriesRow>`
    select h.device_id, h.point_id, ${hourColumns} from (select v.*
      ${notKept('svc_value_hour', 'start')} order by v.start limit ${ROWS_OF_SLICE}) h`.execute(q);
  if (rows.length > 0) {
    await discardTurn(q, tenantId);
    return eraseClosed(q, tenantId, rows, { from: -Infinity, to: Infinity });
  }
  const { rows: latest } = await sql<Pair>`
    select v.device_id, v.point_id ${notKept('svc_point_latest', 'create_time')}
    order by v.device_id, v.point_id limit ${LATEST_OF_SLICE}`.execute(q);
  for (const pair of latest) await renewLatest(q, tenantId, pair, { from: 0, to: last - 1 });
  return latest.length > 0 ? 0 : null;
}

/** Values of the next day are looked through after midnight (UTC), or once a class begins to count. */
const noteSweep = (
  q: Queries,
  tenantId: string,
  { count, at }: { count: number | null; at: number },
) =>
  count === null
    ? sql`update svc_retention_run set done_time = ${new Date(at)}, due_time = least(
        ${new Date((Math.floor(at / DAY_MS) + 1) * DAY_MS)}::timestamptz, (select min(begin_time)
          from svc_retention_class where tenant_id = ${tenantId} and begin_time > ${new Date(at)}))
        where tenant_id = ${tenantId}`.execute(q)
    : sql`update svc_retention_run set value_count = value_count + ${count} where tenant_id = ${tenantId}`.execute(
        q,
      );

/** One sweep over the tenants that are due, in turn; what fails for one waits for the next sweep. */
export async function sweepDue(app: App, ending?: AbortSignal): Promise<void> {
  let waiting = await acrossTenants(app.db, 'sweeper', async (q) => {
    const { rows } = await sql<{ tenantId: string }>`
      select tenant_id from svc_retention_run where due_time <= ${new Date(app.clock.now())}
      order by due_time, tenant_id limit ${MAX_TENANTS}`.execute(q);
    return rows.map(({ tenantId }) => tenantId);
  });
  for (let slices = 0; waiting.length > 0 && slices < MAX_SLICES;) {
    const further: string[] = [];
    for (const tenantId of waiting) {
      if (slices === MAX_SLICES || ending?.aborted) return;
      slices += 1;
      if ((await takeSlice(app, tenantId)) === 'more') further.push(tenantId);
    }
    waiting = further;
  }
}

async function takeSlice(app: App, tenantId: string): Promise<Slice> {
  try {
    return await sweepSome(app, tenantId);
  } catch (error) {
    app.log.error({ error, tenantId }, 'values could not be deleted by their class, retrying');
    return 'busy';
  }
}
