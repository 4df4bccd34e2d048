import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inTenant } from '../../src/db/tenant.ts';
import { onboard, type Plant } from '../support/devices/plant.ts';
import { watched } from '../support/devices/watched.ts';
import { worker } from '../support/people/accounts.ts';
import type { Session } from '../support/people/session.ts';
import { Id } from '../support/people/shapes.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data';
const MANAGER = '/api/v3/manager';
const SECOND = 1_000;
const Changes = z.array(
  z.object({ kind: z.string(), entityId: z.string(), operateTime: z.string() }),
);

const Covered = z.object({
  rules: z.array(
    z.object({ ruleId: z.string(), ruleName: z.string(), warnings: z.array(z.string()) }),
  ),
});

let plant: Plant;
let other: Plant;
const world = startedWorld();
const mine = prepared(() => world.tenant('mine'));
beforeAll(async () => {
  const theirs = await world.tenant('theirs');
  plant = await onboard(mine);
  other = await onboard(theirs);
  await raise(
    theirs,
    'OFFLINE',
    other,
    [1, 2, 3, 4, 5].map((at) => at * 100),
  );
});

const get = (path: string, query: Record<string, string> = {}) =>
  mine.data(`${DATA}/dashboard/${path}`, undefined, query);

const TYPES = { OFFLINE: 1, FAULT: 2 } as const;

/** Alarms of the device, or of its point for FAULT, some seconds ago. */
const raise = ({ tenantId }: Session, type: keyof typeof TYPES, of: Plant, ago: number[]) =>
  inTenant(world.app.db, tenantId, (q) =>
    q
      .insertInto('svc_entity_alarm')
      .values(
        ago.map((seconds) => ({
          tenantId,
          alarmTargetTypeFlag: type === 'FAULT' ? 0 : 1,
          entityId: of.deviceId,
          driverId: of.driverId,
          deviceId: of.deviceId,
          pointId: type === 'FAULT' ? of.temperature : '0',
          alarmTypeFlag: TYPES[type],
          alarmSourceFlag: 0,
          createTime: new Date(world.clock.now() - seconds * SECOND),
          operateTime: new Date(world.clock.now()),
        })),
      )
      .execute(),
  );

it('says which alarms come together, those of the tenant alone', async () => {
  await raise(mine, 'OFFLINE', plant, [100, 200, 300, 4_000]);
  expect(await get('alert/correlation')).toEqual([]);
  await raise(mine, 'FAULT', plant, [90, 205, 340]);
  const pair = {
    aSource: 'device',
    aSourceId: plant.deviceId,
    aDeviceId: plant.deviceId,
    aEventType: 1,
    bSource: 'point',
    bSourceId: plant.temperature,
    bDeviceId: plant.deviceId,
    bEventType: 2,
  };
  expect(await get('alert/correlation')).toEqual([{ ...pair, coCount: 2 }]);
  expect(await get('alert/correlation', { window_sec: '60' })).toEqual([{ ...pair, coCount: 3 }]);
  // One second is moved to five: the second pair of times only, which is no pattern.
  expect(await get('alert/correlation', { window_sec: '1' })).toEqual([]);
});

it('says what was configured last, a setting as a change of its device', async () => {
  const found = Changes.parse(await get('alert/change_impact'));
  const keys = found.map(({ kind, entityId }) => `${kind}:${entityId}`);
  expect(new Set(keys).size).toBe(keys.length);
  for (const key of [
    `device:${plant.deviceId}`,
    `point:${plant.target}`,
    `point:${plant.temperature}`,
    `profile:${plant.profileId}`,
  ])
    expect(keys).toContain(key);
  expect(keys).not.toContain(`device:${other.deviceId}`);
  const { deviceName } = z
    .looseObject({ deviceName: z.string() })
    .parse(await mine.data(`${MANAGER}/device/get_by_id`, undefined, { id: plant.deviceId }));
  world.clock.shift(60 * SECOND);
  await mine.data(`${MANAGER}/profile/update`, { id: plant.profileId, remark: `of ${deviceName}` });
  const [newest] = Changes.parse(await get('alert/change_impact', { limit: '1' }));
  expect(newest).toMatchObject({ kind: 'profile', entityId: plant.profileId });
});

it('says which points no rule watches', async () => {
  const items = [plant.temperature, plant.target].map((pointId) => ({
    pointId,
    profileId: plant.profileId,
  }));
  expect(await get('coverage/gap')).toEqual({ totalPoints: 2, missingPoints: 2, items, rules: [] });
  expect(await get('coverage/gap', { limit: '1' })).toMatchObject({
    missingPoints: 2,
    items: items.slice(0, 1),
  });
  const rule = (entityId: string, given: object = {}) =>
    mine.data(`${DATA}/rule/add`, {
      ruleName: `rule on ${entityId}`,
      alarmTargetTypeFlag: 'POINT',
      entityId,
      ruleExt: { content: { condition: { field: 'calValue', operator: 'exists' } } },
      ...given,
    });
  await rule(plant.temperature);
  await rule(plant.target, { enableFlag: 'DISABLE' });
  expect(await get('coverage/gap')).toEqual({
    totalPoints: 2,
    missingPoints: 1,
    items: items.slice(1),
    rules: [],
  });
  const whole = { totalPoints: 2, missingPoints: 0, items: [], rules: [] };
  const of = (content: object, more: object = {}) => ({ ruleExt: { content }, ...more });
  const formula = { formula: 'value - target', operator: '>', threshold: 5 };
  const ofBoth = Id.parse(
    await rule(plant.temperature, of({ condition: formula }, { ruleName: 'both' })),
  );
  expect(await get('coverage/gap')).toEqual(whole);
  await mine.data(`${DATA}/rule/delete`, { id: ofBoth });
  expect(await get('coverage/gap')).toMatchObject({ missingPoints: 1 });
  await rule('0');
  expect(await get('coverage/gap')).toEqual(whole);
});

it('says which enabled rules cannot fire, and why', async () => {
  const tenant = await world.tenant('coverage-rules');
  const { site, ruleId, measure } = await watched(world, tenant, 'kiln');
  const rules = async (limit = '100') =>
    Covered.parse(await tenant.data(`${DATA}/dashboard/coverage/gap`, undefined, { limit })).rules;
  const mute = { ruleId, ruleName: 'kiln too hot', warnings: ['NO_NUMBER'] };
  expect(await rules()).toEqual([mute]);
  await measure(70);
  expect(await rules()).toEqual([]);
  await tenant.data(`${MANAGER}/device/update`, { id: site.deviceId, enableFlag: 'DISABLE' });
  expect(await rules()).toEqual([{ ...mute, warnings: ['NOTHING'] }]);
  await tenant.data(`${DATA}/rule/update`, { id: ruleId, enableFlag: 'DISABLE' });
  expect(await rules()).toEqual([]);
});

describe('a dashboard', () => {
  const paths = ['stats/today', 'alert/stats', 'coverage/gap', 'protocol/health'];

  it.each([
    ['svc-center-data:alarm:confirm', 403],
    ['svc-center-data:dashboard:get', 200],
  ])('answers a person with %s: %i', async (code, status) => {
    const { session } = await worker(mine, [code]);
    for (const path of paths)
      expect((await session.get(`${DATA}/dashboard/${path}`)).status).toBe(status);
  });
});
