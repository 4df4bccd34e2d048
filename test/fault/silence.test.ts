import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { scanTwice, type SilentPlant, silentPlant } from '../support/devices/silent-plant.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { freshDatabase } from '../support/world/database.ts';
import { prepared } from '../support/world/prepared.ts';
import { ShiftedClock } from '../support/world/shifted-clock.ts';

const MINUTE = 60_000;

describe('a platform that was down', () => {
  let world: World;
  let plant: SilentPlant;
  const database = prepared(() => freshDatabase());
  beforeAll(async () => {
    const first = await startWorld({ database });
    plant = await silentPlant(first);
    await plant.beat(first);
    expect(await plant.status(first.admin)).toBe('online');
    await first.halt();
    const clock = new ShiftedClock();
    clock.shift(30 * MINUTE);
    world = await startWorld({ database, clock });
  });
  afterAll(() => world?.stop());

  it('takes what it could not hear for no silence: devices stay as they were, no alarm', async () => {
    expect(await plant.status(world.admin)).toBe('online');
    await scanTwice(world);
    expect(await plant.alarms(world.admin)).toEqual([]);
  });

  it('hears silence again from then on', async () => {
    world.clock.shift(46_000);
    expect(await plant.status(world.admin)).toBe('offline');
    await scanTwice(world);
    expect(await plant.alarms(world.admin)).toMatchObject([
      { message: expect.stringContaining('no heartbeat since') },
    ]);
    world.clock.shift(11 * MINUTE);
    await scanTwice(world);
    expect(await plant.alarms(world.admin)).toMatchObject([{}, { entityStateFlag: 1 }]);
  });
});
