import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';

import { createSilenceScan } from '../../src/alarm/watch/no-data.ts';
import { digests } from '../../src/data/digest/digests.ts';
import { MAX_VALUES } from '../../src/data/digest/stored.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { onboardQuiet, type Plant } from '../support/devices/plant.ts';
import { Id } from '../support/people/shapes.ts';
import { closeAll, counted } from '../support/runs/history/values.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn } from '../tools/agent.ts';

const HOUR = 3_600_000;
const world = startedWorld();

/** What the expressions say of `n`, 0 to `count` - 1, every so many ms from `from` on. */
const store = (
  { deviceId, driverId, temperature }: Plant,
  { from, count, everyMs }: { from: number; count: number; everyMs: number },
  { value, quality = '0' }: { value: string; quality?: string },
) => {
  const { tenantId } = world.admin;
  return inTenant(world.app.db, tenantId, (q) =>
    sql`insert into svc_point_value (tenant_id, device_id, point_id, driver_id, create_time, raw_value, cal_value,
        num_value, quality, receive_time)
      select ${tenantId}, ${deviceId}, ${temperature}, ${driverId}, at, coalesce(value::text, ''), coalesce(value::text, ''), value, quality, at
      from (select ${new Date(from)}::timestamptz + n * ${everyMs}::int * interval '1 millisecond' as at,
        (${sql.raw(value)})::float8 as value, ${sql.raw(quality)} as quality
        from generate_series(0, ${count - 1}::int) n) planted`.execute(q),
  );
};

describe('closed hours', () => {
  it('make the same digest of more values than are read as they are', async () => {
    const plant = await onboardQuiet(world, world.admin);
    const { deviceId, temperature: pointId } = plant;
    const to = Math.floor(world.clock.now() / HOUR) * HOUR;
    const count = MAX_VALUES + 2_000;
    const given = { from: to - count * 1_000, count, everyMs: 1_000 };
    await store(plant, given, {
      value:
        'case when n % 4001 = 7 then null else round((20 + 5 * sin(n / 900.0))::numeric, 2) end',
      quality: 'case when n % 977 = 3 then 2 when n % 313 = 5 then 1 else 0 end',
    });
    const asked = { pairs: [{ deviceId, pointId }], from: given.from, to, samples: 50, plot: true };
    const digest = async (): Promise<unknown> =>
      JSON.parse(
        JSON.stringify(
          await digests(world.app, agentIn(world.admin), asked),
          // Its age changes meanwhile, and a mean in its last digit with the order of the sum.
          (key, value: unknown) =>
            typeof value === 'number' ? key !== 'ageS' && Number(value.toPrecision(12)) : value,
        ),
      );
    const before = await digest();
    await closeAll(world, world.admin.tenantId, to);
    expect(await counted(world, world.admin.tenantId)).toMatchObject({ hot: 0, closed: count });
    expect(await digest()).toEqual(before);
  });

  it('end a silence by their good values alone', async () => {
    const session = await world.tenant('silence');
    const { tenantId } = session;
    const plant = await onboardQuiet(world, session);
    const now = world.clock.now();
    const hour = Math.floor(now / HOUR) * HOUR - 4 * HOUR;
    const at = (minute: number): number => hour + minute * 60_000;
    const ruleId = async (silentSince: number): Promise<string> =>
      Id.parse(
        await session.data('/api/v3/data/rule/add', {
          ruleName: fresh('silent'),
          alarmTargetTypeFlag: 'POINT',
          entityId: plant.temperature,
          ruleExt: {
            content: {
              condition: { operator: 'nodata' },
              window: { duration: `PT${Math.ceil((now - silentSince) / 1_000)}S` },
            },
          },
        }),
      );
    // A good value, and a bad one after it.
    const beforeGood = await ruleId(at(15));
    const afterGood = await ruleId(at(30));
    const silent = async (): Promise<string[]> => {
      await createSilenceScan(world.app)([]);
      return inTenant(world.app.db, tenantId, async (q) => {
        const { rows } = await sql<{ ruleId: string }>`
          select rule_id from svc_entity_alarm where tenant_id = ${tenantId}`.execute(q);
        return rows.map((row) => row.ruleId);
      });
    };
    await inTenant(world.app.db, tenantId, async (q) => {
      const long = new Date(hour - 90 * HOUR);
      await sql`update svc_device set create_time = ${long} where tenant_id = ${tenantId}`.execute(
        q,
      );
      await sql`update svc_rule set operate_time = ${long} where tenant_id = ${tenantId}`.execute(
        q,
      );
      // Other points of the device have no rule.
      for (const [time, quality] of [
        [at(20), 0],
        [at(40), 2],
      ] as const)
        await sql`insert into svc_point_value (tenant_id, device_id, point_id, driver_id, create_time, raw_value,
            cal_value, quality, receive_time)
          values (${tenantId}, ${plant.deviceId}, ${plant.temperature}, ${plant.driverId}, ${new Date(time)},
            '1', '1', ${quality}, ${new Date(time)})`.execute(q);
    });
    await closeAll(world, tenantId, hour + HOUR);
    expect(await counted(world, tenantId)).toEqual({ hot: 0, closed: 2, delays: 2 });
    expect(await silent()).toEqual([afterGood]);
    expect(beforeGood).not.toBe(afterGood);
  });
});
