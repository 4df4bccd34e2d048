import { sql } from 'kysely';

import type { Queries } from '../../../db/connect.ts';
import { microsOf } from '../closed.ts';
import type { HourValue } from '../hour.ts';

/** A row of the hot values, whole, with its series. */
export type HotValue = HourValue & { deviceId: string; pointId: string };

/** Where a pass over the hot values of a tenant goes on, in the order of their key. The time is PostgreSQL's text. */
export type Cursor = { deviceId: string; pointId: string; time: string };

const columns = sql`v.device_id, v.point_id, v.driver_id, v.seq, v.raw_value, v.cal_value, v.num_value,
  v.quality, v.issue, ${microsOf(sql`v.create_time`)} as at, ${microsOf(sql`v.receive_time`)} as received,
  (extract(epoch from v.claimed_time) * 1000000)::bigint::text as claimed`;

/** At most `most` values from the cursor on that were measured before `until`. */
export async function hotValues(
  q: Queries,
  tenantId: string,
  { deviceId, pointId, time }: Cursor,
  { until, most }: { until: Date; most: number },
): Promise<HotValue[]> {
  const { rows } = await sql<HotValue>`
    select ${columns} from svc_point_value v where v.tenant_id = ${tenantId} and v.create_time < ${until}
      and (v.device_id, v.point_id, v.create_time)
        >= (${deviceId}::bigint, ${pointId}::bigint, ${time}::timestamptz)
    order by v.device_id, v.point_id, v.create_time, v.seq limit ${most}`.execute(q);
  return rows;
}

/** All of a series in the millisecond of a value, at most `most`. */
export async function hotValuesOfMoment(
  q: Queries,
  tenantId: string,
  { deviceId, pointId, at }: HotValue,
  most: number,
): Promise<HotValue[]> {
  const from = new Date(Math.floor(at / 1_000));
  const { rows } = await sql<HotValue>`
    select ${columns} from svc_point_value v where v.tenant_id = ${tenantId} and v.device_id = ${deviceId}
      and v.point_id = ${pointId} and v.create_time >= ${from}
      and v.create_time < ${from}::timestamptz + interval '1 millisecond'
    order by v.create_time, v.seq limit ${most}`.execute(q);
  return rows;
}
