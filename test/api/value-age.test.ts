import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { quoted } from '../../src/kernel/sentence/voice.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { clients, type McpClient } from '../support/people/mcp.ts';
import { AnyRecords } from '../support/people/shapes.ts';
import { startWorld } from '../support/world/app.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { started } from '../support/world/prepared.ts';
import { HeldClock } from '../support/world/shifted-clock.ts';
import { agentIn, onboard, report, type Site, toolNamed } from '../tools/agent.ts';

const DATA = '/api/v3/data';

const clock = new HeldClock();
let client: McpClient;
let site: Site;
const world = started(() => startWorld({ clock }));
beforeAll(() => {
  // Ages are reckoned to the second, however slow the machine is.
  clock.hold();
});

beforeEach(async () => {
  site = await onboard(world.admin, fresh('site'));
});

const latest = async () => {
  const { deviceId, pointId } = site;
  const page = await world.admin.data(`${DATA}/point_value/latest`, { deviceId, pointId });
  return AnyRecords.parse(page).records[0];
};
const call = (name: string, input: object) =>
  toolNamed(name).run(world.app, agentIn(world.admin), input);
/** The driver of the site, as it would declare itself. */
const declare = (readIntervalMs: number) =>
  world.bus.handled(
    'svc.e.driver_register',
    {
      driverCode: site.driverCode,
      driverName: site.driverCode,
      driverType: 'DRIVER_CLIENT',
      serviceName: 'svc-driver-test',
      serviceHost: '',
      node: 'test',
      readIntervalMs,
      driverAttributes: [],
      pointAttributes: [],
    },
    site.driverCode,
  );

describe('a value that no newer one has followed in time', () => {
  it('is stale and UNCERTAIN wherever it is shown; what is stored of it stays', async () => {
    await report(world, world.admin, site, [20]);
    expect(await latest()).toMatchObject({ quality: 'GOOD', stale: false, valueIssue: null });
    world.clock.shift(91_000);
    const stale = { ageS: 91, stale: true };
    expect(await latest()).toMatchObject({
      ...stale,
      quality: 'UNCERTAIN',
      expectedIntervalS: 30,
      valueIssue: 'The value is 91 s old; a newer one is expected every 30 s',
    });
    const { deviceId, pointId } = site;
    const listed = AnyRecords.parse(
      await world.admin.data(`${DATA}/point_value/list`, { deviceId }),
    );
    expect(listed.records).toMatchObject([{ ...stale, quality: 'UNCERTAIN' }]);
    const told = { ...stale, quality: 'UNCERTAIN' };
    expect(await call('getLatestPointValue', { deviceId, pointId })).toMatchObject(told);
    expect(await call('getPointValueHistory', { deviceId, pointId })).toMatchObject({
      last: stale,
    });
    const [connect] = Object.values(clients);
    if (!connect) throw new Error('no client');
    client = await connect(world.base, await bearerFor(world.admin, { scope: 'svc:read' }));
    const points = AnyRecords.parse(await client.read(`svc://device/${deviceId}/point`));
    expect(points.records).toMatchObject([told]);
    await client.close();
    const path = `${DATA}/point_value/list_history_by_device_id_and_point_id`;
    const query = { device_id: deviceId, point_id: pointId };
    expect(await world.admin.data(path, undefined, query)).toMatchObject([
      { quality: 'GOOD', ageS: stale.ageS },
    ]);
  });

  it('goes by how often its driver says that it reads', async () => {
    await declare(600_000);
    await report(world, world.admin, site, [20]);
    world.clock.shift(1_700_000);
    expect(await latest()).toMatchObject({ quality: 'GOOD', stale: false, expectedIntervalS: 600 });
    world.clock.shift(200_000);
    expect(await latest()).toMatchObject({ quality: 'UNCERTAIN', stale: true });
  });
});

describe('a device that is not online', () => {
  const heartbeat = (status: 'ONLINE' | 'OFFLINE', description = '') => {
    const { tenantId } = world.admin;
    const devices = [{ tenantId, deviceId: site.deviceId, status, description }];
    const { driverCode } = site;
    const state = { driverCode, node: 'test', at: world.clock.now(), leaseMs: 45_000, devices };
    return world.bus.handled('svc.e.state', state, driverCode);
  };
  const seen = async () => {
    const { deviceId } = site;
    const rest = await world.admin.data(`${DATA}/device/status/get_by_device_id`, undefined, {
      device_id: deviceId,
    });
    const tool = await call('lookupDeviceById', { deviceId });
    const { status, statusReason, description, offlineSince, neverConnected } = z
      .looseObject({})
      .parse(rest);
    expect(tool).toMatchObject({
      status,
      neverConnected,
      // In the tool what the driver said is a quotation.
      ...(statusReason !== '' && {
        statusReason: statusReason === description ? quoted(String(statusReason)) : statusReason,
      }),
    });
    // To the second, and only where it is offline since a time.
    const away = z.looseObject({ offlineSince: z.iso.datetime({ offset: true }).optional() });
    const since = (time: unknown) =>
      typeof time === 'string' ? Date.parse(time.slice(0, 19)) : null;
    expect(since(away.parse(tool).offlineSince)).toBe(since(offlineSince));
    const page = await world.admin.data(`${DATA}/device/status/list_detail`, {
      driverId: site.driverId,
    });
    expect(page).toEqual({ [deviceId]: rest });
    return rest;
  };

  it('is told from one that never was, with since when', async () => {
    const never = { neverConnected: true, offlineSince: null };
    expect(await seen()).toMatchObject({ status: 'unknown', lastHeard: null, ...never });
    await heartbeat('OFFLINE', 'not registered');
    expect(await seen()).toMatchObject({
      status: 'unknown',
      statusReason: 'it never connected',
      ...never,
    });
    await heartbeat('ONLINE');
    expect(await seen()).toMatchObject({
      status: 'online',
      neverConnected: false,
      offlineSince: null,
    });
    world.clock.shift(10_000);
    const gone = world.clock.now();
    await heartbeat('OFFLINE', 'not registered');
    world.clock.shift(10_000);
    await heartbeat('OFFLINE', 'not registered');
    const away = await seen();
    expect(away).toMatchObject({
      status: 'offline',
      statusReason: 'not registered',
      neverConnected: false,
    });
    const { offlineSince } = z.looseObject({ offlineSince: z.iso.datetime() }).parse(away);
    expect(Date.parse(offlineSince)).toBe(gone);
  });

  it('has when its driver last said how it is, whether it is online or away', async () => {
    for (const status of ['ONLINE', 'OFFLINE'] as const) {
      world.clock.shift(10_000);
      const heard = world.clock.now();
      await heartbeat(status);
      world.clock.shift(5_000);
      expect(await seen()).toMatchObject({ lastHeard: new Date(heard).toISOString() });
    }
  });

  it('because its lease ended is away since it was heard last', async () => {
    await heartbeat('ONLINE');
    const heard = world.clock.now();
    world.clock.shift(60_000);
    const away = await seen();
    expect(away).toMatchObject({
      status: 'offline',
      statusReason: 'nothing was heard of it in time',
      neverConnected: false,
    });
    const { offlineSince } = z.looseObject({ offlineSince: z.iso.datetime() }).parse(away);
    expect(Date.parse(offlineSince)).toBeLessThanOrEqual(heard);
  });
});
