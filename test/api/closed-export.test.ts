import { sql } from 'kysely';
import { expect, it } from 'vitest';

import { exportHistory } from '../../src/data/value/history-export.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { onboardQuiet } from '../support/devices/plant.ts';
import { closeAll } from '../support/runs/history/values.ts';
import { startWorld } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';
import { HeldClock } from '../support/world/shifted-clock.ts';
import { agentIn } from '../tools/agent.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 9, 25, 10, 20);
const FROM = Date.UTC(2026, 3, 1);

const clock = new HeldClock();
clock.shift(NOW - clock.now());
const world = started(() => startWorld({ clock }));

it('an export of closed hours goes on over its pages where a value is at the begin of an hour', async () => {
  const session = await world.tenant('hourly');
  const { tenantId } = session;
  const plant = await onboardQuiet(world, session);
  clock.hold();
  clock.shift(NOW - clock.now());
  await inTenant(world.app.db, tenantId, (q) =>
    sql`insert into svc_point_value (tenant_id, device_id, point_id, driver_id, create_time, raw_value, cal_value,
        num_value, receive_time)
      select ${tenantId}, ${plant.deviceId}, ${plant.temperature}, ${plant.driverId}, at, n::text, n::text, n, at
      from (select n, ${new Date(FROM)}::timestamptz + n * interval '1 hour' as at
        from generate_series(0, 4974) n) planned`.execute(q),
  );
  const times = async () => {
    const asked = { deviceId: plant.deviceId, pointId: plant.temperature, from: FROM, to: NOW };
    let text = '';
    for await (const part of await exportHistory(world.app, agentIn(session), asked)) text += part;
    return text.trim().split('\n').slice(1);
  };
  const before = await times();
  expect(before.length).toBe(4_975);
  await closeAll(world, tenantId, NOW - 2 * HOUR);
  expect(await times()).toEqual(before);
});
