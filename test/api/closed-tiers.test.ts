import { expect, it } from 'vitest';

import { runTiers } from '../support/runs/history/tiers.ts';
import { startWorld } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';
import { HeldClock } from '../support/world/shifted-clock.ts';

const NOW = Date.UTC(2026, 9, 25, 10, 20, 17);

const clock = new HeldClock();
clock.shift(NOW - clock.now());
const world = started(() => startWorld({ clock }));

it('values in random order, late and again, closed by turns that end anywhere, read as a plain table', async () => {
  clock.hold();
  clock.shift(NOW - clock.now());
  const session = await world.tenant('tiers');
  const ran = await runTiers(world, session, {
    seed: 31,
    now: NOW,
    hours: 30,
    everyMs: 4 * 60_000,
  });
  expect(ran.differ).toEqual([]);
  expect(ran.again).toBeGreaterThan(400);
  expect(ran.ended).toBeGreaterThan(0);
  expect(ran.deleted).toBeGreaterThan(100);
});
