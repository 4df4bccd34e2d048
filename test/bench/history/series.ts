import { type RawBuilder, sql } from 'kysely';

import { inTenant } from '../../../src/db/tenant.ts';
import { add } from '../../support/devices/plant.ts';
import type { World } from '../../support/world/app.ts';
import type { Tenant } from '../rules/tenant.ts';

export const DAY_MS = 86_400_000;
const EVERY_MS = 30_000;
const MONTH_DAYS = 31;
const YEAR_DAYS = 365;

type Kind = { value: string; late?: string; quality?: string; days?: number; type?: string };
/** As the platform writes numbers: without zeros at the end. */
const WAVE = 'round((20 + 5 * sin(n / 458.0) + random())::numeric, 2)::float8::text';

/** What the values are of `n`, the number of a value. */
export const KINDS = {
  regular: { value: WAVE, days: YEAR_DAYS },
  jitter: { value: WAVE, late: '(random() * 100)::int' },
  float: { value: '(20 + random())::float4::float8::text' },
  state: { value: '(n / 37 % 4)::text' },
  counter: { value: '(n * 3 + n % 5)::text' },
  bad: { value: WAVE, quality: 'case when random() < 0.05 then 2 else 0 end' },
  text: { value: "(array['running', 'stopped', 'in repair'])[n / 61 % 3 + 1]", type: 'STRING' },
} satisfies Record<string, Kind>;
export type Name = keyof typeof KINDS;
export const names = ['regular', 'jitter', 'float', 'state', 'counter', 'bad', 'text'] as const;

/** A point of the plant's device for each kind. */
export async function pointsOf({ session, plant }: Tenant): Promise<Record<Name, string>> {
  const pointOf = (name: Name): Promise<string> => {
    const { type = 'DOUBLE' }: Kind = KINDS[name];
    const given = { pointTypeFlag: type, rwFlag: 'READ_ONLY', profileId: plant.profileId };
    return add(session, 'point', { pointName: name, ...given });
  };
  return {
    regular: await pointOf('regular'),
    jitter: await pointOf('jitter'),
    float: await pointOf('float'),
    state: await pointOf('state'),
    counter: await pointOf('counter'),
    bad: await pointOf('bad'),
    text: await pointOf('text'),
  };
}

/** Stores the values of a kind up to `to` (ms) as rows; says how many. */
export async function fill(
  world: World,
  { session: { tenantId }, plant }: Tenant,
  { name, pointId, to }: { name: Name; pointId: string; to: number },
): Promise<number> {
  const { value, late = '0', quality = '0', days = MONTH_DAYS, type }: Kind = KINDS[name];
  const number: RawBuilder<unknown> = type ? sql`null::float8` : sql`value::float8`;
  const count = (days * DAY_MS) / EVERY_MS;
  for (let first = 0; first < count; first += 100_000)
    await inTenant(world.app.db, tenantId, (q) =>
      sql`
        insert into svc_point_value (tenant_id, device_id, point_id, driver_id, create_time, raw_value, cal_value,
          num_value, quality, receive_time)
        select ${tenantId}::bigint, ${plant.deviceId}::bigint, ${pointId}::bigint, ${plant.driverId}::bigint,
          at + late * interval '1 millisecond', value, value, case quality when 2 then null else ${number} end,
          quality, at + interval '180 milliseconds'
        from (select ${new Date(to - count * EVERY_MS)}::timestamptz + n * ${EVERY_MS}::float8 * interval '1 millisecond' as at,
            ${sql.raw(late)} as late, ${sql.raw(value)} as value, ${sql.raw(quality)} as quality
          from generate_series(${first}::int, ${Math.min(count, first + 100_000) - 1}::int) n) measured`.execute(
        q,
      ),
    );
  return count;
}
