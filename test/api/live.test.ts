import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { propose } from '../../src/agentic/propose/action.ts';
import { STORED_MS, sweepFeed } from '../../src/kernel/feed/sweeper.ts';
import { type LiveStream, openLive } from '../support/live/open-live.ts';
import { beginConsole } from '../support/people/console-session.ts';
import type { Session } from '../support/people/session.ts';
import { happens } from '../support/runs/happenings.ts';
import { eventually } from '../support/world/eventually.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard, onboardVirtual, report, type Site } from '../tools/agent.ts';

const Latest = z.object({ records: z.array(z.looseObject({ calValue: z.string() })) });
const pointOf = ({ deviceId, pointId }: Site): string => `${deviceId}:${pointId}`;

describe('the live stream', () => {
  let tenant: Session;
  let site: Site;
  let other: Site;
  const open: LiveStream[] = [];
  const listen = async (
    asked: Parameters<typeof openLive>[2] = {},
    headers = tenant.headers,
  ): Promise<LiveStream> => {
    const stream = await openLive(world.base, headers, asked);
    open.push(stream);
    return stream;
  };
  const until = (isSo: () => boolean) =>
    eventually(
      async () => isSo(),
      (so) => so,
    );
  /** Of the alarms that a stream told those of a list: a device that is away raises one too. */
  const alarmsIn = (stream: LiveStream, raised: readonly string[]): string[] =>
    stream.events('alarm').flatMap(({ ref }) => (raised.includes(ref) ? [ref] : []));
  const alarm = (session = tenant) => happens(world, { tenantId: session.tenantId });
  const beat = (status: 'ONLINE' | 'OFFLINE', { deviceId, driverCode }: Site) =>
    world.bus.handled(
      'svc.e.state',
      {
        driverCode,
        node: 'node-1',
        at: world.clock.now(),
        leaseMs: 45_000,
        devices: [{ tenantId: tenant.tenantId, deviceId, status, description: '' }],
      },
      driverCode,
    );

  const world = startedWorld();
  beforeAll(async () => {
    tenant = await world.tenant('live');
    site = await onboard(tenant, 'live');
    other = await onboard(await world.tenant('live-other'), 'foreign');
  });
  afterAll(async () => {
    for (const { close } of open) close();
  });

  it('begins with what was asked for, and leaves out what is unknown or of another tenant, alike', async () => {
    await report(world, tenant, site, [20.5]);
    const points = [pointOf(site), pointOf(other), '999999:999999'];
    const devices = [site.deviceId, other.deviceId, '999999'];
    const stream = await listen({ points, devices });
    const sync = stream.sync();
    const { deviceId, pointId } = site;
    expect(sync).toEqual({
      hears: ['value', 'device', 'alarm', 'action', 'receipt'],
      values: Latest.parse(
        await tenant.data('/api/v3/data/point_value/latest', { deviceId, pointId }),
      ).records.map((record) => ({ ...record, ageS: expect.any(Number) })),
      devices: [
        expect.objectContaining({ deviceId, deviceName: 'live device', status: 'unknown' }),
      ],
      missing: { points: points.slice(1), devices: devices.slice(1) },
    });
    expect(stream.lastId()).toMatch(/^f\d+$/);
  });

  it('tells a value as the latest one is answered, and no other', async () => {
    const third = await onboard(tenant, 'live-unasked');
    const stream = await listen({ points: [pointOf(site)] });
    await report(world, tenant, third, [7]);
    await report(world, tenant, site, [21]);
    await until(() => stream.values().length > 0);
    const { deviceId, pointId } = site;
    const latest = Latest.parse(
      await tenant.data('/api/v3/data/point_value/latest', { deviceId, pointId }),
    ).records[0];
    for (const [name, shown] of Object.entries(stream.values()[0] ?? {}))
      if (name !== 'ageS') expect({ [name]: latest?.[name] }).toEqual({ [name]: shown });
    expect(stream.values().map((value) => value.pointId)).toEqual([pointId]);
  });

  it('tells four times a second of a point at most, and the last value always', async () => {
    const stream = await listen({ points: [pointOf(site)] });
    const begin = performance.now();
    for (let n = 0; n < 40; n += 1) await report(world, tenant, site, [5 + n / 10]);
    await report(world, tenant, site, [29]);
    await until(() => stream.values().at(-1)?.calValue === '29');
    const quarters = (performance.now() - begin) / 250;
    expect(stream.values().length).toBeLessThanOrEqual(quarters + 2);
  });

  it('tells alarms, actions, receipts and the status of devices, each with its place', async () => {
    const virtual = await onboardVirtual(world, 'live-virtual', tenant);
    const { deviceId, pointId } = virtual;
    const stream = await listen({ devices: [site.deviceId] });
    const alarmId = await alarm();
    await beat('ONLINE', site);
    const write = { deviceId, pointId, value: '22' };
    const { actionId } = await propose(world.app, agentIn(tenant), write);
    await tenant.data('/api/v3/agentic/action/confirm', { action_id: actionId, wait_ms: 10_000 });
    await until(() => stream.events('action').some(({ what }) => what === 'EXECUTED'));
    expect(stream.events('alarm').filter(({ ref }) => ref === alarmId)).toMatchObject([
      { what: 'RAISED', say: 'P1 alarm raised: It is too warm.' },
    ]);
    expect(stream.events('device')).toMatchObject([{ what: 'ONLINE', deviceId: site.deviceId }]);
    expect(stream.events('action').map(({ what }) => what)).toEqual([
      'PROPOSED',
      'CONFIRMED',
      'EXECUTED',
    ]);
    expect(stream.events('receipt')).toMatchObject([{ what: 'SUCCESS', actionId, done: true }]);
    const places = stream.told.map(({ id }) => Number(id?.slice(1)));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it('goes on from a cursor without a missed or a doubled event, given in either way', async () => {
    const first = await listen({ devices: [site.deviceId] });
    const raised = [await alarm(), await alarm()];
    await until(() => alarmsIn(first, raised).length === 2);
    first.close();
    const cursor =
      first.told.find(({ data }) => JSON.stringify(data).includes(`"ref":"${raised[0]}"`))?.id ??
      '';
    await beat('OFFLINE', site);
    for (let n = 0; n < 210; n += 1) raised.push(await alarm());
    for (const given of [{ cursor }, { cursor: 'f0', lastEventId: cursor }]) {
      const again = await listen({ ...given, devices: [site.deviceId] });
      await until(() => alarmsIn(again, raised).length >= raised.length - 1);
      const later = await alarm();
      raised.push(later);
      await until(() => alarmsIn(again, raised).at(-1) === later);
      expect(alarmsIn(again, raised)).toEqual(raised.slice(1));
      // How the device is was in `sync` already.
      expect(again.events('device')).toEqual([]);
      expect(again.sync().devices[0]?.status).toBe('offline');
    }
  });

  it('tells nothing of another tenant', async () => {
    const stream = await listen({ points: [pointOf(other)], devices: [other.deviceId] });
    const theirs = await world.tenant('live-third');
    const foreign = await onboard(theirs, 'third');
    const blind = await listen({ points: [pointOf(foreign)] });
    const seeing = await listen({ points: [pointOf(foreign)] }, theirs.headers);
    await report(world, theirs, foreign, [8]);
    const foreignAlarm = await alarm(theirs);
    await until(() => seeing.values().length + seeing.events('alarm').length === 2);
    const mine = await alarm();
    for (const mute of [stream, blind]) {
      await until(() => alarmsIn(mute, [mine]).length > 0);
      expect(alarmsIn(mute, [foreignAlarm])).toEqual([]);
      expect([mute.values(), mute.events('device')]).toEqual([[], []]);
    }
  });

  it('says that the cursor is older than what is kept, and goes on from there', async () => {
    const { tenantId } = world.admin;
    const before = await listen({}, (await beginConsole(world.base)).headers);
    // Before the event that is no longer kept: after it nothing would be missing.
    const old = before.lastId();
    await happens(world, { tenantId });
    world.clock.shift(STORED_MS + 60_000);
    await sweepFeed(world.app);
    const { headers } = await beginConsole(world.base);
    for (const cursor of [old, 'f999999999999']) {
      const stream = await listen({ cursor }, headers);
      await until(() => stream.gaps().length > 0);
      const alarmId = await happens(world, { tenantId });
      await until(() => stream.events('alarm').length > 0);
      expect(stream.told.map(({ event }) => event)).toEqual(['sync', 'resume-gap', 'alarm']);
      expect(stream.events('alarm')[0]?.ref).toBe(alarmId);
      const again = await listen({ cursor: stream.told[1]?.id ?? '' }, headers);
      await until(() => again.events('alarm').length > 0);
      expect(again.gaps()).toEqual([]);
    }
  });
});
