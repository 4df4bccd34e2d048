import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';

import { inTenant } from '../../src/db/tenant.ts';
import { onboard } from '../support/devices/plant.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const POINTS = 50;

describe('ingest', () => {
  const world = startedWorld();
  const plant = prepared(() => onboard(world.admin));

  const batch = (from: number, pointId: string) => ({
    tenantId: world.admin.tenantId,
    driverId: plant.driverId,
    driverCode: 'VirtualDriver',
    node: 'writer',
    values: Array.from({ length: POINTS }, (_, n) => ({
      deviceId: plant.deviceId,
      pointId,
      rawValue: String(from + n),
      calValue: String(from + n),
      numValue: from + n,
      originTime: 1_700_000_000_000 + from + n,
      seq: 0,
      quality: 0 as const,
    })),
  });
  const publish = (from: number, pointId = plant.temperature) =>
    world.bus.handled('svc.e.value', batch(from, pointId), 'VirtualDriver');
  const stored = (pointId: string) =>
    inTenant(world.app.db, world.admin.tenantId, async (q) => {
      const { rows } = await sql<{ count: string; highest: string }>`
        select count(*) as count, max(num_value)::text as highest from svc_point_value
        where tenant_id = ${world.admin.tenantId} and point_id = ${pointId}
          and create_time < '2024-01-01'`.execute(q);
      return rows[0];
    });

  it('stores many batches at once, repeated and out of order, each value once', async () => {
    const starts = Array.from({ length: 20 }, (_, n) => n * POINTS);
    const twice = [...starts, ...starts.toReversed()];
    await Promise.all(twice.map((from) => publish(from)));
    expect(await stored(plant.temperature)).toEqual({
      count: String(20 * POINTS),
      highest: String(20 * POINTS - 1),
    });
    const latest = await world.admin.data('/api/v3/data/point_value/list', {
      pointId: plant.temperature,
      rangeHours: 8760,
    });
    expect(JSON.stringify(latest)).not.toContain('"createTime":null');
  });

  it('tries a batch again when the database fails in the middle, and then has it once', async () => {
    let failures = 2;
    const { crashAt } = world.app;
    world.app.crashAt = (point) => {
      if (point === 'ingest' && failures-- > 0) throw new Error('the database went away');
      crashAt(point);
    };
    await publish(0, plant.target);
    world.app.crashAt = crashAt;
    expect(failures).toBeLessThan(0);
    const all = await eventually(
      () => stored(plant.target),
      (row) => row?.count === String(POINTS),
    );
    expect(all).toEqual({ count: String(POINTS), highest: String(POINTS - 1) });
  });

  it('goes on with the next batch after one that names nothing that exists', async () => {
    await publish(5_000, '999999');
    await publish(5_000);
    expect(await stored('999999')).toMatchObject({ count: '0' });
    expect(await stored(plant.temperature)).toMatchObject({ highest: String(5_000 + POINTS - 1) });
  });

  it('gives a device that was just deleted no latest value again', async () => {
    await publish(6_000);
    await world.admin.data('/api/v3/manager/device/delete', { id: plant.deviceId });
    await publish(7_000);
    const left = await inTenant(world.app.db, world.admin.tenantId, (q) =>
      q
        .selectFrom('svc_point_latest')
        .select('pointId')
        .where('tenantId', '=', world.admin.tenantId)
        .where('deviceId', '=', plant.deviceId)
        .execute(),
    );
    expect(left).toEqual([]);
  });
});
