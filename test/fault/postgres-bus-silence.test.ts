import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  heard,
  scanTwice,
  type SilentPlant,
  silentPlant,
} from '../support/devices/silent-plant.ts';
import { type Wire, wireTo } from '../support/neighbours/rabbitmq.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { freshDatabase } from '../support/world/database.ts';
import { eventually } from '../support/world/eventually.ts';

const MINUTE = 60_000;

describe('a bus that was away for longer than a lease', () => {
  let wire: Wire;
  let world: World;
  let plant: SilentPlant;
  beforeAll(async () => {
    const database = await freshDatabase();
    wire = await wireTo(database.environment['AMQP_URL'] ?? '');
    world = await startWorld({ database, environment: { AMQP_URL: wire.url } });
    plant = await silentPlant(world);
  });
  afterAll(async () => {
    await world?.stop();
    await wire?.close();
  });

  it('makes no device and no point silent, during it and after it', async () => {
    await plant.beat(world);
    wire.cut();
    await eventually(
      async () => world.app.bus.isUp(),
      (isUp) => !isUp,
    );
    // The first moment without heartbeats is 10 s ago.
    world.clock.shift(11_000);
    await eventually(
      () => heard(world),
      (now) => now?.isPaused === true,
    );
    world.clock.shift(30 * MINUTE);
    expect(await plant.status(world.admin)).toBe('online');
    await scanTwice(world);
    expect(await plant.alarms(world.admin)).toEqual([]);
    wire.mend();
    await eventually(
      () => heard(world),
      (now) => now?.isPaused === false,
    );
    await scanTwice(world);
    expect(await plant.status(world.admin)).toBe('online');
    expect(await plant.alarms(world.admin)).toEqual([]);
  });

  it('is no excuse for a device that stays silent after it', async () => {
    world.clock.shift(46_000);
    await scanTwice(world);
    expect(await plant.status(world.admin)).toBe('offline');
    expect(await plant.alarms(world.admin)).toHaveLength(1);
  });
});
