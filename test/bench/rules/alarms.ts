import { performance } from 'node:perf_hooks';

import { sql } from 'kysely';

import { AlarmSearch, listed } from '../../../src/alarm/search/listed.ts';
import { inTenant } from '../../../src/db/tenant.ts';
import type { World } from '../../support/world/app.ts';
import { agentIn, toolNamed } from '../../tools/agent.ts';
import { percentile } from '../percentile.ts';
import { type Row, row } from '../row.ts';
import type { Engine } from './engine.ts';
import { tenantWith } from './tenant.ts';

const ALARMS = 1_000_000;
/** Of one statement. */
const PART = 25_000;
const RULES = 1_000;
const TURNS = 40;
/** As the console asks for it. */
const SIZE = 30;

/** Pages of the alarms of a plant that has a million of them: 100 fire, 2,000 are not confirmed. */
export async function alarmPages(world: World, engine: string, { settle }: Engine): Promise<Row[]> {
  const { session, plant } = await tenantWith(world, 'alarms', RULES);
  const { tenantId } = session;
  const { app } = world;
  for (let from = 0; from < ALARMS; from += PART)
    await inTenant(app.db, tenantId, (q) =>
      sql`insert into svc_entity_alarm (tenant_id, alarm_target_type_flag, entity_id, driver_id, device_id, point_id,
        rule_id, alarm_type_flag, alarm_source_flag, alarm_level_flag, message, confirm_flag, create_time, state_flag,
        first_trigger_time, last_recover_time)
      select ${tenantId}::bigint, 0, ${plant.target}::bigint, ${plant.driverId}::bigint, ${plant.deviceId}::bigint,
        ${plant.target}::bigint, r.id, 0, 0, n % 4, 'rule ' || n % ${RULES}::integer || ' fired',
        case when n < 2000 then 0 else 1 end, at, case when n < 100 then 1 else 2 end, at,
        case when n < 100 then null else at + interval '5 minutes' end
      from (select n, ${new Date(app.clock.now())}::timestamptz - n * interval '3 seconds' as at
        from generate_series(${from}::integer, ${from + PART - 1}::integer) n) times
      join (select id, row_number() over (order by id) - 1 as at from svc_rule
        where tenant_id = ${tenantId}) r (id, place) on r.place = n % ${RULES}::integer`.execute(q),
    );
  await settle([world]);
  const caller = agentIn(session);
  const page = (given: object) => async () => {
    const { alarms } = await listed(app, caller, AlarmSearch.parse({ limit: SIZE, ...given }));
    return alarms.length;
  };
  const tool = async () => {
    const answer = await toolNamed('searchAlarms').run(app, caller, {});
    return Number(answer['returned'] ?? SIZE);
  };
  const second = await listed(app, caller, AlarmSearch.parse({ limit: SIZE }));
  const asked = {
    page: page({}),
    'second-page': page({ after: second.next }),
    closed: page({ state: 'CLOSED' }),
    query: page({ query: 'rule 7' }),
    searchAlarms: tool,
  };
  const rows: Row[] = [];
  for (const [name, ask] of Object.entries(asked)) {
    const waits: number[] = [];
    for (let turn = 0; turn < 2 * TURNS; turn += 1) {
      const begin = performance.now();
      if ((await ask()) === 0) throw new Error(`${name} is empty`);
      if (turn >= TURNS) waits.push(performance.now() - begin);
    }
    rows.push(
      row(
        'rules',
        `alarms-1000000-${name}-p95-${engine}`,
        'ms',
        percentile(waits, 0.95),
        null,
        '<= 50',
      ),
    );
  }
  return rows;
}
