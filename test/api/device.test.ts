import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { Payload } from '../../src/bus/topic/topics.ts';
import { add, onboard } from '../support/devices/plant.ts';
import { request } from '../support/people/session.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const MANAGER = '/api/v3/manager';

const Device = z.looseObject({
  id: z.string(),
  deviceName: z.string(),
  deviceCode: z.string(),
  enableFlag: z.string(),
  version: z.number(),
  createTime: z.iso.datetime(),
});
const Page = z.object({ records: z.array(Device), total: z.number(), size: z.number() });

describe('a device', () => {
  const world = startedWorld();
  const mine = prepared(() => world.admin);
  const theirs = prepared(() => world.tenant('other'));
  const plant = prepared(() => onboard(mine));
  const foreign = prepared(() => onboard(theirs));

  const addDevice = (body: object = {}) =>
    mine.post(`${MANAGER}/device/add`, {
      deviceName: fresh('device'),
      driverId: plant.driverId,
      profileId: plant.profileId,
      ...body,
    });
  const byId = async (id: string) =>
    Device.parse(await mine.data(`${MANAGER}/device/get_by_id`, undefined, { id }));

  describe('200', () => {
    it('is added with R201 and its id, and answered with it', async () => {
      const { status, body } = await addDevice({ deviceCode: 'kept-code', remark: 'by the door' });
      expect({ status, code: body.code }).toEqual({ status: 200, code: 'R201' });
      expect(await byId(String(body.data))).toMatchObject({
        deviceCode: 'kept-code',
        remark: 'by the door',
        driverId: plant.driverId,
        profileId: plant.profileId,
        tenantId: mine.tenantId,
        enableFlag: 'ENABLE',
        version: 1,
      });
    });

    it('gets a code when none is given', async () => {
      const device = await byId(String((await addDevice()).body.data));
      expect(device.deviceCode).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('changes only what an update names', async () => {
      const id = String((await addDevice({ remark: 'old' })).body.data);
      const { deviceName } = await byId(id);
      await mine.data(`${MANAGER}/device/update`, { id, remark: 'new', enableFlag: 'DISABLE' });
      expect(await byId(id)).toMatchObject({
        deviceName,
        remark: 'new',
        enableFlag: 'DISABLE',
        version: 2,
      });
    });

    it('is listed by name, driver and profile, in pages', async () => {
      const name = fresh('needle');
      await addDevice({ deviceName: name });
      const found = Page.parse(
        await mine.data(`${MANAGER}/device/list`, {
          deviceName: name.slice(1).toUpperCase(),
          page: { current: 1, size: 500 },
        }),
      );
      expect(found).toMatchObject({ total: 1, size: 100 });
      const beyond = await mine.data(`${MANAGER}/device/list`, {
        deviceName: name,
        page: { current: 9, size: 10 },
      });
      expect(beyond).toMatchObject({ records: [], total: 1, pages: 1 });
      const none = Page.parse(await mine.data(`${MANAGER}/device/list`, { deviceName: '%' }));
      expect(none.total).toBe(0);
      const ofProfile = await mine.data(`${MANAGER}/device/list_by_profile_id`, undefined, {
        profile_id: plant.profileId,
      });
      expect(z.array(Device).parse(ofProfile).length).toBeGreaterThan(1);
    });

    it('drops ids of another tenant from a list by ids', async () => {
      const ids = [plant.deviceId, foreign.deviceId, '999999'];
      const found = await mine.data(`${MANAGER}/device/list_by_ids`, ids);
      expect(Object.keys(z.record(z.string(), Device).parse(found))).toEqual([plant.deviceId]);
    });

    it('is deleted with its configs and is gone', async () => {
      const other = await onboard(mine);
      await mine.post(`${MANAGER}/device/delete`, undefined, { id: other.deviceId });
      const gone = await mine.get(`${MANAGER}/device/get_by_id`, { id: other.deviceId });
      expect(gone.status).toBe(404);
      expect((await mine.post(`${MANAGER}/point/delete`, { id: other.target })).status).toBe(200);
    });
  });

  describe('its status', () => {
    it('is unknown, then online while its lease lives, then offline', async () => {
      const quiet = await onboard(mine);
      const statuses = async () =>
        z.record(z.string(), z.string()).parse(
          await mine.data('/api/v3/data/device/status/list_by_profile_id', undefined, {
            profile_id: quiet.profileId,
          }),
        )[quiet.deviceId];
      const heard = await eventually(statuses, (status) => status !== 'unknown');
      expect(heard).toBe('online');
      // A heartbeat between the shift and the look renews the lease: then it ends another 46 s later, at most twice.
      let shifted = 0;
      const later = () => {
        world.clock.shift(46_000);
        shifted += 46_000;
        return statuses();
      };
      expect(await eventually(later, (status) => status === 'offline', 400)).toBe('offline');
      world.clock.shift(-shifted);
    });

    it('cannot be reported by the driver of another device', async () => {
      const driverId = await add(mine, 'driver', {
        driverName: fresh('lone'),
        serviceName: 'svc-driver-lone',
      });
      const deviceId = await add(mine, 'device', {
        deviceName: fresh('lone'),
        driverId,
        profileId: plant.profileId,
      });
      const state = {
        driverCode: 'VirtualDriver',
        node: 'forged',
        at: world.clock.now(),
        leaseMs: 45_000,
        devices: [
          { tenantId: mine.tenantId, deviceId, status: 'ONLINE', description: '' } as const,
        ],
      };
      await world.app.bus.publish('svc.e.state', state, { key: 'VirtualDriver' });
      const statuses = await mine.data('/api/v3/data/device/status/list_by_driver_id', undefined, {
        driver_id: driverId,
      });
      expect(statuses).toEqual({ [deviceId]: 'unknown' });
    });
  });

  it('tells its driver what it is, with defaults filled in, and that it went', async () => {
    const heard: Payload<'svc.e.metadata'>[] = [];
    const listening = await world.app.bus.subscribe(
      'svc.e.metadata',
      { queue: 'test', key: 'VirtualDriver' },
      async (message) => {
        heard.push(message);
      },
    );
    const { deviceId, target } = await onboard(mine);
    await mine.data(`${MANAGER}/device/delete`, { id: deviceId });
    await eventually(
      async () => heard,
      (messages) => messages.some(({ kind }) => kind === 'removed'),
    );
    await listening.cancel();
    const last = heard.findLast(({ kind }) => kind === 'device');
    expect(last).toMatchObject({
      tenantId: mine.tenantId,
      device: { id: deviceId, enabled: true },
    });
    const points = last?.kind === 'device' ? last.device.points : [];
    const point = points.find(({ id }) => id === target);
    expect(point).toMatchObject({
      rw: 'READ_WRITE',
      decimals: 1,
      configs: { signal: 'setpoint', periodS: '60' },
    });
    expect(heard.at(-1)).toMatchObject({ kind: 'removed', deviceId });
  });

  it.each([
    ['no name', { deviceName: undefined }],
    ['an empty name', { deviceName: '' }],
    ['a name with NUL', { deviceName: 'a\0b' }],
    ['a name that is a list', { deviceName: ['a', 'b'] }],
    ['an extension the database cannot keep', { deviceExt: { note: '\ud800' } }],
    ['a driver id of 1.5', { driverId: 1.5 }],
    ['an unknown flag', { enableFlag: 'PERHAPS' }],
  ])('400: %s', async (_name, body) => {
    expect((await addDevice(body)).status).toBe(400);
  });

  it('401: without a login', async () => {
    const answer = await request(world.base, 'POST', `${MANAGER}/device/list`, { body: {} });
    expect(answer.status).toBe(401);
  });

  describe('404', () => {
    it('is the answer for a device of another tenant, as for a missing one', async () => {
      const missing = await mine.get(`${MANAGER}/device/get_by_id`, { id: '999999' });
      const other = await mine.get(`${MANAGER}/device/get_by_id`, { id: foreign.deviceId });
      expect([missing.status, other.status]).toEqual([404, 404]);
      expect(other.body).toEqual(missing.body);
    });

    it('is the answer for a driver or profile of another tenant', async () => {
      expect((await addDevice({ driverId: foreign.driverId })).status).toBe(404);
      expect((await addDevice({ profileId: foreign.profileId })).status).toBe(404);
      const move = { id: plant.deviceId, profileId: foreign.profileId };
      expect((await mine.post(`${MANAGER}/device/update`, move)).status).toBe(404);
    });
  });

  describe('409', () => {
    it('is the answer for a name or code that is taken, within the tenant only', async () => {
      const deviceName = fresh('taken');
      const deviceCode = fresh('code');
      await addDevice({ deviceName, deviceCode });
      expect((await addDevice({ deviceName })).body.message).toBe(
        'The device name is already taken',
      );
      expect((await addDevice({ deviceCode })).status).toBe(409);
      const elsewhere = await theirs.post(`${MANAGER}/device/add`, {
        deviceName,
        deviceCode,
        driverId: foreign.driverId,
        profileId: foreign.profileId,
      });
      expect(elsewhere.status).toBe(200);
    });

    it('is the answer for an update made from an older version', async () => {
      const id = String((await addDevice()).body.data);
      const update = { id, version: 1, remark: 'first' };
      expect((await mine.post(`${MANAGER}/device/update`, update)).status).toBe(200);
      const refused = await mine.post(`${MANAGER}/device/update`, update);
      expect(refused).toMatchObject({
        status: 409,
        body: { message: 'Changed by somebody else since', data: { version: 2 } },
      });
      const unversioned = { id, remark: 'second' };
      expect((await mine.post(`${MANAGER}/device/update`, unversioned)).status).toBe(200);
    });
  });
});
