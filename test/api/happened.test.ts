import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { raise } from '../../src/alarm/alarm/raise.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { onboard } from '../support/devices/plant.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const HOUR_MS = 3_600_000;
const PAGE = '/api/v3/data/dashboard/alert/page';
const LIST = '/api/v3/data/point_command_history/list';
const Found = z.looseObject({ records: z.array(z.looseObject({ deviceId: z.string() })) });

describe('what happened to a device in a time', () => {
  let start: number;
  const world = startedWorld();
  const mine = prepared(() => world.tenant('happened'));
  const plant = prepared(() => onboard(mine));
  beforeAll(() => {
    start = world.clock.now();
  });

  const iso = (at: number): string => new Date(at).toISOString();

  it('are its alarms from the beginning, which counts, to the end, which does not', async () => {
    const { tenantId } = mine;
    const place = { entityId: '1', driverId: '1', pointId: '3' };
    await inTenant(world.app.db, tenantId, async (q) => {
      for (const deviceId of ['77', '78'])
        for (const hour of [0, 1, 2, 3]) {
          const message = `${deviceId} ${hour}`;
          const alarm = { target: 'POINT', type: 'RULE', source: 'SYSTEM', level: 0 } as const;
          const now = start + hour * HOUR_MS;
          await raise(q, { ...alarm, tenantId, ...place, deviceId, message, now });
        }
    });
    const found = async (more: object): Promise<unknown[]> => {
      const page = Found.parse(await mine.data(PAGE, { deviceId: '77', size: 200, ...more }));
      return page.records.map(({ message }) => message);
    };
    const [from, to] = [iso(start + HOUR_MS), iso(start + 3 * HOUR_MS)];
    expect(await found({})).toEqual(['77 3', '77 2', '77 1', '77 0']);
    expect(await found({ from, to })).toEqual(['77 2', '77 1']);
    expect(await found({ from })).toEqual(['77 3', '77 2', '77 1']);
    expect(await found({ to: start + HOUR_MS })).toEqual(['77 0']);
    expect(await found({ deviceId: '79' })).toEqual([]);
    const theirs = await world.tenant('happened-elsewhere');
    expect(Found.parse(await theirs.data(PAGE, { deviceId: '77' })).records).toEqual([]);
  });

  it('are its commands in the same way', async () => {
    const target = { deviceId: plant.deviceId, pointId: plant.temperature };
    const times: number[] = [];
    for (let index = 0; index < 3; index += 1) {
      times.push(world.clock.now());
      await mine.data('/api/v3/data/point_command/read', target);
      world.clock.shift(10_000);
    }
    const found = async (more: object): Promise<number> =>
      Found.parse(await mine.data(LIST, { deviceId: plant.deviceId, ...more })).records.length;
    const [, second = 0, third = 0] = times;
    expect(await found({})).toBe(3);
    expect(await found({ from: iso(second) })).toBe(2);
    expect(await found({ to: iso(second) })).toBe(1);
    expect(await found({ from: iso(second), to: iso(third) })).toBe(1);
    expect(await found({ from: iso(second), to: iso(third), page: 1, size: 5 })).toBe(1);
  });

  it('is refused in words for a time that is none', async () => {
    for (const path of [PAGE, LIST])
      for (const from of ['yesterday', 'x'.repeat(50), -1]) {
        const { status, body } = await mine.post(path, { from });
        expect([status, body.code]).toEqual([400, 'R400']);
      }
  });
});
