import { sql } from 'kysely';
import { expect, it } from 'vitest';

import { factOf } from '../../src/alarm/condition/value-fact.ts';
import type { Arrived } from '../../src/alarm/rule/replay/replay.ts';
import { storedFacts } from '../../src/alarm/rule/replay/stored-facts.ts';
import { IMPORTED } from '../../src/data/value/imported.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { onboardQuiet } from '../support/devices/plant.ts';
import { startedWorld } from '../support/world/prepared.ts';

const COUNT = 25_000;
const world = startedWorld();

it('are those that rules saw, whatever the value, over pages', async () => {
  const mine = await world.tenant('stored');
  const { tenantId } = mine;
  const { deviceId, driverId, target: pointId } = await onboardQuiet(world, mine);
  const to = world.clock.now();
  await inTenant(world.app.db, tenantId, (q) =>
    // Texts, numbers with an exponent, scaled and bad ones, of another driver, imported, and measured ahead.
    sql`insert into svc_point_value (tenant_id, device_id, point_id, driver_id, create_time, seq, raw_value, cal_value,
        num_value, quality, receive_time, issue)
      select ${tenantId}::bigint, ${deviceId}::bigint, ${pointId}::bigint,
        case when n % 11 = 1 then 77 else ${driverId}::bigint end, at, n % 3,
        case when n % 5 = 1 then (n * 10)::text else cal end, cal,
        case when n % 7 = 1 then null else cal::float end, case when n % 13 = 1 then 2 else 0 end,
        at + case when n % 17 = 1 then interval '-1 second' else interval '1.5 seconds' end,
        case when n % 19 = 1 then ${IMPORTED} end
      from (select n, ${new Date(to)}::timestamptz - n / 2 * interval '1 second' as at,
        case when n % 7 = 1 then 'on “' || n when n % 23 = 1 then '1e-07' when n % 23 = 2 then '1e+20'
          else (n / 8.0)::float::text end as cal
        from generate_series(1, ${COUNT}::integer) n) said`.execute(q),
  );
  const place = { entityId: pointId, pointId, deviceId, driverId, pointType: 'DOUBLE' } as const;
  const span = { from: to - COUNT * 1_000, to };
  const given = { place, span, withRaw: true, withTime: true, isLate: () => false };
  const found = await storedFacts(world.app, tenantId, given);
  const rows = await inTenant(world.app.db, tenantId, (q) =>
    q
      .selectFrom('svc_point_value')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('deviceId', '=', deviceId)
      .where('pointId', '=', pointId)
      .orderBy('createTime', 'desc')
      .orderBy('seq', 'desc')
      .execute(),
  );
  const seen = rows.map(({ driverId: by, createTime, receiveTime, issue, seq, ...said }) => {
    const originTime = createTime.getTime();
    const now = issue === IMPORTED ? originTime : receiveTime.getTime();
    const value = { ...said, pointType: place.pointType, originTime, seq: BigInt(seq) };
    return { fact: factOf(value, by, now), now };
  });
  expect(rows.length).toBe(COUNT);
  const byArrival = seen.toSorted(
    (a, b) =>
      a.now - b.now || a.fact.at - b.fact.at || Number((a.fact.seq ?? 0n) - (b.fact.seq ?? 0n)),
  );
  // A number stands for its text.
  const asTexts = ({ fact, now }: Arrived) => {
    const { calValue, rawValue } = fact.values;
    const said = calValue === undefined ? {} : { calValue: `${calValue}`, rawValue: `${rawValue}` };
    return {
      fact: { ...fact, values: { ...fact.values, ...said, value: `${fact.values['value']}` } },
      now,
    };
  };
  expect(found?.count).toBe(COUNT);
  expect([...(found?.facts ?? [])].map(asTexts)).toEqual(byArrival.map(asTexts));
});
