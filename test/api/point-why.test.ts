import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { DeviceOptions } from '../../driver/simulator/contract.ts';
import { startDevice } from '../../driver/simulator/device.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { add, pointAttributes } from '../support/devices/plant.ts';
import { lwm2mDevice } from '../support/lwm2m/device.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { HeldClock } from '../support/world/shifted-clock.ts';
import { agentIn, onboard, report, toolNamed } from '../tools/agent.ts';

const AT = '/api/v3/data/point_value/why';
const MANAGER = '/api/v3/manager';
const KEY = '000102030405060708090a0b0c0d0e0f';
const LONG_MS = 30_000;

const Why = z.object({
  cause: z.string(),
  sentence: z.string(),
  causeTime: z.string().nullable(),
  said: z.string().nullable(),
  ageS: z.number().nullable(),
});
const Ports = z.array(
  z.looseObject({
    attributeCode: z.string(),
    attributeExt: z.looseObject({ oneOf: z.array(z.string()).optional() }),
  }),
);

const whyOf = async (session: Session, deviceId: string, pointId: string) =>
  Why.parse(await session.data(AT, undefined, { device_id: deviceId, point_id: pointId }));
const text = (like: RegExp): unknown => expect.stringMatching(like);

describe('why a point of an LwM2M device has no data', () => {
  let world: World;
  let admin: Session;
  const open: { stop(): Promise<void> }[] = [];
  beforeAll(async () => {
    // Every two seconds each point is read.
    world = await startWorld({ environment: { SVC_DRIVER_READ_CRON: '0/2 * * * * ?' } });
    ({ admin } = world);
  });
  afterAll(async () => {
    for (const device of open) await device.stop();
    await world?.stop();
  });

  const simulate = async (given: Pick<DeviceOptions, 'endpoint' | 'psk'>, port: number) => {
    const server = { host: '127.0.0.1', port };
    const made = { ...given, server, lifetimeS: 3600, log: createLog('silent') };
    const device = await startDevice(made);
    open.push(device);
    return device;
  };

  /** A device of the LwM2M driver with points at paths: `/3303/0/5700`. */
  async function plant(
    configs: Record<string, string>,
    points: readonly (readonly [path: string, more: object])[],
  ) {
    const profileId = await add(admin, 'profile', { profileName: fresh('why') });
    const device = await lwm2mDevice(admin, configs, profileId);
    const attributes = await pointAttributes(admin, device.driverId);
    const pointIds: string[] = [];
    for (const [path, more] of points) {
      const point = { pointName: fresh('p'), pointTypeFlag: 'DOUBLE', profileId, ...more };
      const pointId = await add(admin, 'point', point);
      const [, ...ids] = path.split('/');
      for (const [n, code] of ['objectId', 'objectInstanceId', 'resourceId'].entries())
        await add(admin, 'point_attribute_config', {
          deviceId: device.deviceId,
          pointId,
          attributeId: attributes.get(code),
          configValue: ids[n],
        });
      pointIds.push(pointId);
    }
    return { ...device, pointIds };
  }

  const becomes = (deviceId: string, pointId: string, cause: string, like = /./) =>
    eventually(
      () => whyOf(admin, deviceId, pointId),
      (found) => found.cause === cause && like.test(found.sentence),
      LONG_MS,
    );

  it('is told for a device that never registered, with the name that it has to come with', async () => {
    const endpoint = fresh('urn:never');
    const { deviceId, pointIds } = await plant({ endpoint }, [['/3303/0/5700', {}]]);
    const found = await becomes(deviceId, pointIds[0] ?? '', 'NEVER_CONNECTED');
    expect(found).toMatchObject({ said: 'not registered', ageS: null, causeTime: null });
    expect(found.sentence).toBe(
      'device never connected (“not registered”); check its power, network, server address and that it ' +
        `registers as “${endpoint}”`,
    );
  });

  it('is told for a device with a key that comes in clear', async () => {
    const endpoint = fresh('urn:clear');
    const configs = { endpoint, securityMode: 'PSK', pskIdentity: fresh('id'), pskKey: KEY };
    const { deviceId, pointIds } = await plant(configs, [['/3303/0/5700', {}]]);
    await simulate({ endpoint }, world.lwm2mPort);
    const found = await becomes(deviceId, pointIds[0] ?? '', 'NEVER_CONNECTED');
    expect(found.sentence).toMatch(
      /securityMode is PSK: the device has to come over DTLS”\); check/,
    );
  });

  it('is told for a device that comes with its key under another name', async () => {
    const psk = { identity: fresh('id'), key: KEY };
    const configs = { securityMode: 'PSK', pskIdentity: psk.identity, pskKey: psk.key };
    const { deviceId, driverId, pointIds } = await plant(
      { ...configs, endpoint: fresh('urn:right') },
      [['/3303/0/5700', {}]],
    );
    const path = `${MANAGER}/driver_attribute/list_by_driver_id`;
    const attributes = Ports.parse(await admin.data(path, undefined, { driver_id: driverId }));
    const port = attributes.find(({ attributeCode }) => attributeCode === 'securePort');
    const endpoint = fresh('urn:wrong');
    await simulate({ endpoint, psk }, Number(port?.attributeExt.oneOf?.[0]));
    const found = await becomes(deviceId, pointIds[0] ?? '', 'OTHER_ENDPOINT');
    expect(found.sentence).toContain(`“${endpoint}” came with its key and was refused, probably`);
  });

  it('is told from what the device answers, for each point its own', async () => {
    const endpoint = fresh('urn:answers');
    const { deviceId, pointIds } = await plant({ endpoint }, [
      ['/3303/0/5700', {}],
      ['/3303/0/5701', {}],
      ['/3304/0/5700', {}],
      ['/3/0/0', {}],
      ['/3303/0/5700', { minValue: 500, maxValue: 600, unit: '°C' }],
      ['/3303/0/5700', { rwFlag: 'WRITE_ONLY' }],
      ['/3303/0/5700', { pointTypeFlag: 'BYTE', baseValue: 1_000 }],
    ]);
    const device = await simulate({ endpoint }, world.lwm2mPort);
    const expected: [cause: string, sentence: RegExp][] = [
      ['ARRIVING', /^values arrive; the latest is \d+ s old$/],
      ['REFUSED', /\(“the device answered 4\.04”\); correct the path of the point$/],
      ['REFUSED', /4\.04”\); correct the path .*: the device did not register \/3304\/0$/],
      ['FORMAT', /\(“the device sent text for DOUBLE”\); check the type and path of the point$/],
      ['RANGE', /is outside its range of 500 to 600 °C; check the scaling/],
      ['WRITE_ONLY', /^the point is write-only; /],
      ['UNFIT', /does not fit a BYTE; check the type and scaling of the point/],
    ];
    const found = [];
    // What a device registered is known to the platform within a second, and may be later than its first answers.
    for (const [n, [cause, sentence]] of expected.entries())
      found.push(await becomes(deviceId, pointIds[n] ?? '', cause, sentence));
    expect(found.map(({ cause, sentence }) => [cause, sentence])).toEqual(
      expected.map(([cause, sentence]) => [cause, text(sentence)]),
    );
    // Agents read the same.
    const tool = toolNamed('searchPointValues');
    const { rows } = z
      .object({ rows: z.array(z.array(z.unknown())) })
      .parse(await tool.run(world.app, agentIn(admin), { device: deviceId }));
    const told = rows.map((row) => row[5]).filter((why) => why !== undefined);
    expect(told).toHaveLength(5);
    for (const { cause, sentence } of found.slice(1))
      if (!['WRITE_ONLY', 'UNFIT'].includes(cause)) expect(told).toContain(sentence);

    // It stays registered, and no longer answers.
    device.vanish();
    const silent = await becomes(deviceId, pointIds[0] ?? '', 'UNANSWERED');
    expect(silent).toMatchObject({
      said: 'the device did not answer in time',
      sentence: text(/^device online, but its last read failed \(“.*”\); check its network/),
      ageS: expect.any(Number),
    });
  });

  it('is told for what is switched off and for a device that left', async () => {
    const endpoint = fresh('urn:left');
    const { deviceId, profileId, pointIds } = await plant({ endpoint }, [['/3303/0/5700', {}]]);
    const [pointId = ''] = pointIds;
    const device = await simulate({ endpoint }, world.lwm2mPort);
    await becomes(deviceId, pointId, 'ARRIVING');
    await device.stop();
    expect(await becomes(deviceId, pointId, 'OFFLINE')).toMatchObject({
      said: 'not registered any more: it left, or did not renew its registration in time',
      causeTime: text(/^\d{4}-/),
    });
    const turn = (noun: string, id: string, enableFlag: string) =>
      admin.data(`${MANAGER}/${noun}/update`, { id, enableFlag });
    for (const [noun, id, cause] of [
      ['point', pointId, 'POINT_DISABLED'],
      ['profile', profileId, 'PROFILE_DISABLED'],
      ['device', deviceId, 'DEVICE_DISABLED'],
    ] as const) {
      await turn(noun, id, 'DISABLE');
      expect(await whyOf(admin, deviceId, pointId)).toMatchObject({ cause });
    }
  });
});

describe('why a point has no data, by its driver', () => {
  const clock = new HeldClock();
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ clock, without: 'driver-lwm2m' });
    clock.hold();
  });
  afterAll(() => world?.stop());

  type Site = Awaited<ReturnType<typeof onboard>>;
  const heartbeat = (
    { driverCode, deviceId }: Site,
    given: { devices: boolean; leaseMs?: number },
  ) =>
    world.bus.handled(
      'svc.e.state',
      {
        driverCode,
        node: 'test',
        at: clock.now(),
        leaseMs: given.leaseMs ?? 45_000,
        devices: given.devices
          ? [{ tenantId: world.admin.tenantId, deviceId, status: 'ONLINE', description: '' }]
          : [],
      },
      driverCode,
    );
  const whyNow = ({ deviceId, pointId }: Site) => whyOf(world.admin, deviceId, pointId);

  it('says which program is missing, then what it has not said yet', async () => {
    const site = await onboard(world.admin, fresh('site'));
    expect(await whyNow(site)).toMatchObject({
      cause: 'DRIVER_UNDECLARED',
      sentence: text(new RegExp(`as driver “${site.driverCode}”; start it`)),
    });
    await heartbeat(site, { devices: false });
    expect(await whyNow(site)).toMatchObject({ cause: 'NOT_REPORTED' });
    clock.shift(46_000);
    expect(await whyNow(site)).toMatchObject({ cause: 'DRIVER_GONE', causeTime: text(/Z$/) });
    await heartbeat(site, { devices: true });
    expect(await whyNow(site)).toMatchObject({ cause: 'VALUE_DUE' });
    clock.shift(46_000);
    await heartbeat(site, { devices: false });
    expect(await whyNow(site)).toMatchObject({ cause: 'NODE_GONE' });
  });

  it('waits two read intervals for the first value and no longer, while heartbeats go on', async () => {
    const site = await onboard(world.admin, fresh('site'));
    const began = clock.now();
    const seen: string[] = [];
    for (let n = 0; n < 6; n++) {
      await heartbeat(site, { devices: true });
      const { cause, causeTime } = await whyNow(site);
      seen.push(cause);
      const at = cause === 'VALUE_DUE' ? began + 60_000 : began;
      expect(Date.parse(causeTime ?? '')).toBe(at);
      clock.shift(15_000);
    }
    expect(seen).toEqual([...Array<string>(5).fill('VALUE_DUE'), 'NOT_READ']);
    await report(world, world.admin, site, [21]);
    expect(await whyNow(site)).toMatchObject({ cause: 'ARRIVING', ageS: 0 });
    clock.shift(91_000);
    await heartbeat(site, { devices: true });
    // Its lease had ended: it is online anew.
    expect(await whyNow(site)).toMatchObject({ cause: 'VALUE_DUE', ageS: 91 });
    for (let n = 0; n < 5; n++) {
      clock.shift(15_000);
      await heartbeat(site, { devices: true });
    }
    expect(await whyNow(site)).toMatchObject({ cause: 'OVERDUE', ageS: 166 });
  });

  it('is of a point of the device alone', async () => {
    const [one, other] = [
      await onboard(world.admin, fresh('a')),
      await onboard(world.admin, fresh('b')),
    ];
    const query = { device_id: one.deviceId, point_id: other.pointId };
    expect((await world.admin.get(AT, query)).status).toBe(404);
  });
});
