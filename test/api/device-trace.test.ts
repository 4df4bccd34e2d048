import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { SimulatedDevice } from '../../driver/simulator/contract.ts';
import { startDevice } from '../../driver/simulator/device.ts';
import type { Bus } from '../../src/bus/bus.ts';
import { MemoryBus } from '../../src/bus/memory.ts';
import { explainDevice } from '../../src/cli/operator/explain-device.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { add, virtualDriver } from '../support/devices/plant.ts';
import { lwm2mDevice } from '../support/lwm2m/device.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { ShiftedClock } from '../support/world/shifted-clock.ts';

const AT = '/api/v3/manager/device/trace/get_by_device_id';
const Made = z.object({ pointIds: z.array(z.string()) });
const Key = z.object({ key: z.string() });
const Trace = z.object({
  stored: z.boolean(),
  since: z.string().nullable(),
  dropped: z.number(),
  exchanges: z.array(z.looseObject({ operation: z.string(), path: z.string() })),
});

/** docs/specification/lwm2m.md, Trace. */
describe('the last exchanges with a device', () => {
  const simulated: SimulatedDevice[] = [];
  const world = startedWorld();
  const admin = prepared(() => world.admin);
  afterAll(async () => {
    for (const device of simulated) await device.stop();
  });

  const traceOf = async (deviceId: string, session = admin) =>
    Trace.parse(await session.data(AT, undefined, { device_id: deviceId }));

  const served = prepared(async () => {
    const endpoint = fresh('urn:thing');
    const device = await lwm2mDevice(admin, { endpoint });
    const log = createLog('silent');
    const server = { host: '127.0.0.1', port: world.lwm2mPort };
    simulated.push(await startDevice({ endpoint, server, lifetimeS: 3600, log }));
    await eventually(
      () => traceOf(device.deviceId),
      ({ exchanges }) => exchanges.some(({ code }) => code === '2.01'),
    );
    return { ...device, endpoint };
  });

  it('are answered from the memory of its driver, with the names of the object registry', async () => {
    const { deviceId } = served;
    const registration = '/api/v3/manager/device/registration';
    await eventually(
      () => admin.get(`${registration}/get_by_device_id`, { device_id: deviceId }),
      ({ body }) => JSON.stringify(body.data).includes('/3303/0/5700'),
    );
    const paths = ['/3303/0/5700'];
    const made = await admin.data(`${registration}/make_profile`, { deviceId, paths });
    const [pointId] = Made.parse(made).pointIds;
    await eventually(
      () => admin.post('/api/v3/data/point_command/read', { deviceId, pointId }),
      ({ status }) => status === 200,
    );
    const trace = await eventually(
      () => traceOf(deviceId),
      ({ exchanges }) =>
        exchanges.some(({ operation, code }) => operation === 'READ' && code === '2.05'),
    );
    expect(trace).toMatchObject({ stored: true, since: expect.any(String) });
    expect(trace.exchanges.find(({ operation }) => operation === 'READ')).toMatchObject({
      from: 'PLATFORM',
      path: '/3303/0/5700',
      resourceName: 'Temperature: Sensor Value',
      code: '2.05',
      answer: { values: [{ path: '/3303/0/5700', resourceName: 'Temperature: Sensor Value' }] },
    });
    expect(trace.exchanges[0]).toMatchObject({ from: 'DEVICE', operation: 'REGISTER' });
  });

  it('are of the tenant of the device alone', async () => {
    const stranger = await world.tenant('trace');
    expect((await stranger.get(AT, { device_id: served.deviceId })).status).toBe(404);
  });

  it('are printed by svc explain device, with a key that reads', async () => {
    const { deviceId, deviceName, endpoint } = served;
    const scopes = ['svc:read'];
    const made = await admin.data('/api/v3/auth/key/add', { keyName: fresh('explain'), scopes });
    const folder = mkdtempSync(join(tmpdir(), 'explain-'));
    const keyFile = join(folder, 'key');
    writeFileSync(keyFile, `${Key.parse(made).key}\n`);
    const lines: string[] = [];
    const explained = (name: string) =>
      explainDevice(admin.base, name, { keyFile }, (line) => lines.push(line));
    await explained(deviceName);
    expect(lines[0]).toBe(`${deviceName} (id ${deviceId}) is online`);
    const text = lines.join('\n');
    expect(text).toContain(`It registered as ${endpoint}, LwM2M 1.1: /1/0 Server, /3/0 Device`);
    expect(text).toMatch(/←  REGISTER  \/rd  2\.01/);
    await expect(explained('nothing')).rejects.toThrow('there is no device nothing');
    rmSync(folder, { recursive: true });
  });

  it('are not there for a driver that stores none', async () => {
    const driverId = await virtualDriver(admin);
    const profileId = await add(admin, 'profile', { profileName: fresh('empty') });
    const deviceName = fresh('virtual');
    const deviceId = await add(admin, 'device', { deviceName, driverId, profileId });
    const trace = await traceOf(deviceId);
    expect(trace).toEqual({ stored: false, since: null, dropped: 0, exchanges: [] });
  });

  it('are refused after five seconds while a broker holds the request, and the process goes on', async () => {
    const clock = new ShiftedClock();
    const memory: Bus = new MemoryBus({ clock, log: createLog('silent') });
    const bus: Bus = {
      ...memory,
      publish: (topic, ...rest) =>
        topic === 'svc.e.trace_request' ? new Promise(() => {}) : memory.publish(topic, ...rest),
    };
    const held = await startWorld({ clock, bus });
    try {
      const driverId = await virtualDriver(held.admin);
      const profileId = await add(held.admin, 'profile', { profileName: fresh('empty') });
      const named = { deviceName: fresh('virtual'), driverId, profileId };
      const deviceId = await add(held.admin, 'device', named);
      expect((await held.admin.get(AT, { device_id: deviceId })).status).toBe(503);
    } finally {
      await held.stop();
    }
  });
});
