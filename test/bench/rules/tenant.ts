import { sql } from 'kysely';

import { forgetRules } from '../../../src/alarm/rule/rule-cache.ts';
import { inTenant } from '../../../src/db/tenant.ts';
import { onboardQuiet, type Plant } from '../../support/devices/plant.ts';
import type { Session } from '../../support/people/session.ts';
import type { World } from '../../support/world/app.ts';

export type Tenant = { session: Session; plant: Plant };

/** A tenant with one device, a rule on its point and others on points that send nothing, or all on every point. */
export async function tenantWith(
  world: World,
  code: string,
  count: number,
  on: 'one point' | 'every point' = 'one point',
): Promise<Tenant> {
  const session = await world.tenant(code);
  const plant = await onboardQuiet(world, session);
  const ruleExt = JSON.stringify({
    content: { condition: { field: 'calValue', operator: '>', threshold: 1_000 } },
  });
  const { tenantId } = session;
  const entity =
    on === 'one point'
      ? sql`case when n = 1 then ${plant.target}::bigint else 900000000 + n end`
      : sql`0`;
  await inTenant(world.app.db, tenantId, (q) =>
    sql`insert into svc_rule (tenant_id, rule_name, rule_code, alarm_target_type_flag, entity_id, rule_ext)
      select ${tenantId}::bigint, 'r' || n, 'r' || n, 0, ${entity}, ${ruleExt}::jsonb
      from generate_series(1, ${count}::integer) n`.execute(q),
  );
  forgetRules(world.app, tenantId);
  return { session, plant };
}
