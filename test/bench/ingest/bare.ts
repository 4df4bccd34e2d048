/** The statements that a batch comes to, alone on one connection of the engine: the directory or URL and the tenant. */
import { openBare } from '../engine/bare.ts';
import { answerWith } from './question.ts';

const [where = '', tenantId = '', driverId = ''] = process.argv.slice(2);
const PAIRS = 5_000;
const database = await openBare(where);
process.once('SIGTERM', () => process.exit());
const pairs = await database.inTenant(tenantId, (query) =>
  query(
    `select d.id as device, p.id as point from svc_device d join svc_point p
       on p.tenant_id = d.tenant_id and p.profile_id = d.profile_id
     where d.tenant_id = $1 order by d.id, p.id limit $2`,
    [tenantId, PAIRS],
  ),
);

const COLUMNS = `tenant_id, device_id, point_id, driver_id, create_time, seq, raw_value, cal_value, num_value,
  quality, receive_time`;
const ROWS = `select $1::bigint, v.device_id, v.point_id, $2::bigint, $3::timestamptz, $4::bigint, v.text, v.text,
  v.number, 0, $3::timestamptz
  from unnest($5::bigint[], $6::bigint[], $7::text[], $8::double precision[])
    as v (device_id, point_id, text, number)`;
const HISTORY = `insert into svc_point_value (${COLUMNS}) ${ROWS} on conflict do nothing`;
const LATEST = `insert into svc_point_latest as l (${COLUMNS}) ${ROWS}
  on conflict (tenant_id, device_id, point_id) do update set
    create_time = excluded.create_time, seq = excluded.seq, raw_value = excluded.raw_value,
    cal_value = excluded.cal_value, num_value = excluded.num_value, receive_time = excluded.receive_time
  where (excluded.create_time, excluded.seq) >= (l.create_time, l.seq)`;

answerWith(async (size, batch) => {
  const chosen = Array.from({ length: size }, (_, at) => pairs[(batch * size + at) % pairs.length]);
  const numbers = chosen.map((_, at) => 20 + ((batch + at) % 100) / 10);
  const values = [
    tenantId,
    driverId,
    new Date(),
    batch,
    chosen.map((pair) => pair?.['device']),
    chosen.map((pair) => pair?.['point']),
    numbers.map(String),
    numbers,
  ];
  await database.inTenant(tenantId, async (query) => {
    await query(HISTORY, values);
    await query(LATEST, values);
  });
}, 1);
