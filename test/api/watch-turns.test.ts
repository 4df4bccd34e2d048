import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { evaluate } from '../../src/alarm/rule/evaluate.ts';
import { scanHeld } from '../../src/alarm/watch/held.ts';
import { scanOutages } from '../../src/alarm/watch/outage.ts';
import { endSilences } from '../../src/alarm/watch/silence-scan.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { fieldDriver, LEASE_MS } from '../support/devices/field-driver.ts';
import { addTo } from '../support/devices/notify.ts';
import { onboardQuiet, type Plant } from '../support/devices/plant.ts';
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/neighbours/webhook-receiver.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld, type World } from '../support/world/app.ts';

const DATA = '/api/v3/data';
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** More than a scan looks at. */
const MANY = 510;

let world: World;
let hook: WebhookReceiver;
beforeAll(async () => {
  hook = await startWebhookReceiver();
  world = await startWorld();
});
afterAll(async () => {
  await world?.stop();
  await hook.stop();
});

describe('one scan, where a tenant has more than it looks at and another has one,', () => {
  it('finds the outage of a device', async () => {
    const field = fieldDriver(world, hook);
    const [big, small] = [await world.tenant('many-lost'), await world.tenant('one-lost')];
    const [first = ''] = await field.devicesOf(big, 1);
    const many = await inTenant(world.app.db, big.tenantId, async (q) => {
      const { rows } = await sql<{ id: string }>`
        insert into svc_device (tenant_id, device_name, device_code, driver_id, profile_id)
        select d.tenant_id, 'lost ' || n, 'lost-' || n, d.driver_id, d.profile_id
        from svc_device d, generate_series(1, ${MANY}::int) n
        where d.tenant_id = ${big.tenantId} and d.id = ${first} returning id`.execute(q);
      return rows.map(({ id }) => id);
    });
    const few = await field.devicesOf(small, 1);
    await field.heard(big, many);
    world.clock.shift(5 * SECOND);
    await field.heard(small, few);
    world.clock.shift(2 * LEASE_MS);
    await scanOutages(world.app);
    expect(await field.outageOf(small, 'Device “boiler')).not.toBe('');
  });

  /** Rules on the temperature that hold for a minute. */
  const held = async (session: Session, count: number): Promise<Plant> => {
    const plant = await onboardQuiet(world, session);
    const content = {
      condition: { field: 'value', operator: '>', threshold: 90 },
      window: { mode: 'LAST', duration: 'PT1M' },
    };
    await addTo(session, 'rule', {
      ruleName: 'held',
      alarmTargetTypeFlag: 'POINT',
      entityId: plant.temperature,
      ruleExt: { content },
    });
    await inTenant(world.app.db, session.tenantId, (q) =>
      sql`insert into svc_rule (tenant_id, rule_name, alarm_target_type_flag, entity_id, rule_ext)
        select tenant_id, 'held ' || n, alarm_target_type_flag, entity_id, rule_ext
        from svc_rule, generate_series(2, ${count}::int) n
        where tenant_id = ${session.tenantId}`.execute(q),
    );
    const { deviceId, driverId, temperature: pointId } = plant;
    const at = world.clock.now();
    const fact = { entityId: pointId, deviceId, driverId, pointId, values: { value: 95 }, at };
    await evaluate(world.app, session.tenantId, 'POINT', [fact]);
    return plant;
  };
  const States = z.object({ records: z.array(z.object({ entityStateFlag: z.number() })) });
  const statesOf = async (session: Session, { temperature: entityId }: Plant) =>
    States.parse(await session.data(`${DATA}/rule/state/list`, { entityId })).records.map(
      ({ entityStateFlag }) => entityStateFlag,
    );

  it('ends a hold time', async () => {
    const [big, small] = [await world.tenant('many-held'), await world.tenant('one-held')];
    await held(big, MANY);
    world.clock.shift(SECOND);
    const plant = await held(small, 1);
    expect(await statesOf(small, plant)).toEqual([0]);
    world.clock.shift(2 * MINUTE);
    await scanHeld(world.app, 'value');
    expect(await statesOf(small, plant)).toEqual([1]);
  });

  it('ends a silence', async () => {
    const [big, small] = [await world.tenant('many-silent'), await world.tenant('one-silent')];
    const silenced = (session: Session, count: number, minutes: number) =>
      inTenant(world.app.db, session.tenantId, (q) =>
        sql`insert into svc_rule_state (tenant_id, rule_id, alarm_target_type_flag, entity_id, device_id,
            fingerprint, entity_state_flag, silenced_until)
          select ${session.tenantId}, 0, 0, n, 0, 'silent ' || n, 3,
            ${new Date(world.clock.now() + minutes * MINUTE)}
          from generate_series(1, ${count}::int) n`.execute(q),
      );
    const left = async ({ tenantId }: Session): Promise<number> => {
      const { rows } = await inTenant(world.app.db, tenantId, (q) =>
        sql<{ count: number }>`select count(*)::int as count from svc_rule_state
          where tenant_id = ${tenantId} and silenced_until is not null`.execute(q),
      );
      return rows[0]?.count ?? 0;
    };
    await silenced(big, MANY, 1);
    await silenced(small, 1, 2);
    world.clock.shift(3 * MINUTE);
    await endSilences(world.app);
    expect(await left(small)).toBe(0);
  });
});
