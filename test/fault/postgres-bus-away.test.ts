import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { dispatch } from '../../src/data/write/dispatch.ts';
import { insertWrite } from '../../src/data/write/dispatch.ts';
import { checkWrite } from '../../src/data/write/write-check.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { type DriverPlatform, startDriverPlatform } from '../../src/start/platform.ts';
import { readSettings } from '../../src/start/settings.ts';
import { onboard, type Plant } from '../support/devices/plant.ts';
import { type Wire, wireTo } from '../support/neighbours/rabbitmq.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { freshDatabase } from '../support/world/database.ts';
import { eventually } from '../support/world/eventually.ts';

const COMMAND = '/api/v3/data/point_command';
const Receipt = z.looseObject({ status: z.string(), errorCode: z.string() });
const Ready = z.object({ waitingFor: z.array(z.string()) });

describe('a broker that is out of reach', () => {
  let wire: Wire;
  let world: World;
  let driver: DriverPlatform;
  let plant: Plant;
  beforeAll(async () => {
    const database = await freshDatabase();
    wire = await wireTo(database.environment['AMQP_URL'] ?? '');
    const environment = {
      AMQP_URL: wire.url,
      SVC_BUS_PREFIX: database.environment['SVC_BUS_PREFIX'] ?? '',
    };
    world = await startWorld({ database, environment });
    driver = await startDriverPlatform(
      readSettings({ ...world.environment, SVC_ROLES: 'driver-virtual', SVC_NODE: 'second' }),
      { log: createLog('silent') },
    );
    plant = await onboard(world.admin);
  });
  afterAll(async () => {
    await driver?.stop();
    await world?.stop();
    await wire?.close();
  });

  async function ready(base: string): Promise<{ status: number; waitingFor: string[] }> {
    const answer = await fetch(`${base}/readyz`);
    return { status: answer.status, ...Ready.parse(await answer.json()) };
  }
  const receiptOf = async (commandId: unknown) =>
    Receipt.parse(
      await world.admin.data('/api/v3/data/point_command_history/get_by_command_id', undefined, {
        commandId: String(commandId),
      }),
    );
  const read = () =>
    world.admin.post(`${COMMAND}/read`, { deviceId: plant.deviceId, pointId: plant.target });

  it('is missed by the platform and by a driver alone, and both are ready again after it', async () => {
    const doors = [world.base, `http://127.0.0.1:${driver.healthPort}`];
    for (const door of doors)
      expect(
        await eventually(
          () => ready(door),
          ({ status }) => status === 200,
        ),
      ).toEqual({
        status: 200,
        waitingFor: [],
      });
    wire.cut();
    for (const door of doors)
      expect(
        await eventually(
          () => ready(door),
          ({ status }) => status === 503,
        ),
      ).toEqual({
        status: 503,
        waitingFor: ['message bus'],
      });
    const alive = await fetch(`${doors[1]}/livez`);
    expect(alive.status).toBe(200);
    wire.mend();
    for (const door of doors)
      expect(
        await eventually(
          () => ready(door),
          ({ status }) => status === 200,
        ),
      ).toMatchObject({
        waitingFor: [],
      });
  });

  it('refuses a command at once, accepts nothing, and takes the next when it is back', async () => {
    wire.cut();
    await eventually(
      async () => world.app.bus.isUp(),
      (isUp) => !isUp,
    );
    const { status, body } = await read();
    expect([status, body.code]).toEqual([503, 'R503']);
    expect(body.message).toContain('nothing was accepted');
    wire.mend();
    const answer = await eventually(read, (now) => now.status === 200);
    const end = await eventually(
      () => receiptOf(answer.body.data),
      (now) => !['PENDING', 'SENT'].includes(now.status),
    );
    expect(end).toMatchObject({ status: 'SUCCESS' });
    const listed = await world.admin.data('/api/v3/data/point_command_history/list', {});
    expect(JSON.stringify(listed)).not.toMatch(/BUS_FULL|BUS_AWAY/);
  });

  it('ends a command that was accepted just before with the reason that nothing was sent', async () => {
    const { app, clock, admin } = world;
    const { tenantId } = admin;
    const { deviceId, target: pointId } = plant;
    const commandId = randomUUID();
    await inTenant(app.db, tenantId, async (q) => {
      const checked = await checkWrite(q, app, tenantId, { deviceId, pointId, value: '21' });
      const caller = { tenantId, principalId: '1' };
      await insertWrite(q, { ...checked, caller, source: 'HTTP', commandId, now: clock.now() });
    });
    wire.cut();
    await eventually(
      async () => app.bus.isUp(),
      (isUp) => !isUp,
    );
    await dispatch(app, { tenantId, commandId });
    expect(await receiptOf(commandId)).toMatchObject({
      status: 'FAILED',
      errorCode: 'BUS_AWAY',
    });
    wire.mend();
  });
});
