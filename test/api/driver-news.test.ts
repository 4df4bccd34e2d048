import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { type RunningDriver, startDriver } from '../../driver/sdk/host/host.ts';
import { createVirtualDriver } from '../../driver/virtual/driver.ts';
import type { Payload } from '../../src/bus/topic/topics.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { startDriverRegistry } from '../../src/manager/presence/registry.ts';
import { add, onboard } from '../support/devices/plant.ts';
import { startWorld } from '../support/world/app.ts';
import { NO_READS } from '../support/world/environment.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared } from '../support/world/prepared.ts';

const Point = z.object({ multiple: z.number() });
const Driver = z.object({ driverCode: z.string() });
const Values = z.array(z.object({ createTime: z.string() }));

/** Sooner than two heartbeats, which mend it as well. */
const RESENT_MS = 20_000;

/** Races count on PostgreSQL only. */
const ROUNDS = process.env['SVC_TEST_DATABASE'] ? 60 : 3;

describe('what a driver knows of its devices', () => {
  let dataDir: string;
  let copy: RunningDriver;
  const world = prepared(() => startWorld());
  const plant = prepared(() => onboard(world.admin));
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'news-'));
    const { clock } = world;
    const options = { bus: world.app.bus, clock, log: createLog('silent'), node: 'n2', dataDir };
    const driver = { ...createVirtualDriver({ clock }), readCron: NO_READS };
    copy = await startDriver(driver, options);
    await eventually(
      async () => copy.devices().has(plant.deviceId),
      (has) => has,
    );
  });
  afterAll(async () => {
    await copy?.stop();
    await world?.stop();
    await rm(dataDir, { recursive: true });
  });

  const multiple = () =>
    copy
      .devices()
      .get(plant.deviceId)
      ?.points.find(({ id }) => id === plant.target)?.multiple;
  const update = (id: string, value: number) =>
    world.admin.data('/api/v3/manager/point/update', { id, multiple: value });
  /** Until `publish` is given back, the bus loses or refuses news of devices. */
  const withoutNews = (fail: boolean) => {
    const { bus } = world.app;
    const publish = bus.publish.bind(bus);
    bus.publish = async (topic, payload, options) => {
      if (topic !== 'svc.e.metadata') return publish(topic, payload, options);
      if (fail) throw new Error('the broker is away');
    };
    return () => {
      bus.publish = publish;
    };
  };

  it(`is what the database says after parallel changes, ${ROUNDS} times`, async () => {
    const stale: unknown[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      await Promise.all([1, 2, 3, 4].map((n) => update(plant.target, round * 10 + n)));
      const stored = Point.parse(
        await world.admin.data('/api/v3/manager/point/get_by_id', undefined, {
          id: plant.target,
        }),
      );
      // Everything sent before it has arrived when this has.
      const marker = round * 10;
      await update(plant.temperature, marker);
      await eventually(
        async () =>
          copy
            .devices()
            .get(plant.deviceId)
            ?.points.find(({ id }) => id === plant.temperature)?.multiple,
        (seen) => seen === marker,
      );
      if (multiple() !== stored.multiple) stale.push([round, multiple(), stored.multiple]);
    }
    expect(stale).toEqual([]);
  });

  it('is not set back by news that comes late', async () => {
    const device = copy.devices().get(plant.deviceId);
    if (!device) throw new Error('no device');
    const { tenantId, driverId, ...rest } = device;
    await update(plant.target, 7);
    await eventually(
      async () => multiple(),
      (seen) => seen === 7,
    );
    const late = (version: number): Payload<'svc.e.metadata'> => ({
      kind: 'device',
      driverCode: 'VirtualDriver',
      tenantId,
      driverId,
      device: rest,
      version,
    });
    const key = 'VirtualDriver';
    await world.bus.handled('svc.e.metadata', late(1), key);
    expect(multiple()).toBe(7);
    const removed = { kind: 'removed', driverCode: key, tenantId, deviceId: device.id } as const;
    await world.bus.handled('svc.e.metadata', { ...removed, version: 1 }, key);
    expect(copy.devices().has(device.id)).toBe(true);
  });

  it('is mended when the bus did not take a change', async () => {
    const back = withoutNews(true);
    await update(plant.target, 3);
    back();
    await eventually(
      async () => multiple(),
      (seen) => seen === 3,
      RESENT_MS,
    );
  });

  it('is mended when news was lost on its way: its heartbeats say what it knows', async () => {
    type State = Payload<'svc.e.state'>;
    const states: State[] = [];
    const resyncs: unknown[] = [];
    const key = 'VirtualDriver';
    const listening = [
      await world.app.bus.subscribe('svc.e.state', { queue: 'test.states', key }, async (state) => {
        if (state.node === 'n2' && state.known) states.push(state);
      }),
      await world.app.bus.subscribe(
        'svc.e.metadata',
        { queue: 'test.resyncs', key },
        async (message) => void (message.kind === 'resync' && resyncs.push(message.node)),
      ),
    ];
    const [own] = await eventually(
      async () => states,
      ({ length }) => length > 0,
    );
    if (!own) throw new Error('no heartbeat');
    const beat = () => world.bus.handled('svc.e.state', { ...own, devices: [] }, key);
    await beat();
    await beat();
    expect(resyncs).toEqual([]);
    const back = withoutNews(false);
    await update(plant.target, 4);
    back();
    expect(multiple()).toBe(3);
    await beat();
    expect(resyncs).toEqual([]);
    await beat();
    await eventually(
      async () => multiple(),
      (seen) => seen === 4,
      2 * RESENT_MS,
    );
    expect(resyncs).toEqual(['n2']);
    for (const subscription of listening) await subscription.cancel();
    await update(plant.target, 3);
  });

  it('is mended when a manager center starts that ended before it could tell', async () => {
    const gone = await add(world.admin, 'device', {
      deviceName: fresh('gone'),
      driverId: plant.driverId,
      profileId: plant.profileId,
    });
    await eventually(
      async () => copy.devices().has(gone),
      (has) => has,
    );
    const back = withoutNews(false);
    await update(plant.target, 5);
    await world.admin.data('/api/v3/manager/device/delete', { id: gone });
    back();
    expect([multiple(), copy.devices().has(gone)]).toEqual([3, true]);
    const started = await startDriverRegistry(world.app, async () => {});
    await eventually(
      async () => [multiple(), copy.devices().has(gone)],
      ([seen, has]) => seen === 5 && has === false,
      RESENT_MS,
    );
    await started.stop();
  });

  describe('and the values of a device that moved to another driver', () => {
    const value = (deviceId: string, pointId: string, originTime: number) => ({
      deviceId,
      pointId,
      rawValue: '1',
      calValue: '1',
      numValue: 1,
      originTime,
      seq: 0,
      quality: 0 as const,
    });
    const report = async (driverId: string, driverCode: string, at: number, pointId: string) => {
      const { tenantId } = world.admin;
      const values = [value(plant.deviceId, pointId, at)];
      const batch = { tenantId, driverId, driverCode, node: 'n', values };
      await world.bus.handled('svc.e.value', batch, driverCode);
    };
    const stored = async (): Promise<string[]> => {
      const path = '/api/v3/data/point_value/list_history_by_device_id_and_point_id';
      const query = { device_id: plant.deviceId, point_id: plant.temperature, count: '100' };
      const rows = Values.parse(await world.admin.data(path, undefined, query));
      return rows.map(({ createTime }) => createTime);
    };

    it('are stored from the first one on; what is refused is counted and shown', async () => {
      const at = world.clock.now() - 100_000;
      await report(plant.driverId, 'VirtualDriver', at, plant.temperature);
      const driverId = await add(world.admin, 'driver', {
        driverName: fresh('other'),
        serviceName: 'svc-driver-other',
      });
      const { driverCode } = Driver.parse(
        await world.admin.data('/api/v3/manager/driver/get_by_id', undefined, {
          id: driverId,
        }),
      );
      await world.admin.data('/api/v3/manager/device/update', { id: plant.deviceId, driverId });
      await report(driverId, driverCode, at + 1_000, plant.temperature);
      expect(await stored()).toContain(new Date(at + 1_000).toISOString());
      await report(plant.driverId, 'VirtualDriver', at + 2_000, plant.temperature);
      await report(driverId, driverCode, at + 2_000, '999999');
      const health = await world.admin.data('/api/v3/data/dashboard/system/health');
      expect(health).toMatchObject({
        refusedValues: expect.arrayContaining([
          expect.objectContaining({ driverCode: 'VirtualDriver', reason: 'OTHER_DRIVER' }),
          expect.objectContaining({ driverCode, reason: 'UNKNOWN_POINT', refused: 1 }),
        ]),
      });
    });
  });
});
