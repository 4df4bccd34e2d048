import { setTimeout as sleep } from 'node:timers/promises';

import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { inTenant } from '../../src/db/tenant.ts';
import { onboard, type Plant } from '../support/devices/plant.ts';
import { startTcpProxy, type TcpProxy } from '../support/proxies/tcp-proxy.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { freshDatabase } from '../support/world/database.ts';
import { eventually } from '../support/world/eventually.ts';

/** Longer than the waits between the attempts that count (200 ms, 1 s and 5 s). */
const OUTAGE_MS = 8_000;

describe('a database server that was away', () => {
  let proxy: TcpProxy;
  let world: World;
  let plant: Plant;

  beforeAll(async () => {
    const database = await freshDatabase();
    const url = new URL(database.environment['DATABASE_URL'] ?? '');
    proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port || 5432) });
    url.host = `127.0.0.1:${proxy.port}`;
    world = await startWorld({ database, environment: { DATABASE_URL: url.href } });
    plant = await onboard(world.admin);
  });
  afterAll(async () => {
    await world?.stop();
    await proxy?.stop();
  });

  it('loses no value reported meanwhile, answers 503, and is used again when it is back', async () => {
    const { tenantId } = world.admin;
    proxy.cut();
    const reported = world.bus.publish(
      'svc.e.value',
      {
        tenantId,
        driverId: plant.driverId,
        driverCode: 'VirtualDriver',
        node: 'writer',
        values: [
          {
            deviceId: plant.deviceId,
            pointId: plant.temperature,
            rawValue: '7',
            calValue: '7',
            numValue: 7,
            originTime: 1_700_000_000_000,
            seq: 0,
            quality: 0,
          },
        ],
      },
      { key: 'VirtualDriver' },
    );
    expect((await world.admin.post('/api/v3/manager/device/list', {})).status).toBe(503);
    await sleep(OUTAGE_MS);
    proxy.mend();
    await reported;
    const stored = () =>
      inTenant(world.app.db, tenantId, async (q) => {
        const { rows } = await sql<{ count: string }>`
          select count(*) as count from svc_point_value
          where tenant_id = ${tenantId} and create_time < '2024-01-01'`.execute(q);
        return rows[0]?.count;
      });
    expect(await eventually(stored, (count) => count === '1')).toBe('1');
    expect((await world.admin.post('/api/v3/manager/device/list', {})).status).toBe(200);
  });
});
