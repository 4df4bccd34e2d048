import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { onboard, type Plant } from '../support/devices/plant.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const MANAGER = '/api/v3/manager';
const Topology = z.object({
  nodes: z.array(z.object({ id: z.string(), layer: z.number(), type: z.string() })),
  links: z.array(z.object({ source: z.string(), target: z.string(), value: z.number() })),
  stats: z.record(z.string(), z.unknown()),
});

describe('the overview of a tenant', () => {
  let plant: Plant;
  const world = startedWorld();
  const mine = prepared(() => world.tenant('mine'));
  beforeAll(async () => {
    await onboard(await world.tenant('other'));
    plant = await onboard(mine);
  });

  const get = (path: string, query: Record<string, string> = {}) =>
    mine.data(`${MANAGER}/${path}`, undefined, query);

  it('counts drivers and devices by what they are, of this tenant only', async () => {
    expect(await get('dashboard/device/stats', { top_n: '5' })).toEqual({
      total: 1,
      byEnable: [{ key: 'ENABLE', count: 1 }],
      byDriver: [{ key: plant.driverId, count: 1 }],
      byProfile: [{ key: plant.profileId, count: 1 }],
    });
    expect(await get('dashboard/driver/stats')).toMatchObject({
      total: 2,
      byEnable: [{ key: 'ENABLE', count: 2 }],
      byType: [{ key: 'DRIVER_CLIENT', count: 2 }],
    });
  });

  it('says what was added on which day, today last', async () => {
    expect(await get('dashboard/growth', { days: '3' })).toEqual({
      driverDailyCounts: [0, 0, 2],
      deviceDailyCounts: [0, 0, 1],
      pointDailyCounts: [0, 0, 2],
      profileDailyCounts: [0, 0, 1],
    });
    expect((await mine.get(`${MANAGER}/dashboard/growth`, { days: '91' })).status).toBe(400);
  });

  it('draws drivers, devices and profiles, linked by the number of their points', async () => {
    const { nodes, links, stats } = Topology.parse(await get('dashboard/topology'));
    const ids = [
      `driver:${plant.driverId}`,
      `device:${plant.deviceId}`,
      `profile:${plant.profileId}`,
    ];
    expect(nodes.map(({ id, layer }) => [id, layer])).toEqual(ids.map((id, layer) => [id, layer]));
    expect(links).toEqual([
      { source: ids[0], target: ids[1], value: 2 },
      { source: ids[1], target: ids[2], value: 2 },
    ]);
    expect(stats).toMatchObject({ driverCount: 2, deviceCount: 1, profileCount: 1, pointCount: 2 });
  });

  it('lists entries for selection, narrowed to what they belong to', async () => {
    const list = (name: string, body: object = {}) =>
      mine.data(`${MANAGER}/dictionary/${name}`, body);
    const device = { type: 'device', value: plant.deviceId, disabled: false, children: [] };
    expect(await list('device')).toMatchObject({ total: 1, records: [device] });
    expect(await list('profile', { label: 'room' })).toMatchObject({ total: 1 });
    expect(await list('driver', { label: 'Virtual' })).toMatchObject({
      records: [{ label: 'Virtual Driver', value: plant.driverId }],
    });
    for (const [name, parentId] of [
      ['device_point', plant.deviceId],
      ['profile_point', plant.profileId],
    ] as const)
      expect(await list(name, { parentId })).toMatchObject({
        records: [{ label: 'target' }, { label: 'temperature' }],
      });
    expect(await list('driver_device', { parentId: plant.driverId })).toMatchObject({ total: 1 });
    const missing = await mine.post(`${MANAGER}/dictionary/device_point`, { parentId: '999999' });
    expect(missing.status).toBe(404);
  });

  it('says which devices have a point, and which points of a device are configured', async () => {
    const statistics = await get('point/list_device_statistics_by_point_id', {
      point_id: plant.target,
    });
    expect(statistics).toMatchObject({ count: 1, devices: [{ id: plant.deviceId }] });
    const configs = await get('point/get_point_config_by_device_id', { device_id: plant.deviceId });
    expect(configs).toMatchObject({
      configCount: 1,
      unConfigCount: 1,
      points: [{ id: plant.target }],
    });
    const query = { driver_id: plant.driverId };
    expect(await get('device/get_count_by_driver_id', query)).toBe(1);
  });

  it('says where on the bus values travel', async () => {
    expect(await mine.data(`${MANAGER}/topic/list`, { topic: 'Virtual' })).toMatchObject({
      total: 2,
      records: [
        { topic: 'svc.e.value/VirtualDriver', pointName: 'temperature' },
        { topic: 'svc.e.value/VirtualDriver', pointName: 'target' },
      ],
    });
  });
});
