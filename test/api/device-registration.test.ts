import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { SimulatedDevice } from '../../driver/simulator/contract.ts';
import { startDevice } from '../../driver/simulator/device.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { add } from '../support/devices/plant.ts';
import { lwm2mDevice } from '../support/lwm2m/device.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { clients } from '../support/people/mcp.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const AT = '/api/v3/manager/device/registration';
const Registered = z.object({
  endpoint: z.string(),
  version: z.string(),
  registerTime: z.string().nullable(),
  objects: z.array(
    z.looseObject({
      objectId: z.number(),
      instanceId: z.number().nullable(),
      objectName: z.string(),
      resources: z.array(z.looseObject({ path: z.string(), pointIds: z.array(z.string()) })),
    }),
  ),
  leftOut: z.number(),
});
const Proposal = z.object({
  deviceId: z.string(),
  profileName: z.string(),
  leaves: z.boolean(),
  points: z.array(z.looseObject({ path: z.string() })),
  leftOut: z.number(),
});
const Made = z.object({ profileId: z.string(), pointIds: z.array(z.string()) });
const Values = z.object({
  records: z.array(z.looseObject({ pointName: z.string(), hasLatestValue: z.boolean() })),
});

const LINKS = ['1/0', '3/0', '3303/0', '3308/0'];

describe('what a device registered', () => {
  const simulated: SimulatedDevice[] = [];
  const world = startedWorld();
  const admin = prepared(() => world.admin);
  afterAll(async () => {
    for (const device of simulated) await device.stop();
  });

  const registered = async (deviceId: string, session = admin) =>
    Registered.parse(
      await session.data(`${AT}/get_by_device_id`, undefined, { device_id: deviceId }),
    );
  /** The objects as they come from the driver of a device that is not there. */
  const says = async (deviceId: string, objects: string[], session = admin) =>
    world.bus.handled(
      'svc.e.registered',
      {
        driverCode: 'Lwm2mDriver',
        node: 'test',
        devices: [
          {
            tenantId: session.tenantId,
            deviceId,
            endpoint: 'urn:dev:x',
            version: '1.1',
            at: world.clock.now(),
            objects,
            leftOut: 0,
          },
        ],
      },
      'Lwm2mDriver',
    );
  const propose = (body: object) => admin.post(`${AT}/propose_profile`, body);
  const make = (body: object, session = admin) => session.post(`${AT}/make_profile`, body);

  it('is answered with the names, units and operations of the public object registry', async () => {
    const endpoint = fresh('urn:thing');
    const { deviceId } = await lwm2mDevice(admin, { endpoint });
    expect(await registered(deviceId)).toMatchObject({ registerTime: null, objects: [] });
    const log = createLog('silent');
    const server = { host: '127.0.0.1', port: world.lwm2mPort };
    simulated.push(await startDevice({ endpoint, server, lifetimeS: 3600, log }));
    const said = await eventually(
      () => registered(deviceId),
      ({ registerTime }) => registerTime !== null,
    );
    expect(said).toMatchObject({ endpoint, version: '1.1', leftOut: 0 });
    expect(said.objects.map((one) => [one.objectId, one.instanceId, one.objectName])).toEqual([
      [1, 0, 'Server'],
      [3, 0, 'Device'],
      [3303, 0, 'Temperature'],
      [3308, 0, 'Set Point'],
    ]);
    const at = (path: string) =>
      said.objects.flatMap(({ resources }) => resources).find((one) => one.path === path);
    expect(at('/3/0/9')).toMatchObject({
      resourceName: 'Battery Level',
      operations: 'R',
      type: 'INTEGER',
      unit: '%',
      minValue: 0,
      maxValue: 100,
      suggested: false,
    });
    expect(at('/3308/0/5900')).toMatchObject({
      resourceName: 'Set Point Value',
      operations: 'RW',
      type: 'FLOAT',
      mandatory: true,
      suggested: true,
      pointIds: [],
    });
    expect(at('/3/0/11')).toMatchObject({ possible: false });
  });

  it('becomes a profile with points that have values, in one step', async () => {
    const endpoint = fresh('urn:thing');
    const profileName = fresh('empty');
    const own = await add(admin, 'profile', { profileName });
    const { deviceId } = await lwm2mDevice(admin, { endpoint }, own);
    const log = createLog('silent');
    const server = { host: '127.0.0.1', port: world.lwm2mPort };
    simulated.push(await startDevice({ endpoint, server, lifetimeS: 3600, log }));
    await eventually(
      () => registered(deviceId),
      ({ registerTime }) => registerTime !== null,
    );
    const proposal = Proposal.parse((await propose({ deviceId })).body.data);
    expect(proposal).toEqual({
      deviceId,
      profileName,
      leaves: false,
      leftOut: 0,
      points: [
        {
          path: '/3303/0/5700',
          pointName: 'Temperature Sensor Value',
          pointCode: '3303-0-5700',
          pointTypeFlag: 'DOUBLE',
          rwFlag: 'READ_ONLY',
          unit: '',
          minValue: null,
          maxValue: null,
          attributes: { objectId: '3303', objectInstanceId: '0', resourceId: '5700' },
        },
        expect.objectContaining({ path: '/3308/0/5900', rwFlag: 'READ_WRITE' }),
      ],
    });
    const { profileId, pointIds } = Made.parse((await make({ deviceId })).body.data);
    expect(profileId).toBe(own);
    expect(
      await admin.data('/api/v3/manager/device/get_by_id', undefined, { id: deviceId }),
    ).toEqual(expect.objectContaining({ profileId }));
    const [, second] = pointIds;
    const after = await registered(deviceId);
    const resources = after.objects.flatMap((one) => one.resources);
    expect(resources.find(({ path }) => path === '/3308/0/5900')?.pointIds).toEqual([second]);
    // The driver reads them at the paths that were configured.
    for (const pointId of pointIds)
      await eventually(
        () => admin.post('/api/v3/data/point_command/read', { deviceId, pointId }),
        ({ status }) => status === 200,
      );
    const values = await eventually(
      async () => Values.parse(await admin.data('/api/v3/data/point_value/latest', { deviceId })),
      ({ records }) => records.length === 2 && records.every((one) => one.hasLatestValue),
    );
    expect(values.records.map(({ pointName }) => pointName).toSorted()).toEqual([
      'Set Point Value',
      'Temperature Sensor Value',
    ]);
  });

  it('becomes the points that were chosen, and no other', async () => {
    const { deviceId } = await lwm2mDevice(admin, {});
    await says(deviceId, LINKS);
    const paths = ['/3/0/9', '/3/0/4'];
    const profileName = fresh('battery');
    const { profileId } = Made.parse((await make({ deviceId, paths, profileName })).body.data);
    const points = await admin.data('/api/v3/manager/point/list_by_profile_id', undefined, {
      profile_id: profileId,
    });
    expect(points).toMatchObject([
      { pointName: 'Device Battery Level', rwFlag: 'READ_ONLY', unit: '%' },
      { pointName: 'Device Reboot', rwFlag: 'WRITE_ONLY', pointTypeFlag: 'BOOLEAN' },
    ]);
    const other = await make({ deviceId, paths: ['/3304/0/5700'], replace: true });
    expect(other).toMatchObject({
      status: 422,
      body: { message: 'The device registered no value at /3304/0/5700' },
    });
  });

  it('adds to a profile that no other device has, and nothing twice', async () => {
    const { deviceId, profileId } = await lwm2mDevice(admin, {});
    await add(admin, 'point', { pointName: 'own', pointTypeFlag: 'DOUBLE', profileId });
    await says(deviceId, ['3303/0']);
    const first = Made.parse((await make({ deviceId })).body.data);
    expect(first).toMatchObject({ profileId, pointIds: [expect.any(String)] });
    expect((await make({ deviceId })).status).toBe(422);
    const paths = ['/3303/0/5700'];
    expect((await make({ deviceId, paths })).body).toMatchObject({
      message: 'The device has a point at /3303/0/5700 already',
    });
    await says(deviceId, ['3303/0', '3308/0']);
    const proposal = Proposal.parse((await propose({ deviceId })).body.data);
    expect(proposal.points.map(({ path }) => path)).toEqual(['/3308/0/5900']);
    const second = Made.parse((await make({ deviceId })).body.data);
    expect(second).toMatchObject({ profileId, pointIds: [expect.any(String)] });
    const whole = Made.parse((await make({ deviceId, replace: true })).body.data);
    expect(whole.profileId).not.toBe(profileId);
    expect(whole.pointIds).toHaveLength(2);
  });

  it('leaves a profile of several devices alone', async () => {
    const { deviceId, profileId } = await lwm2mDevice(admin, {});
    await lwm2mDevice(admin, {}, profileId);
    await says(deviceId, LINKS);
    const made = Made.parse((await make({ deviceId })).body.data);
    expect(made.profileId).not.toBe(profileId);
  });

  it('makes a device leave a profile with points and other devices only if it is to', async () => {
    const { deviceId, profileId } = await lwm2mDevice(admin, {});
    await lwm2mDevice(admin, {}, profileId);
    await add(admin, 'point', { pointName: 'own', pointTypeFlag: 'DOUBLE', profileId });
    await says(deviceId, LINKS);
    expect((await propose({ deviceId })).body.data).toMatchObject({ leaves: true });
    expect((await make({ deviceId })).status).toBe(409);
    const made = Made.parse((await make({ deviceId, replace: true })).body.data);
    expect(made.profileId).not.toBe(profileId);
  });

  it('makes nothing where a part of it is refused', async () => {
    const { deviceId, profileId } = await lwm2mDevice(admin, {});
    expect((await make({ deviceId })).status).toBe(422);
    await says(deviceId, LINKS);
    const profileName = fresh('taken');
    await add(admin, 'profile', { profileName });
    expect((await make({ deviceId, profileName })).status).toBe(409);
    const device = await admin.data('/api/v3/manager/device/get_by_id', undefined, {
      id: deviceId,
    });
    expect(device).toMatchObject({ profileId });
  });

  it('names vendors’ objects by their number, and proposes nothing for them', async () => {
    const { deviceId } = await lwm2mDevice(admin, {});
    await says(deviceId, ['33000/0', '5']);
    const { objects } = await registered(deviceId);
    expect(objects).toEqual([
      { objectId: 33_000, instanceId: 0, objectName: '', resources: [] },
      { objectId: 5, instanceId: null, objectName: 'Firmware Update', resources: [] },
    ]);
    expect(Proposal.parse((await propose({ deviceId })).body.data).points).toEqual([]);
    // It is there, and what it is not in is named.
    expect(await propose({ deviceId, paths: ['/33000/0/7'] })).toMatchObject({
      status: 422,
      body: {
        message:
          'The public registry does not know object 33000, which the device registered: add a point at /33000/0/7 by hand',
      },
    });
  });

  it('is read by an agent, with the points that are suggested', async () => {
    const { deviceId } = await lwm2mDevice(admin, {});
    await says(deviceId, ['3/0', '3303/0']);
    const bearer = await bearerFor(admin, { scope: 'svc:read' });
    for (const connect of Object.values(clients)) {
      const agent = await connect(world.base, bearer);
      expect(await agent.read(`svc://device/${deviceId}/registration`)).toMatchObject({
        deviceId,
        endpoint: 'urn:dev:x',
        registeredAt: expect.any(String),
        total: 2,
        records: [
          { object: '3/0', objectName: 'Device', proposed: [] },
          {
            object: '3303/0',
            objectName: 'Temperature',
            proposed: [{ path: '/3303/0/5700', resourceName: 'Sensor Value', there: false }],
          },
        ],
      });
      await agent.close();
    }
  });

  it('is of the tenant of the device alone', async () => {
    const { deviceId } = await lwm2mDevice(admin, {});
    await says(deviceId, LINKS);
    const other = await world.tenant(fresh('t'));
    // Under the id of another tenant's device nothing is stored.
    await says(deviceId, ['3/0'], other);
    expect((await registered(deviceId)).objects).toHaveLength(LINKS.length);
    const foreign = await other.get(`${AT}/get_by_device_id`, { device_id: deviceId });
    expect(foreign.status).toBe(404);
    expect((await make({ deviceId }, other)).status).toBe(404);
  });

  it('is gone with the device', async () => {
    const { deviceId } = await lwm2mDevice(admin, {});
    await says(deviceId, LINKS);
    await admin.data('/api/v3/manager/device/delete', { id: deviceId });
    const asked = await admin.get(`${AT}/get_by_device_id`, { device_id: deviceId });
    expect(asked.status).toBe(404);
  });
});
