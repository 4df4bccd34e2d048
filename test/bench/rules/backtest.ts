import { performance } from 'node:perf_hooks';

import { sql } from 'kysely';

import { RuleExt } from '../../../src/alarm/kind/rule-ext.ts';
import { preview } from '../../../src/alarm/rule/preview/preview.ts';
import { inTenant } from '../../../src/db/tenant.ts';
import { closeAll } from '../../support/runs/history/values.ts';
import type { World } from '../../support/world/app.ts';
import { agentIn } from '../../tools/agent.ts';
import { type Row, row } from '../row.ts';
import type { Engine } from './engine.ts';
import { tenantWith } from './tenant.ts';

const DEVICES = 10;
const DAYS = 30;
const EVERY_S = 30;
const DAY_MS = 86_400_000;

/** Rules that fire each day, by what they compare. */
const KINDS = {
  '': {
    content: { condition: { field: 'calValue', operator: '>', threshold: 85 } },
    goal: '<= 2000',
  },
  '-mean': {
    content: {
      condition: { field: 'value', operator: '>', threshold: 85 },
      window: { mode: 'MEAN', duration: 'PT30M' },
    },
    goal: '<= 10000',
  },
  '-formula': {
    content: { condition: { formula: 'value * 2', operator: '>', threshold: 170 } },
    goal: '<= 10000',
  },
} as const;

/** A month of ten devices that report twice a minute, tried with each of them. */
export async function backtested(world: World, engine: string, { settle }: Engine): Promise<Row[]> {
  const { session, plant } = await tenantWith(world, 'month', 1);
  const { tenantId } = session;
  const to = world.clock.now();
  const from = to - DAYS * DAY_MS;
  for (let n = 0; n < DEVICES; n += 1)
    await inTenant(world.app.db, tenantId, async (q) => {
      const { rows } = await sql<{ id: string }>`
        insert into svc_device (tenant_id, device_name, device_code, driver_id, profile_id)
        select ${tenantId}::bigint, 'month ' || ${n}::text, 'month-' || ${n}::text, driver_id, profile_id
        from svc_device where tenant_id = ${tenantId} and id = ${plant.deviceId} returning id`.execute(
        q,
      );
      await sql`
        insert into svc_point_value (tenant_id, device_id, point_id, driver_id, create_time, seq, raw_value, cal_value,
          num_value, receive_time)
        select ${tenantId}::bigint, ${rows[0]?.id}::bigint, ${plant.target}::bigint, ${plant.driverId}::bigint,
          at, 0, value::text, value::text, value, at + interval '80 milliseconds'
        from (select ${new Date(from)}::timestamptz + n * ${`${EVERY_S} seconds`}::interval as at,
            round((60 + 30 * sin(n * 2 * pi() / ${(86_400 / EVERY_S).toString()}::float))::numeric, 2)::float as value
          from generate_series(1, ${(DAYS * 86_400) / EVERY_S}::integer) n) measured`.execute(q);
    });
  await inTenant(world.app.db, tenantId, (q) =>
    q
      .deleteFrom('svc_device')
      .where('tenantId', '=', tenantId)
      .where('id', '=', plant.deviceId)
      .execute(),
  );
  await settle([world]);
  const rows: Row[] = [];
  const tried = async (kind: keyof typeof KINDS, name: string): Promise<void> => {
    const { content, goal } = KINDS[kind];
    const given = { pointId: plant.target, ruleExt: RuleExt.parse({ content }), from, to };
    const times: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const begin = performance.now();
      const { values, cut, count } = await preview(world.app, agentIn(session), given);
      times.push(performance.now() - begin);
      const asked = (DEVICES * DAYS * 86_400) / EVERY_S;
      if (values < asked - DEVICES || cut.length > 0 || count < DEVICES * (DAYS - 1))
        throw new Error(
          `of ${asked} values ${values} were tried, ${cut.join(' ')}: ${count} alarms`,
        );
    }
    const whole = `backtest-month-of-10${kind}${name}-${engine}`;
    rows.push(row('rules', whole, 'ms', Math.min(...times), null, goal));
  };
  for (const kind of ['', '-mean', '-formula'] as const) await tried(kind, '');
  // As a platform has them that is not new.
  await closeAll(world, tenantId, to);
  await settle([world]);
  await tried('', '-closed');
  return rows;
}
