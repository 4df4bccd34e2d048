import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type RunningDriver, startDriver } from '../../driver/sdk/host/host.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { clearDevice, type ClearDevice } from '../support/devices/clear-device.ts';
import { lwm2mDriver } from '../support/lwm2m/lwm2m-driver.ts';
import { openObservedDevice } from '../support/observe/observed-device.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared } from '../support/world/prepared.ts';
import { until } from '../support/world/until.ts';

const VERIFIED = { status: 'SUCCESS', verification: 'VERIFIED', errorCode: '' };
const DOUBTED = { status: 'SUCCESS', verification: 'UNVERIFIED', errorCode: 'PEER_CHANGED' };

/** The driver of the platform, and a second copy of it with a port of its own. */
describe('a device of two copies of the LwM2M driver', () => {
  let dataDir: string;
  let copy: RunningDriver;
  let there: { port: number; node: string };
  const devices: ClearDevice[] = [];

  const world = prepared(() => startWorld());
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'copy-'));
    const { bus, clock } = world.app;
    const log = createLog('silent');
    const driver = lwm2mDriver({ clock, log, dataDir });
    copy = await startDriver(driver, { bus, clock, log, node: 'copy', dataDir });
    there = { port: driver.port(), node: 'copy' };
    await eventually(async () => copy.registered(), Boolean);
  });
  afterAll(async () => {
    for (const device of devices) device.close();
    await copy?.stop();
    await world?.stop();
    await rm(dataDir, { recursive: true });
  });

  const fresh = async (): Promise<ClearDevice> => {
    const device = await clearDevice(world);
    devices.push(device);
    return device;
  };

  it('that goes to another copy with its address is the same device: no alarm, and VERIFIED', async () => {
    const device = await fresh();
    await device.at('127.0.0.1');
    expect(await device.write(21)).toMatchObject(VERIFIED);
    await device.at('127.0.0.1', there);
    expect(await device.write(22)).toMatchObject(VERIFIED);
    await device.at('127.0.0.1');
    expect(await device.write(23)).toMatchObject(VERIFIED);
    expect(await device.alarms()).toEqual([]);
  });

  it('that is observed is observed at the other copy, and no longer at the first one', async () => {
    const known = await clearDevice(world, { observe: 'true', pmax: '3600' });
    const device = await openObservedDevice(world.lwm2mPort);
    devices.push(known);
    try {
      const registers = (port: number) =>
        eventually(
          () => device.register(known.endpoint, port),
          (code) => code === '2.01',
        );
      await registers(world.lwm2mPort);
      await until(() => expect(device.taken.length).toBe(1));
      await registers(there.port);
      await until(() => expect(device.taken.length).toBe(2));
      device.say('25');
      await until(async () =>
        expect(await known.latest()).toMatchObject({ records: [{ calValue: '25' }] }),
      );
      const [first] = device.taken;
      // The first copy learns of it from the platform.
      await until(() => {
        device.say('26', first);
        expect(first?.isOver).toBe(true);
      });
    } finally {
      device.close();
    }
  });

  it('that another address takes over at another copy raises the alarm, and nothing is verified before it is confirmed', async () => {
    const device = await fresh();
    await device.at('127.0.0.1');
    expect(await device.write(21)).toMatchObject(VERIFIED);
    await device.at('127.0.0.2', there);
    expect(await device.write(22)).toMatchObject(DOUBTED);
    const [alarm, ...more] = await eventually(device.alarms, (all) => all.length > 0);
    expect(more).toEqual([]);
    expect(alarm).toMatchObject({
      alarmSourceFlag: 4,
      message: expect.stringContaining('127.0.0.2 and no longer from 127.0.0.1'),
    });
    expect(await device.latest()).toMatchObject({
      records: [{ calValue: '22', quality: 'UNCERTAIN', valueIssue: alarm?.message }],
    });
    // The doubt goes with the device, and its alarm is there already.
    await device.at('127.0.0.2');
    expect(await device.write(23)).toMatchObject(DOUBTED);
    expect(await device.alarms()).toHaveLength(1);
    const decision = { source: 'device', id: alarm?.id };
    await world.admin.data('/api/v3/data/dashboard/alert/confirm', decision);
    await eventually(
      () => device.write(24),
      ({ verification }) => verification === 'VERIFIED',
    );
    await device.at('127.0.0.2', there);
    expect(await device.write(25)).toMatchObject(VERIFIED);
    expect(await device.alarms()).toHaveLength(1);
  });

  it('that comes back from its own address is another change, and doubted again', async () => {
    const device = await fresh();
    await device.at('127.0.0.1');
    expect(await device.write(21)).toMatchObject(VERIFIED);
    await device.at('127.0.0.2', there);
    expect(await device.write(22)).toMatchObject(DOUBTED);
    await device.at('127.0.0.1');
    expect(await device.write(23)).toMatchObject(DOUBTED);
    const alarms = await eventually(device.alarms, (all) => all.length === 2, 30_000);
    expect(alarms.map(({ message }) => message.split(';')[0]?.split(' now ')[1])).toEqual([
      'answers from 127.0.0.1 and no longer from 127.0.0.2',
      'answers from 127.0.0.2 and no longer from 127.0.0.1',
    ]);
  });
});
