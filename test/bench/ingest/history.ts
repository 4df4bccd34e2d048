import { withServer } from '../../support/world/template.ts';
import { analyse } from '../engine/bare.ts';

/**
 * Fills the present week's partition, the one that new values go to, with so many rows of the database's only plant, a
 * device per statement and in the order of the primary key, which is several times faster than any other. The database
 * is PostgreSQL; its owner connects.
 */
export async function fillHistory(databaseUrl: string, rows: number): Promise<void> {
  await withServer(databaseUrl, async (client) => {
    await client.query(`set svc.tenant_free = 'bench'; set synchronous_commit = off`);
    const { rows: week } = await client.query<{ name: string }>(
      `select 'svc_point_value_' || to_char(now() at time zone 'UTC', 'IYYY"w"IW') as name`,
    );
    const { rows: devices } = await client.query<{ id: string; points: number }>(
      `select d.id, count(*)::int as points from svc_device d
         join svc_point p on p.tenant_id = d.tenant_id and p.profile_id = d.profile_id group by d.id order by d.id`,
    );
    for (const { id, points } of devices)
      await client.query(
        `insert into ${week[0]?.name} (tenant_id, device_id, point_id, driver_id, create_time, seq, raw_value, cal_value,
           num_value, receive_time)
         select d.tenant_id, d.id, p.id, d.driver_id, v.at, 0, '21.5', '21.5', 21.5, v.at
         from svc_device d join svc_point p on p.tenant_id = d.tenant_id and p.profile_id = d.profile_id,
           lateral (select week + (now() - week) * n / $2 as at
             from date_trunc('week', now(), 'UTC') week, generate_series(0, $2::int - 1) n) v
         where d.id = $1 order by p.id, v.at`,
        [id, Math.ceil(rows / devices.length / points)],
      );
  });
  await analyse(databaseUrl);
}
