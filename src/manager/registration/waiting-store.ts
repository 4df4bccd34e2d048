import { sql } from 'kysely';

import { DEFAULT_TENANT } from '../../auth/permission/platform.ts';
import type { Payload } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';

/** Rows kept without a proof, and for each key; the ones heard least recently go. */
const MAX_OPEN = 5_000;
const MAX_OF_KEY = 10;
const KEPT_MS = 7 * 86_400_000;

/**
 * Keeps the newest word on each endpoint that waits, for the tenant whose device has the key that it proved, or for
 * the platform tenant. Needs the `registrar` context.
 */
export async function storeWaiting(
  q: Queries,
  { driverCode, waiting = [] }: Payload<'svc.e.registered'>,
  now: number,
): Promise<void> {
  // One statement must not touch a row twice.
  const keyOf = ({ endpoint, key }: (typeof waiting)[number]) =>
    `${key?.deviceId ?? '0'} ${endpoint}`;
  const last = [...new Map(waiting.map((one) => [keyOf(one), one])).values()];
  if (last.length === 0) return;
  const times = (of: (one: (typeof last)[number]) => number) =>
    sql`${last.map((one) => new Date(of(one)).toISOString())}::timestamptz[]`;
  await sql`
    insert into svc_waiting_endpoint as s (tenant_id, driver_code, endpoint, key_device_id, host,
      since_time, last_time, attempts)
    select coalesce(d.tenant_id, t.id), ${driverCode}, r.endpoint, coalesce(d.id, 0), r.host,
      r.since_time, r.last_time, r.attempts
    from unnest(${last.map(({ endpoint }) => endpoint)}::text[],
      ${last.map(({ key }) => key?.tenantId ?? '0')}::bigint[],
      ${last.map(({ key }) => key?.deviceId ?? '0')}::bigint[],
      ${last.map(({ host }) => host)}::text[], ${times(({ since }) => since)},
      ${times((one) => one.last)}, ${last.map(({ attempts }) => attempts)}::integer[])
      as r (endpoint, tenant_id, device_id, host, since_time, last_time, attempts)
    join svc_tenant t on t.tenant_code = ${DEFAULT_TENANT}
    left join svc_device d on d.tenant_id = r.tenant_id and d.id = r.device_id
    where (r.device_id = 0 or d.id is not null)
      -- It may have become a device's meanwhile.
      and not exists (select from svc_endpoint_claim k
        where k.driver_code = ${driverCode} and k.endpoint = r.endpoint
          and case when r.device_id = 0 then not k.proven else k.tenant_id = d.tenant_id end)
    order by r.endpoint, r.device_id
    on conflict (driver_code, endpoint, key_device_id) do update set host = excluded.host,
      since_time = excluded.since_time, last_time = excluded.last_time,
      attempts = excluded.attempts
    where s.last_time <= excluded.last_time`.execute(q);
  await sql`
    delete from svc_waiting_endpoint where id in (
      select id from (
        select id, key_device_id, last_time, row_number() over
          (partition by key_device_id, assigned order by last_time desc, id desc) as place
        from svc_waiting_endpoint) w
      where w.last_time < ${new Date(now - KEPT_MS)}::timestamptz
        or w.place > case when w.key_device_id = 0 then ${MAX_OPEN}::bigint else ${MAX_OF_KEY}::bigint end)`.execute(
    q,
  );
}
