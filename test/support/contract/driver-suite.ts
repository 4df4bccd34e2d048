import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { DriverContext } from '../../../driver/index.ts';
import type { Driver, DriverDevice } from '../../../driver/sdk/driver.ts';
import { type RunningDriver, startDriver } from '../../../driver/sdk/host/host.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import { readSettings } from '../../../src/start/settings.ts';
import { type DriverCenter, openDriverCenter } from '../devices/driver-center.ts';
import { TestClock } from '../world/clock.ts';
import { until } from '../world/until.ts';

const log = createLog('silent');
const { drivers: settings } = readSettings({ LWM2M_HOST: '127.0.0.1', LWM2M_PORT: '0' });

/** What stands in the field: its set-point, and how often it was written. */
type Field = { setPoint(): number | null; writes(): number | null; stop(): Promise<void> };
/** A driver with a device that has the points 1 to 3: a number, a set-point (FLOAT) and a text. */
export type Member = {
  create(context: DriverContext): { driver: Driver; field(): Promise<Field> };
  device: DriverDevice;
};

/** What every driver does the same way. */
export function driverSuite(name: string, { create, device }: Member): void {
  describe.each([name])('%s', () => {
    let dataDir: string;
    let clock: TestClock;
    let driver: Driver;
    let center: DriverCenter;
    let running: RunningDriver;
    let field: Field;
    const touched: string[] = [];

    beforeEach(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'driver-'));
      clock = new TestClock();
      touched.length = 0;
      const made = create({ clock, log, dataDir, settings });
      driver = made.driver;
      center = await openDriverCenter(clock, driver.code, [device]);
      const crash = (point: string) => void touched.push(point);
      running = await startDriver(driver, {
        bus: center.bus,
        clock,
        log,
        node: 'n1',
        dataDir,
        crash,
      });
      await until(() => expect(running.devices().size).toBe(1));
      field = await made.field();
      await vi.waitFor(() => expect(driver.status(device).status).toBe('ONLINE'), 10_000);
    });

    afterEach(async () => {
      await field.stop();
      await running.stop();
      await center.bus.close();
      await rm(dataDir, { recursive: true });
    });

    it('registers with its attributes, once', async () => {
      await clock.advance(60_000);
      expect(center.registrations).toHaveLength(1);
      expect(center.registrations[0]).toMatchObject({
        driverCode: driver.code,
        driverName: driver.name,
        driverType: 'DRIVER_CLIENT',
        serviceName: expect.stringMatching(/^svc-driver-[a-z0-9]+$/),
        node: 'n1',
        driverAttributes: driver.driverAttributes,
        pointAttributes: driver.pointAttributes,
      });
    });

    it('says at once and then every 15 s how its devices are, with a lease of 45 s', async () => {
      const online = { tenantId: '1', deviceId: '1', status: 'ONLINE' };
      await until(() => expect(center.states.at(-1)?.devices).toMatchObject([online]));
      const before = center.states.length;
      await clock.advance(30_000);
      expect(center.states.slice(before)).toMatchObject([
        { leaseMs: 45_000, at: clock.now() - 15_000, devices: [online] },
        { leaseMs: 45_000, at: clock.now(), devices: [online] },
      ]);
    });

    it('collects one value per point every 30 s', async () => {
      await clock.advance(30_000);
      await until(() => expect(center.values).toHaveLength(3));
      expect(center.values.map(({ pointId }) => pointId).toSorted()).toEqual(['1', '2', '3']);
      const of = (id: string) => center.values.find(({ pointId }) => pointId === id);
      expect(of('1')).toMatchObject({ deviceId: '1', quality: 0, numValue: expect.any(Number) });
      expect(of('3')).toMatchObject({ quality: 0, numValue: null });
      expect(of('1')?.originTime).toBe(clock.now());
    });

    it('answers a read command with the value, which also arrives as a point value', async () => {
      const { commandId } = await center.send({ pointId: '2' });
      const result = await center.result(commandId);
      expect(result).toMatchObject({ status: 'SUCCESS', errorCode: '', readBack: null });
      expect(center.values).toMatchObject([{ pointId: '2', calValue: result.responseValue }]);
    });

    it('writes, reads back, and publishes what it read back', async () => {
      const { commandId } = await center.send({ type: 'WRITE', pointId: '2', value: '21.3' });
      expect(await center.result(commandId)).toMatchObject({
        status: 'SUCCESS',
        responseValue: '21.3',
        readBack: '21.3',
      });
      expect([null, 21.3]).toContain(field.setPoint());
      expect(center.values).toMatchObject([{ pointId: '2', calValue: '21.3', numValue: 21.3 }]);
      expect(touched).toEqual(['before-device', 'after-device']);
    });

    it('executes a command that is delivered twice once', async () => {
      const command = await center.send({ type: 'WRITE', pointId: '2', value: '22' });
      await center.result(command.commandId);
      await center.send(command);
      await until(() => expect(center.results).toHaveLength(2));
      expect(center.results[1]).toMatchObject({ status: 'DUPLICATE', responseValue: null });
      expect([null, 1]).toContain(field.writes());
      expect(touched).toEqual(['before-device', 'after-device']);
    });

    it('discards a command that has expired', async () => {
      const { commandId } = await center.send({
        type: 'WRITE',
        pointId: '2',
        value: '23',
        expireAt: clock.now(),
      });
      expect(await center.result(commandId)).toMatchObject({
        status: 'EXPIRED',
        responseValue: null,
      });
      expect(touched).toEqual([]);
    });

    it.each<[string, string, Record<string, string>]>([
      ['a read-only point', 'NOT_WRITABLE', { pointId: '1', value: '1' }],
      ['a point it does not have', 'POINT_UNKNOWN', { pointId: '77', value: '1' }],
      ['a device it does not have', 'DEVICE_UNKNOWN', { deviceId: '77', pointId: '2', value: '1' }],
      ["another tenant's device", 'DEVICE_UNKNOWN', { tenantId: '2', pointId: '2', value: '1' }],
      ['a value that is none', 'VALUE_INVALID', { pointId: '2', value: 'warm' }],
    ])('refuses to write to %s, untouched', async (_what, errorCode, overrides) => {
      const { commandId } = await center.send({ type: 'WRITE', ...overrides });
      expect(await center.result(commandId)).toMatchObject({
        status: 'FAILED',
        errorCode,
        responseValue: null,
      });
      expect(touched).toEqual([]);
    });

    it('forgets a device that was removed', async () => {
      await center.remove(device);
      await until(() => expect(running.devices().size).toBe(0));
      const { commandId } = await center.send({ pointId: '2' });
      expect(await center.result(commandId)).toMatchObject({ errorCode: 'DEVICE_UNKNOWN' });
    });

    it('leaves no timer behind when it stops, and takes no more commands', async () => {
      await field.stop();
      await running.stop();
      expect(clock.pending).toBe(0);
      const { commandId } = await center.send({ pointId: '2' });
      await clock.advance(60_000);
      expect(center.results.filter((result) => result.commandId === commandId)).toEqual([]);
    });
  });
}
