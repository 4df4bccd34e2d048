import { withServer } from '../../support/world/template.ts';
import { analyse } from '../engine/bare.ts';

/** One each second of a day, and one each ten seconds of 30 days. */
export const DAY_VALUES = 86_400;
export const MONTH_VALUES = 259_200;

/**
 * Stores values up to `to` (ms) for three points of the plant's first device: a wave
 * of a day and noise, and numbers that rise and fall once within a day. */
export async function fillValues(
  databaseUrl: string,
  to: number,
): Promise<{ day: string; month: string; peak: string }> {
  const filled = await withServer(databaseUrl, async (client) => {
    await client.query(`set svc.tenant_free = 'bench'`);
    const { rows } = await client.query<{ id: string }>('select id from svc_point order by id');
    const [day = '', month = '', peak = ''] = rows.map(({ id }) => id);
    for (const [pointId, count, everyS, isPeak] of [
      [day, DAY_VALUES, 1, false],
      [month, MONTH_VALUES, 10, false],
      [peak, DAY_VALUES, 1, true],
    ] as const)
      await client.query(
        `insert into svc_point_value (tenant_id, device_id, point_id, driver_id, create_time, raw_value, cal_value,
           num_value, receive_time)
         select d.tenant_id, d.id, $1::bigint, d.driver_id, v.at, v.value, v.value, v.value::float8, v.at
         from (select * from svc_device order by id limit 1) d, lateral (
           select at, case when $5::bool then round((50 * sin(pi() * n / $3::int))::numeric, 3)
             else round((20 + 5 * sin(extract(epoch from at) / 13750.99) + 0.3 * sin(n::float8 * n))::numeric, 1) end::text as value
           from generate_series($3::int, 1, -1) n,
             lateral (select to_timestamp($2::float8 / 1000) - n * $4::int * interval '1 second' as at) t) v`,
        [pointId, to, count, everyS, isPeak],
      );
    return { day, month, peak };
  });
  await analyse(databaseUrl);
  return filled;
}
