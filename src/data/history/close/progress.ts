import { sql } from 'kysely';

import type { Queries } from '../../../db/connect.ts';
import { HOUR_MS } from '../closed.ts';
import type { Cursor } from './hot.ts';

/** How far the hours of a tenant are closed, and where the pass under way goes on. */
export type Progress = Cursor & {
  closedUntil: Date | null;
  closingUntil: Date | null;
  /** Turns that were taken until now. */
  turns: string;
};

/** Its row is made where there is none: what fails in the first turn is seen. */
export async function progressOf(q: Queries, tenantId: string, now: number): Promise<Progress> {
  const [, { rows }] = await Promise.all([
    sql`insert into svc_value_closing (tenant_id, due_time) values (${tenantId}, ${new Date(now)})
      on conflict do nothing`.execute(q),
    sql<Progress>`
      select closed_until, closing_until, next_device_id::text as device_id, next_point_id::text as point_id,
        next_time::text as time, turns::text as turns
      from svc_value_closing where tenant_id = ${tenantId}`.execute(q),
  ]);
  const [progress] = rows;
  if (!progress) throw new Error('a tenant has no progress of its hours');
  return progress;
}

type Noted = { until: Date; next: Cursor | null; now: number; closeAfterMs: number };

/** Writes down a turn; false where another one was taken since its progress was read. */
export async function noteTurn(
  q: Queries,
  tenantId: string,
  turns: string,
  { until, next, now, closeAfterMs }: Noted,
): Promise<boolean> {
  const isDone = next === null;
  // Of the pass that ends: hours may have come due while it went on.
  const due = new Date(until.getTime() + HOUR_MS + closeAfterMs);
  const { numAffectedRows } = await sql`
    update svc_value_closing set turn_time = ${new Date(now)}, turns = turns + 1, failures = 0,
      next_device_id = ${next?.deviceId ?? '0'}, next_point_id = ${next?.pointId ?? '0'},
      next_time = ${next?.time ?? '-infinity'}::timestamptz,
      closing_until = ${next ? until : null}::timestamptz,
      closed_until = case when ${isDone} then greatest(closed_until, ${until}::timestamptz)
        else closed_until end,
      due_time = case when ${isDone} then ${due}::timestamptz else due_time end
    where tenant_id = ${tenantId} and turns = ${turns}`.execute(q);
  return numAffectedRows === 1n;
}

/** Tenants whose next hour is due, those first that have waited longest; one that failed waits a while, an hour at most. */
export async function tenantsDue(q: Queries, now: number, most: number): Promise<string[]> {
  const at = new Date(now);
  const [, , { rows }] = await Promise.all([
    sql`insert into svc_value_closing (tenant_id, due_time) select t.id, ${at}::timestamptz from svc_tenant t
      where not exists (select from svc_value_closing c where c.tenant_id = t.id) on conflict do nothing`.execute(
      q,
    ),
    sql`update svc_value_closing set due_time = ${at} where due_time is null`.execute(q),
    sql<{ id: string }>`
      select tenant_id as id from svc_value_closing
      where due_time <= ${at} and exists (select from svc_tenant t where t.id = tenant_id)
        and (failures = 0 or turn_time + least(failures, 60) * interval '1 minute' <= ${at})
      order by turn_time nulls first, tenant_id limit ${most}`.execute(q),
  ]);
  return rows.map(({ id }) => id);
}

export const noteFailure = (q: Queries, tenantId: string, now: number) =>
  sql`update svc_value_closing set turn_time = ${new Date(now)}, failures = failures + 1
    where tenant_id = ${tenantId}`.execute(q);

/** Where hours are not closed, none is due. */
export const forgetDue = (q: Queries) =>
  sql`update svc_value_closing set due_time = null, failures = 0 where due_time is not null`.execute(
    q,
  );

/** A turn that was prepared of what is stored is not written: what it read is no longer all there. */
export const discardTurn = (q: Queries, tenantId: string) =>
  sql`update svc_value_closing set turns = turns + 1 where tenant_id = ${tenantId}`.execute(q);
