import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type RunningDriver, startDriver } from '../../driver/sdk/host/host.ts';
import { createVirtualDriver } from '../../driver/virtual/driver.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { onboard, type Plant } from '../support/devices/plant.ts';
import { type Wire, wireTo } from '../support/neighbours/rabbitmq.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { freshDatabase } from '../support/world/database.ts';
import { NO_READS } from '../support/world/environment.ts';
import { eventually } from '../support/world/eventually.ts';

describe('a broker that comes back without the news of drivers', () => {
  let wire: Wire;
  let world: World;
  let plant: Plant;
  let dataDir: string;
  let driver: RunningDriver;
  beforeAll(async () => {
    const database = await freshDatabase();
    wire = await wireTo(database.environment['AMQP_URL'] ?? '');
    world = await startWorld({ database, environment: { AMQP_URL: wire.url } });
    plant = await onboard(world.admin);
    dataDir = await mkdtemp(join(tmpdir(), 'news-'));
    const { clock } = world;
    const options = { bus: world.app.bus, clock, log: createLog('silent'), node: 'n2', dataDir };
    const virtual = { ...createVirtualDriver({ clock }), readCron: NO_READS };
    driver = await startDriver(virtual, options);
    await eventually(
      async () => driver.registered() && driver.devices().has(plant.deviceId),
      (isThere) => isThere,
    );
  });
  afterAll(async () => {
    await driver?.stop();
    await world?.stop();
    await wire?.close();
    await rm(dataDir, { recursive: true });
  });

  const multiple = () =>
    driver
      .devices()
      .get(plant.deviceId)
      ?.points.find(({ id }) => id === plant.target)?.multiple;
  const isUp = (expected: boolean) =>
    eventually(
      async () => world.app.bus.isUp(),
      (now) => now === expected,
    );

  it('makes them register again, so that they know what changed', async () => {
    const { bus } = world.app;
    const publish = bus.publish.bind(bus);
    bus.publish = async (topic, payload, options) => {
      if (topic !== 'svc.e.metadata') return publish(topic, payload, options);
    };
    await world.admin.data('/api/v3/manager/point/update', { id: plant.target, multiple: 5 });
    bus.publish = publish;
    expect(multiple()).not.toBe(5);
    wire.cut();
    await isUp(false);
    wire.mend();
    await isUp(true);
    await eventually(
      async () => multiple(),
      (seen) => seen === 5,
      12_000,
    );
  });
});
