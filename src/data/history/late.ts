import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { type ClosedHour, HOUR_MS, hourColumns, openHour } from './closed.ts';

/** No process closes an hour sooner than an hour after its end; the rest is for clocks that differ. */
const MAY_BE_CLOSED_MS = 55 * 60_000;

type Measured = { deviceId: string; pointId: string; originTime: number; seq: number };

/** Whether hours of some of the values may be closed already. */
export const areLate = (values: readonly Measured[], now: number): boolean =>
  values.some(({ originTime }) => originTime < now - MAY_BE_CLOSED_MS);

/**
 * Those of the values that no closed hour has yet: what comes twice is stored once. Until the end of the transaction no
 * hour of the tenant is closed.
 */
export async function unknownOf<V extends Measured>(
  q: Queries,
  tenantId: string,
  values: readonly V[],
): Promise<V[]> {
  const hours = [...new Map(values.map((value) => [hourOf(value), value])).values()];
  // In this order, and not one statement: what a closing that it waited for has written is seen after the wait.
  const [, { rows }] = await Promise.all([
    sql`select from svc_value_closing where tenant_id = ${tenantId} for share`.execute(q),
    sql<ClosedHour & { deviceId: string; pointId: string }>`
      select h.device_id, h.point_id, ${hourColumns}
      from unnest(${hours.map(({ deviceId }) => deviceId)}::bigint[],
        ${hours.map(({ pointId }) => pointId)}::bigint[],
        ${hours.map(({ originTime }) => new Date(startOf(originTime)))}::timestamptz[])
        as k (device_id, point_id, start)
      join svc_value_hour h on h.tenant_id = ${tenantId} and h.device_id = k.device_id
        and h.point_id = k.point_id and h.start = k.start`.execute(q),
  ]);
  if (rows.length === 0) return [...values];
  const known = new Set<string>();
  for (const row of rows) {
    const hour = openHour(row);
    for (let index = 0; index < hour.count; index += 1) {
      const { at, seq } = hour.value(index);
      known.add(`${row.deviceId}:${row.pointId}:${at / 1_000}.${seq}`);
    }
  }
  return values.filter(
    ({ deviceId, pointId, originTime, seq }) =>
      !known.has(`${deviceId}:${pointId}:${originTime}.${seq}`),
  );
}

const startOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS;
const hourOf = ({ deviceId, pointId, originTime }: Measured): string =>
  `${deviceId}:${pointId}:${startOf(originTime)}`;
