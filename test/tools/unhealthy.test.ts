import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { scanOutages } from '../../src/alarm/watch/outage.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { addTo } from '../support/devices/notify.ts';
import { add, pointAttributes } from '../support/devices/plant.ts';
import { watched } from '../support/devices/watched.ts';
import { firmwarePackage } from '../support/lwm2m/upload-firmware.ts';
import type { Session } from '../support/people/session.ts';
import { Records } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard, report, toolNamed } from './agent.ts';

const MANAGER = '/api/v3/manager';
const LEASE_MS = 45_000;

const Answer = z.looseObject({
  worst: z.array(z.object({ kind: z.string(), what: z.string(), id: z.string() })),
  counts: z.record(z.string(), z.number()),
  more: z.boolean().optional(),
});

const world = startedWorld();

const unhealthy = async (session: Session, caller = agentIn(session)) => {
  const answer = await toolNamed('getUnhealthy').run(world.app, caller, {});
  expect(countTokens(JSON.stringify(answer))).toBeLessThanOrEqual(1_500);
  return Answer.parse(JSON.parse(JSON.stringify(answer)));
};

/** The driver of a site says that it serves these devices. */
async function serve(session: Session, driverCode: string, deviceIds: string[]): Promise<void> {
  const { tenantId } = session;
  const devices = deviceIds.map((deviceId) => ({
    tenantId,
    deviceId,
    status: 'ONLINE' as const,
    description: '',
  }));
  const at = world.clock.now();
  const state = { driverCode, node: 'field', at, leaseMs: LEASE_MS, devices };
  await world.bus.handled('svc.e.state', state, driverCode);
}

/** As `serve`; then nothing is heard of it. */
async function lose(session: Session, driverCode: string, deviceIds: string[]): Promise<void> {
  await serve(session, driverCode, deviceIds);
  world.clock.shift(3 * LEASE_MS);
  await scanOutages(world.app);
}

/** Adds a device that says its model and version (LwM2M /3/0/1 and /3/0/3). */
async function modelled(session: Session) {
  const { tenantId } = session;
  const list = await session.data(`${MANAGER}/driver/list`, { driverCode: 'Lwm2mDriver' });
  const driverId = z.string().parse(Records.parse(list).records[0]?.id);
  const attributes = await pointAttributes(session, driverId);
  const profileId = await add(session, 'profile', { profileName: fresh('unit') });
  const said = { pointTypeFlag: 'STRING', rwFlag: 'READ_ONLY', profileId };
  const resources = {
    '1': await add(session, 'point', { pointName: 'model', ...said }),
    '3': await add(session, 'point', { pointName: 'version', ...said }),
  };
  return async (model: string, version: string): Promise<void> => {
    const deviceName = fresh(model);
    const deviceId = await add(session, 'device', { deviceName, driverId, profileId });
    for (const [resourceId, value] of [
      ['1', model],
      ['3', version],
    ] as const) {
      const at = { deviceId, pointId: resources[resourceId] };
      for (const [code, configValue] of Object.entries({ objectId: '3', resourceId }))
        await add(session, 'point_attribute_config', {
          ...at,
          attributeId: attributes.get(code),
          configValue,
        });
      const time = new Date(world.clock.now());
      const times = { createTime: time, receiveTime: time };
      const values = { ...at, tenantId, driverId, ...times, rawValue: value, calValue: value };
      await inTenant(world.app.db, tenantId, (q) =>
        q.insertInto('svc_point_latest').values(values).execute(),
      );
    }
  };
}

describe('what is unhealthy', () => {
  it('is ranked in one answer: an outage with what it explains, alarms by level, what is unconfirmed', async () => {
    const mine = await world.tenant('unhealthy');
    const minor = await watched(world, mine, 'minor', { severity: 'P3' });
    const urgent = await watched(world, mine, 'urgent', { severity: 'P0' });
    const over = await watched(world, mine, 'over', { severity: 'P1' });
    await minor.measure(81);
    await urgent.measure(81);
    await over.measure(81, 20);
    const site = await onboard(mine, 'lost');
    const { profileId, driverId } = site;
    const ids = [site.deviceId];
    for (let at = 0; at < 7; at += 1) {
      const given = { deviceName: `lost ${at}`, driverId, profileId };
      ids.push(z.string().parse(await mine.data(`${MANAGER}/device/add`, given)));
    }
    await lose(mine, site.driverCode, ids);
    const { worst, counts, more } = await unhealthy(mine);
    expect(worst.slice(0, 4)).toMatchObject([
      { kind: 'alarm', what: expect.stringMatching(/^P0 fires .*“urgent too hot”/) },
      { kind: 'alarm', what: expect.stringMatching(/^P1 fires .*; explains 8 more$/) },
      {
        kind: 'unconfirmed',
        what: expect.stringMatching(
          /^P1 is over and unconfirmed, from \S+ until \S+: “over too hot” at “.+” of “over.*”, 81.*80/,
        ),
      },
      { kind: 'device', what: expect.stringMatching(/is offline since/) },
    ]);
    expect(worst.map(({ what }) => what)).toContainEqual(expect.stringMatching(/^P3 fires/));
    expect(counts).toMatchObject({ firing: 11, causes: 3, offline: 8 });
    expect(more).toBe(true);
  });

  it('names the points that fell silent at connected devices, with since when', async () => {
    const mine = await world.tenant('fell-silent');
    const site = await onboard(mine, 'probe');
    const { deviceId, driverCode, driverId, profileId } = site;
    const ids = [deviceId];
    for (let at = 0; at < 5; at += 1) {
      const given = { deviceName: `probe ${at}`, driverId, profileId };
      ids.push(z.string().parse(await mine.data(`${MANAGER}/device/add`, given)));
    }
    const lost = z
      .string()
      .parse(await mine.data(`${MANAGER}/device/add`, { deviceName: 'away', driverId, profileId }));
    for (const each of [lost, ...ids]) {
      world.clock.shift(1_000);
      await report(world, mine, { ...site, deviceId: each }, [20]);
    }
    const before = await unhealthy(mine);
    expect(before.worst.filter(({ kind }) => kind === 'point')).toEqual([]);
    world.clock.shift(600_000);
    await serve(mine, driverCode, ids);
    const { worst, counts, more } = await unhealthy(mine);
    const points = worst.filter(({ kind }) => kind === 'point');
    expect(points.map(({ what }) => what)).toEqual(
      ['probe 4', 'probe 3', 'probe 2', 'probe 1'].map((name) =>
        expect.stringMatching(`^“probe set-point” of “${name}” has no value since 20`),
      ),
    );
    expect(points[0]?.id).toBe(site.pointId);
    expect(counts).toMatchObject({ silentPoints: 7 });
    expect(more).toBe(true);
  });

  it('says which alarms doubt a sensor, behind the others of their level', async () => {
    const mine = await world.tenant('doubts');
    const site = await onboard(mine, 'sensor');
    const window = { mode: 'DELTA', duration: 'PT1H' };
    const rules: [string, object][] = [
      ['stuck', { condition: { field: 'value', operator: '<', threshold: 1 }, window }],
      ['hot', { condition: { field: 'value', operator: '>', threshold: 1 } }],
    ];
    for (const [ruleName, content] of rules)
      await addTo(mine, 'rule', {
        ruleName,
        alarmTargetTypeFlag: 'POINT',
        entityId: site.pointId,
        ruleExt: { content: { severity: 'P1', ...content } },
      });
    for (let at = 0; at < 3; at += 1) {
      world.clock.shift(1_000);
      await report(world, mine, site, [20]);
    }
    const { worst } = await unhealthy(mine);
    const said = worst.filter(({ kind }) => kind === 'alarm').map(({ what }) => what);
    expect(said[0]).toMatch(/“hot”[^;]*$/);
    expect(said).toContainEqual(expect.stringMatching(/“stuck” .*; the value does not move$/));
  });

  it('says what chatters, by its alarms in an hour and a day', async () => {
    const mine = await world.tenant('chatter');
    const room = await watched(world, mine, 'chatter', { severity: 'P3' });
    for (let at = 0; at < 5; at += 1) await room.measure(81, 20);
    const { worst, counts } = await unhealthy(mine);
    expect(worst).toContainEqual({
      kind: 'rule',
      what: expect.stringMatching(
        /^“chatter too hot” at “.+” of “.+” chatters: raised 5 times in 24 h, 5 in the last hour$/,
      ),
      id: expect.stringMatching(/^\d+$/),
    });
    expect(counts).toMatchObject({ chattering: 1 });
    world.clock.shift(2 * 3_600_000);
    expect((await unhealthy(mine)).counts).toMatchObject({ chattering: 0 });
  });

  it('says which firmware is behind the newest package, or that of most devices of its model', async () => {
    const mine = await world.tenant('firmware');
    const device = await modelled(mine);
    for (const [model, version] of [
      ['valve', '2.9.0'],
      ['valve', '2.10.0'],
      ['pump', '1.0'],
      ['pump', '1.1'],
      ['pump', '1.1'],
    ] as const)
      await device(model, version);
    const said = async () =>
      (await unhealthy(mine)).worst
        .filter(({ what }) => /runs? “/.test(what))
        .map(({ what }) => what);
    expect(await said()).toEqual(['1 device runs “1.0” of “pump”: most of that model run “1.1”']);
    await firmwarePackage(mine, new Uint8Array([1]), {
      package_name: 'valve',
      package_version: '2.10.0',
      package_model: 'valve',
    });
    expect(await said()).toContainEqual(
      '1 device runs “2.9.0” of “valve”: the newest package is “2.10.0”',
    );
    expect((await unhealthy(mine)).counts).toMatchObject({ firmwareBehind: 2 });
  });

  it('has no part that its reader may not read, and is empty where nothing is wrong', async () => {
    const mine = await world.tenant('healthy');
    const nothing = await unhealthy(mine);
    expect(nothing.worst.filter(({ kind }) => kind !== 'device')).toEqual([]);
    const few = { ...agentIn(mine), permissions: new Set(['svc-center-data:dashboard:list']) };
    expect(Object.keys((await unhealthy(mine, few)).counts)).toEqual([
      'firing',
      'causes',
      'chattering',
      'channels',
    ]);
  });
});
