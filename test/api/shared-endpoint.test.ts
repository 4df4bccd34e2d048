import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { SimulatedDevice } from '../../driver/simulator/contract.ts';
import { startDevice } from '../../driver/simulator/device.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { add, pointAttributes } from '../support/devices/plant.ts';
import { lwm2mDevice } from '../support/lwm2m/device.ts';
import type { Session } from '../support/people/session.ts';
import { Attributes } from '../support/people/shapes.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const CONFIG = '/api/v3/manager/driver_attribute_config';
const DATA = '/api/v3/data';
const KEYS = ['00', '11'].map((byte) => byte.repeat(16));

/** Over DTLS the key tells devices apart, so a name may be of one device in each tenant. */
describe('an endpoint name of two tenants', () => {
  let tenants: Session[];
  const open: SimulatedDevice[] = [];
  const world = startedWorld();
  beforeAll(async () => {
    tenants = [await world.tenant('red'), await world.tenant('blue')];
  });
  afterAll(async () => {
    for (const device of open) await device.stop();
  });

  const tenant = (number: number): Session => {
    const session = tenants[number];
    if (!session) throw new Error('no such tenant');
    return session;
  };

  /** A device with a set-point, which has the name over DTLS. */
  async function secured(number: number, endpoint: string) {
    const session = tenant(number);
    const profileId = await add(session, 'profile', { profileName: fresh('valve') });
    const point = { pointName: 'set-point', pointTypeFlag: 'DOUBLE', rwFlag: 'READ_WRITE' };
    const pointId = await add(session, 'point', { ...point, profileId });
    const configs = { endpoint, securityMode: 'PSK', pskKey: KEYS[number] ?? '' };
    const { deviceId, driverId } = await lwm2mDevice(session, configs, profileId);
    const attributes = await pointAttributes(session, driverId);
    for (const [code, configValue] of Object.entries({ objectId: '3308', resourceId: '5900' })) {
      const attributeId = attributes.get(code);
      await add(session, 'point_attribute_config', {
        deviceId,
        pointId,
        attributeId,
        configValue,
      });
    }
    return { deviceId, pointId, driverId };
  }

  const simulate = async (number: number, endpoint: string) => {
    const key = KEYS[number] ?? '';
    const server = { host: '127.0.0.1', port: world.lwm2mSecurePort };
    const device = { endpoint, server, lifetimeS: 3600, log: createLog('silent') };
    const running = await startDevice({ ...device, psk: { identity: endpoint, key } });
    open.push(running);
    return running;
  };

  const isOnline = (session: Session, deviceId: string) =>
    eventually(
      () =>
        session.data(`${DATA}/device/status/get_by_device_id`, undefined, { device_id: deviceId }),
      (answer) => z.looseObject({ status: z.string() }).parse(answer).status === 'online',
    );

  /** Its status as the write ended. */
  async function write(session: Session, ids: object, value: string) {
    const id = await session.data(`${DATA}/point_command/write`, { ...ids, value });
    const answer = await eventually(
      () =>
        session.data(`${DATA}/point_command_history/get_by_command_id`, undefined, {
          commandId: String(id),
        }),
      (found) => !/"status":"(PENDING|SENT)"/.test(JSON.stringify(found)),
    );
    return z.looseObject({ status: z.string(), verification: z.string() }).parse(answer);
  }

  /** Sets an attribute of a device that has a config for it. */
  async function set(number: number, deviceId: string, code: string, configValue: string) {
    const session = tenant(number);
    const id = await configOf(number, deviceId, code);
    return session.post(`${CONFIG}/update`, { id, configValue });
  }

  async function configOf(number: number, deviceId: string, attributeCode: string) {
    const path = `${CONFIG}/list_by_device_id`;
    const answer = await tenant(number).data(path, undefined, { device_id: deviceId });
    return Attributes.parse(answer).find((one) => one.attributeCode === attributeCode)?.id ?? '';
  }

  it('is of both over DTLS, where each serves its own device by its key', async () => {
    const endpoint = fresh('urn:shared');
    const devices = [await secured(0, endpoint), await secured(1, endpoint)];
    const simulated = [await simulate(0, endpoint), await simulate(1, endpoint)];
    for (const [number, { deviceId, pointId }] of devices.entries()) {
      await isOnline(tenant(number), deviceId);
      const written = await write(tenant(number), { deviceId, pointId }, `${41 + number}`);
      expect(written).toMatchObject({ status: 'SUCCESS', verification: 'VERIFIED' });
    }
    expect(simulated.map((device) => device.setPoint())).toEqual([41, 42]);
    // One of them goes: the other is served as before.
    await tenant(0).data('/api/v3/manager/device/delete', { id: devices[0]?.deviceId });
    const { deviceId = '', pointId = '' } = devices[1] ?? {};
    expect(await write(tenant(1), { deviceId, pointId }, '50')).toMatchObject({
      verification: 'VERIFIED',
    });
    expect(simulated.map((device) => device.setPoint())).toEqual([41, 50]);
  });

  it('stays one device’s within a tenant, with a key too', async () => {
    const endpoint = fresh('urn:shared');
    const { deviceId } = await secured(0, endpoint);
    await expect(secured(0, endpoint)).rejects.toThrow('already taken');
    expect((await set(0, deviceId, 'endpoint', endpoint)).status).toBe(200);
  });

  it('is of one of them in clear: the other may not give its key up', async () => {
    const endpoint = fresh('urn:shared');
    const [red, blue] = [await secured(0, endpoint), await secured(1, endpoint)];
    expect((await set(0, red.deviceId, 'securityMode', 'NOSEC')).status).toBe(200);
    const refused = await set(1, blue.deviceId, 'securityMode', 'NOSEC');
    expect(refused).toMatchObject({ status: 409 });
    expect(refused.body.message).toBe(
      'Without this securityMode the device needs its name for itself, and another device has it',
    );
    const mode = await configOf(1, blue.deviceId, 'securityMode');
    expect((await tenant(1).post(`${CONFIG}/delete`, { id: mode })).status).toBe(409);
    const off = { id: mode, enableFlag: 'DISABLE' };
    expect((await tenant(1).post(`${CONFIG}/update`, off)).status).toBe(409);
    expect((await set(0, red.deviceId, 'securityMode', ' psk ')).status).toBe(200);
    expect((await set(1, blue.deviceId, 'securityMode', 'NOSEC')).status).toBe(200);
    expect((await set(0, red.deviceId, 'securityMode', 'RPK')).status).toBe(409);
  });
});
