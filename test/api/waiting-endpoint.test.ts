import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { DeviceOptions } from '../../driver/simulator/contract.ts';
import { startDevice } from '../../driver/simulator/device.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { add } from '../support/devices/plant.ts';
import { lwm2mDevice } from '../support/lwm2m/device.ts';
import { reportWaiting } from '../support/lwm2m/waiting.ts';
import { worker } from '../support/people/accounts.ts';
import type { Session } from '../support/people/session.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const AT = '/api/v3/manager/device/waiting';
const Page = z.object({
  total: z.number(),
  records: z.array(
    z.looseObject({
      id: z.string(),
      endpoint: z.string(),
      tenantId: z.string(),
      proven: z.boolean(),
      assigned: z.boolean(),
      attempts: z.number(),
    }),
  ),
});
const Attribute = z.looseObject({
  attributeCode: z.string(),
  attributeExt: z.looseObject({ oneOf: z.array(z.string()).optional() }),
});

const KEY = '000102030405060708090a0b0c0d0e0f';

describe('an endpoint that no device has', () => {
  const open: { stop(): Promise<void> }[] = [];
  const world = startedWorld();
  const platform = prepared(() => world.admin);
  const mine = prepared(() => world.tenant('mine'));
  const other = prepared(() => world.tenant('other'));
  afterAll(async () => {
    for (const device of open) await device.stop();
  });

  const listed = async (session: Session, endpoint: string) =>
    Page.parse(await session.data(`${AT}/list`, { endpoint })).records;
  const found = async (session: Session, endpoint: string) => {
    const [row] = await eventually(
      () => listed(session, endpoint),
      ({ length }) => length > 0,
    );
    if (!row) throw new Error('no such endpoint');
    return row;
  };
  const claim = (session: Session, body: object) => session.post(`${AT}/claim`, body);
  const simulate = async (given: Pick<DeviceOptions, 'endpoint' | 'psk'>, port: number) => {
    const server = { host: '127.0.0.1', port };
    const device = { ...given, server, lifetimeS: 3600, log: createLog('silent') };
    open.push(await startDevice(device));
  };
  const isOnline = (session: Session, deviceId: string) =>
    eventually(
      () =>
        session.data('/api/v3/data/device/status/get_by_device_id', undefined, {
          device_id: deviceId,
        }),
      (answer) => z.looseObject({ status: z.string() }).parse(answer).status === 'online',
    );
  const heard = (given: Parameters<typeof reportWaiting>[1]) => reportWaiting(world, given);

  it('is refused and counted, and waits for administrators of the platform alone', async () => {
    const endpoint = fresh('urn:stranger');
    await simulate({ endpoint }, world.lwm2mPort);
    const row = await found(platform, endpoint);
    expect(row).toMatchObject({
      endpoint,
      tenantId: platform.tenantId,
      proven: false,
      assigned: false,
      deviceId: null,
      host: '127.0.0.1',
    });
    // It goes on trying.
    await eventually(
      () => found(platform, endpoint),
      ({ attempts }) => attempts > row.attempts,
    );
    expect(await listed(mine, endpoint)).toEqual([]);
    expect((await claim(mine, { id: row.id, deviceName: fresh('x') })).status).toBe(404);
    const { session: helper } = await worker(
      platform,
      ['device:list', 'device:add'].map((right) => `svc-center-manager:${right}`),
    );
    expect(await listed(helper, endpoint)).toEqual([]);
    expect((await claim(helper, { id: row.id, deviceName: fresh('x') })).status).toBe(403);
    const assign = (session: Session) =>
      session.post(`${AT}/assign`, { id: row.id, tenantId: mine.tenantId });
    expect([(await assign(helper)).status, (await assign(mine)).status]).toEqual([403, 403]);
  });

  it('that is assigned to a tenant becomes a device there, which is served', async () => {
    const endpoint = fresh('urn:stranger');
    await simulate({ endpoint }, world.lwm2mPort);
    const { id } = await found(platform, endpoint);
    await platform.data(`${AT}/assign`, { id, tenantId: mine.tenantId });
    expect(await found(mine, endpoint)).toMatchObject({ assigned: true, tenantId: mine.tenantId });
    expect(await listed(other, endpoint)).toEqual([]);
    const deviceName = fresh('meter');
    const answer = await claim(mine, { id, deviceName });
    expect(answer.body).toMatchObject({ ok: true, code: 'R201' });
    const deviceId = String(answer.body.data);
    await isOnline(mine, deviceId);
    for (const session of [mine, platform]) expect(await listed(session, endpoint)).toEqual([]);
    // What it registered now can become points.
    await eventually(
      () => mine.post('/api/v3/manager/device/registration/make_profile', { deviceId }),
      ({ status }) => status === 200,
    );
  });

  it('stays assigned when it tries again', async () => {
    const endpoint = fresh('urn:stranger');
    await heard({ endpoint });
    const { id } = await found(platform, endpoint);
    await platform.data(`${AT}/assign`, { id, tenantId: mine.tenantId });
    await heard({ endpoint, attempts: 9 });
    expect(await found(mine, endpoint)).toMatchObject({ id, attempts: 9, assigned: true });
  });

  it('that proves the key of a device is seen and claimed by the tenant of that device alone', async () => {
    const psk = { identity: fresh('id'), key: KEY };
    const configs = { securityMode: 'PSK', pskIdentity: psk.identity, pskKey: psk.key };
    const { deviceId, deviceName, driverId } = await lwm2mDevice(mine, configs);
    const attributes = z.array(Attribute).parse(
      await mine.data('/api/v3/manager/driver_attribute/list_by_driver_id', undefined, {
        driver_id: driverId,
      }),
    );
    const port = attributes.find(({ attributeCode }) => attributeCode === 'securePort');
    const endpoint = fresh('urn:imei');
    await simulate({ endpoint, psk }, Number(port?.attributeExt.oneOf?.[0]));
    const row = await found(mine, endpoint);
    expect(row).toMatchObject({ tenantId: mine.tenantId, proven: true, deviceId, deviceName });
    expect(await listed(other, endpoint)).toEqual([]);
    // The platform sees that it is there, and of which tenant, but nothing of the device.
    expect(await found(platform, endpoint)).toMatchObject({ id: row.id, deviceId: null });
    expect((await claim(platform, { id: row.id })).status).toBe(404);
    const assigned = await platform.post(`${AT}/assign`, { id: row.id, tenantId: other.tenantId });
    expect(assigned.status).toBe(409);
    const elsewhere = await lwm2mDevice(mine, {});
    const wrong = await claim(mine, { id: row.id, deviceId: elsewhere.deviceId });
    expect(wrong.status).toBe(422);
    expect((await claim(mine, { id: row.id })).body.data).toBe(deviceId);
    await isOnline(mine, deviceId);
  });

  it('becomes that of a device that is there, also of one with another endpoint', async () => {
    for (const configs of [{}, { endpoint: fresh('urn:former') }]) {
      const endpoint = fresh('urn:stranger');
      await simulate({ endpoint }, world.lwm2mPort);
      const { id } = await found(platform, endpoint);
      const { deviceId } = await lwm2mDevice(platform, configs);
      expect((await claim(platform, { id, deviceId })).body.data).toBe(deviceId);
      await isOnline(platform, deviceId);
    }
  });

  it('is not claimed for a device of another tenant or driver, or without one', async () => {
    const endpoint = fresh('urn:stranger');
    await heard({ endpoint });
    const { id } = await found(platform, endpoint);
    const theirs = await lwm2mDevice(mine, {});
    expect((await claim(platform, { id, deviceId: theirs.deviceId })).status).toBe(404);
    const drivers = await platform.data('/api/v3/manager/driver/list', {
      driverCode: 'VirtualDriver',
    });
    const { records } = z
      .object({ records: z.array(z.looseObject({ id: z.string() })) })
      .parse(drivers);
    const profileId = await add(platform, 'profile', { profileName: fresh('p') });
    const virtual = { deviceName: fresh('virtual'), driverId: records[0]?.id, profileId };
    const deviceId = await add(platform, 'device', virtual);
    expect((await claim(platform, { id, deviceId })).status).toBe(422);
    expect((await claim(platform, { id })).status).toBe(422);
    expect(await found(platform, endpoint)).toMatchObject({ id });
  });

  it('that became a device’s meanwhile is refused with 409, and waits no longer', async () => {
    const endpoint = fresh('urn:stranger');
    await heard({ endpoint });
    const { id } = await found(platform, endpoint);
    await lwm2mDevice(mine, { endpoint });
    expect((await claim(platform, { id, deviceName: fresh('late') })).status).toBe(409);
    const second = fresh('urn:stranger');
    await lwm2mDevice(mine, { endpoint: second });
    await heard({ endpoint: second });
    expect(await listed(platform, second)).toEqual([]);
  });

  it('is forgotten after a week, and beyond ten for one key', async () => {
    const old = fresh('urn:old');
    const { deviceId } = await lwm2mDevice(mine, {});
    await heard({ endpoint: old });
    await found(platform, old);
    const key = { tenantId: mine.tenantId, deviceId };
    const now = world.clock.now();
    for (let n = 0; n < 12; n += 1) await heard({ endpoint: `urn:many:${n}`, key, last: now + n });
    const kept = await listed(mine, 'urn:many:');
    expect(kept).toHaveLength(10);
    expect(kept[0]?.endpoint).toBe('urn:many:11');
    world.clock.shift(8 * 86_400_000);
    await heard({ endpoint: fresh('urn:new') });
    // Logins live no week.
    world.clock.shift(-8 * 86_400_000);
    expect(await listed(platform, old)).toEqual([]);
  });
});
