import { expect, it } from 'vitest';
import { z } from 'zod';

import { virtualDriver } from '../support/devices/plant.ts';
import { alarmsAt, answersOf } from '../support/runs/history/readers.ts';
import {
  closeAll,
  counted,
  onlyRows,
  rowsOf,
  siteOf,
  storeRows,
} from '../support/runs/history/values.ts';
import { startWorld } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';
import { HeldClock } from '../support/world/shifted-clock.ts';
import { agentIn } from '../tools/agent.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;
/** In a quarter of an hour, so that ranges of dashboards begin within closed ones. */
const NOW = Date.UTC(2026, 9, 25, 10, 20, 17);

const clock = new HeldClock();
clock.shift(NOW - 5 * MINUTE - clock.now());
const world = started(() => startWorld({ clock }));

it('every reader answers the same once hours are closed', async () => {
  // Its hours begin in a quarter of those of UTC.
  const timezone = 'Asia/Kathmandu';
  const session = await world.tenant('closed');
  const { tenantId } = session;
  await world.admin.data('/api/v3/auth/tenant/update', { id: tenantId, timezone });
  const site = await siteOf(session, await virtualDriver(session));
  clock.hold();
  clock.shift(NOW - clock.now());
  const caller = { ...agentIn(session), timezone };
  const first = rowsOf(site, 5, { end: NOW - 3 * MINUTE, hours: 52, everyMs: 4 * MINUTE });
  await storeRows(world, tenantId, first);
  const alarms = await alarmsAt(world, site, [
    NOW - 30 * HOUR,
    NOW - 5 * HOUR + 60_001,
    NOW - MINUTE,
  ]);
  const looked = { from: NOW - 53 * HOUR, to: NOW, alarms };
  const answers = () => answersOf(world, caller, site, looked);

  const before = await answers();
  const sizes = alarms.map((id) =>
    z.array(z.array(z.unknown())).parse(before[`around alarm ${id}`]),
  );
  expect(sizes.map((parts) => parts.map(({ length }) => length))).toEqual([
    [11, 24, 5],
    [11, 24, 5],
    [6, 24, 5],
  ]);
  const since = before[`readings since of ${site.devices[0]}/mode`];
  expect(z.array(z.unknown()).parse(since).length).toBeGreaterThan(50);
  expect(await closeAll(world, tenantId, NOW - 2 * HOUR)).toBeGreaterThan(1);
  const closed = await counted(world, tenantId);
  expect(closed?.hot).toBeLessThan(first.length / 10);
  expect([closed?.closed, closed?.delays]).toEqual([
    first.length - (closed?.hot ?? 0),
    closed?.closed,
  ]);
  expect(await answers()).toEqual(before);

  // Late ones stay rows beside closed hours until a later pass.
  const known = new Set(
    first.map(({ deviceId, pointId, at, seq }) => `${deviceId}:${pointId}:${at}:${seq}`),
  );
  const late = rowsOf(site, 6, { end: NOW - 3 * MINUTE, hours: 54, everyMs: 17 * MINUTE }).filter(
    ({ deviceId, pointId, at, seq }) => !known.has(`${deviceId}:${pointId}:${at}:${seq}`),
  );
  await storeRows(world, tenantId, late);
  const beside = await answers();
  await closeAll(world, tenantId, NOW - 2 * HOUR);
  const folded = await answers();
  const all = await counted(world, tenantId);
  expect((all?.hot ?? 0) + (all?.closed ?? 0)).toBe(first.length + late.length);
  await onlyRows(world, tenantId, [...first, ...late]);
  const plain = await answers();
  expect(beside).toEqual(plain);
  expect(folded).toEqual(plain);
});
