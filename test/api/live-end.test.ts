import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inOneTrip } from '../../src/db/tenant.ts';
import { headOf } from '../../src/kernel/feed/change.ts';
import { follow } from '../../src/kernel/feed/follow.ts';
import { readEvents } from '../../src/live/events.ts';
import { type LiveStream, openLive } from '../support/live/open-live.ts';
import { quiet } from '../support/live/quiet.ts';
import { addRole, bind, worker } from '../support/people/accounts.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { beginConsole, sendJson } from '../support/people/console-session.ts';
import { request, type Session } from '../support/people/session.ts';
import { happens } from '../support/runs/happenings.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { startSplit } from '../support/world/split.ts';
import { onboard, report, type Site } from '../tools/agent.ts';

const LIVE = '/api/v3/data/live';
const VALUES = 'svc-center-data:point_value:list';
const ALARMS = 'svc-center-data:dashboard:list';
const pointOf = ({ deviceId, pointId }: Site): string => `${deviceId}:${pointId}`;
const Trip = z.object({ texts: z.array(z.string()) });
const reason = async (stream: LiveStream): Promise<string | undefined> => {
  await stream.ended;
  return stream.ends()[0]?.reason;
};
const until = (isSo: () => boolean) =>
  eventually(
    async () => isSo(),
    (so) => so,
  );

describe('a live stream', () => {
  let tenant: Session;
  const open: LiveStream[] = [];
  const listen = async (
    headers: Record<string, string> = tenant.headers,
    asked: Parameters<typeof openLive>[2] = {},
  ): Promise<LiveStream> => {
    const stream = await openLive(world.base, headers, asked);
    open.push(stream);
    return stream;
  };
  const alarm = () => happens(world, { tenantId: tenant.tenantId });

  const world = startedWorld();
  beforeAll(async () => {
    tenant = await world.tenant('live');
  });
  const site = prepared(() => onboard(tenant, 'live'));
  afterAll(async () => {
    for (const { close } of open) close();
  });

  it('tells what its caller may read and nothing else', async () => {
    const person = await worker(tenant, [VALUES]);
    const asked = { points: [pointOf(site)], devices: [site.deviceId] };
    const stream = await listen(person.session.headers, asked);
    expect(stream.sync()).toMatchObject({
      hears: ['value'],
      devices: [],
      missing: { points: [], devices: [] },
    });
    await alarm();
    await report(world, tenant, site, [20]);
    await until(() => stream.values().length > 0);
    expect(stream.told.map(({ event }) => event)).toEqual(['sync', 'value']);
    const blind = await worker(tenant, ['svc-center-manager:label:list']);
    expect(await listen(blind.session.headers)).toMatchObject({ status: 403 });
  });

  it('ends when the rights of its caller change, and is full after the next call', async () => {
    const person = await worker(tenant, [VALUES]);
    const stream = await listen(person.session.headers);
    await bind(tenant, await addRole(tenant, [ALARMS]), person.principalId);
    expect(await reason(stream)).toBe('RIGHTS_CHANGED');
    const again = await listen(person.session.headers);
    expect(again.sync().hears).toEqual(['value', 'alarm']);
  });

  it('stays when the rights of others change', async () => {
    const person = await worker(tenant, [VALUES, ALARMS]);
    const stream = await listen(person.session.headers);
    await worker(tenant, [VALUES]);
    const alarmId = await alarm();
    await until(() => stream.events('alarm').length > 0);
    expect(stream.events('alarm')).toMatchObject([{ ref: alarmId }]);
  });

  it('ends with the session of a browser, in every tab', async () => {
    const { headers } = await beginConsole(world.base);
    const tabs = [await listen(headers), await listen(headers)];
    await sendJson(world.base, '/api/v3/auth/session/end', {}, headers);
    for (const tab of tabs) expect(await reason(tab)).toBe('SESSION_ENDED');
    expect(await listen(headers)).toMatchObject({ status: 401 });
  });

  it('needs the proof of a session', async () => {
    const { cookie } = await beginConsole(world.base);
    expect(await listen({ cookie })).toMatchObject({ status: 401 });
  });

  it('takes 200 points and devices, and says what is wrong with an id', async () => {
    const ids = Array.from({ length: 201 }, (_, at) => String(at + 1));
    expect(await listen(undefined, { devices: ids })).toMatchObject({ status: 400 });
    expect(await listen(undefined, { points: ids.map((id) => `${id}:${id}`) })).toMatchObject({
      status: 400,
    });
    expect(await listen(undefined, { devices: ids.slice(1) })).toMatchObject({ status: 200 });
    for (const point of ['7', '7:x', '7:8:9', '0:1']) {
      const { status, message } = await listen(undefined, { points: [point] });
      expect([point, status]).toEqual([point, 400]);
      expect(message).not.toBe('');
    }
    expect(await listen(undefined, { cursor: 'x' })).toMatchObject({ status: 400 });
    expect(await listen({})).toMatchObject({ status: 401 });
  });

  it('is read with GET only', async () => {
    const { headers } = tenant;
    expect(await request(world.base, 'POST', LIVE, { headers, body: {} })).toMatchObject({
      status: 405,
    });
    expect((await fetch(world.base + LIVE, { method: 'HEAD', headers })).status).toBe(405);
  });

  it('is one of 64 of its principal, and leaves its place to the next one', async () => {
    const headers = { authorization: `Bearer ${await apiToken()}` };
    const streams: LiveStream[] = [];
    while (streams.length < 64) streams.push(await listen(headers));
    const refused = await listen(headers);
    expect(refused.status).toBe(429);
    expect(refused.message).toContain('Too many');
    for (const { close } of streams) close();
    await eventually(
      () => listen(headers),
      ({ status }) => status === 200,
    );
  });

  it('costs no trip while nothing changes, and one read for a changed value or event of all', async () => {
    const streams: LiveStream[] = [];
    while (streams.length < 20) streams.push(await listen(undefined, { points: [pointOf(site)] }));
    const trips: string[] = [];
    const note = (trip: unknown): void => {
      const text = Trip.parse(trip).texts.join('\n');
      if (/svc_order_feed|\(d\.id, p\.id\) in/.test(text)) trips.push(text);
    };
    subscribe('svc:trip', note);
    await quiet(trips);
    trips.length = 0;
    await report(world, tenant, site, [23]);
    await until(() => streams.every((stream) => stream.values().at(-1)?.calValue === '23'));
    expect(trips).toHaveLength(1);
    const alarmId = await alarm();
    await until(() => streams.every((stream) => stream.events('alarm').at(-1)?.ref === alarmId));
    unsubscribe('svc:trip', note);
    // The look of the feed, and the words for all streams.
    expect(trips).toHaveLength(3);
    for (const { close } of streams) close();
  });

  it('keeps nothing for a reader that is slow, which misses nothing all the same', async () => {
    const { app } = world;
    const place = await inOneTrip(app.db, tenant.tenantId, (q) => headOf(q, tenant.tenantId));
    const told: string[] = [];
    let room = 0;
    const reader = readEvents(
      app,
      tenant.tenantId,
      { place, isBehind: false },
      {
        concerns: () => true,
        event({ ref }) {
          if (room === 0) return false;
          room -= 1;
          told.push(ref);
          return true;
        },
        gap: () => true,
        isOver: () => false,
      },
    );
    const following = follow(app, tenant, { tell: reader.tell, end: () => {} });
    following.begin(place);
    const raised: string[] = [];
    while (raised.length < 250) raised.push(await alarm());
    expect(told).toEqual([]);
    await eventually(
      async () => {
        room = 3;
        reader.goOn();
        return told.length;
      },
      (count) => count >= raised.length,
    );
    room = 10;
    raised.push(await alarm());
    await until(() => told.length === raised.length);
    following.stop();
    expect(told).toEqual(raised);
  });

  it('ends with its token', async () => {
    const stream = await listen({ authorization: `Bearer ${await apiToken()}` });
    const { length } = stream.told;
    world.clock.shift(16 * 60_000);
    await alarm();
    expect(await reason(stream)).toBe('SESSION_ENDED');
    expect(stream.told).toHaveLength(length + 1);
  });

  it('ends when the process stops, and goes on from the cursor in the next one', async () => {
    const own = await startWorld();
    const { headers } = own.admin;
    const stream = await openLive(own.base, headers);
    await own.halt();
    expect(await reason(stream)).toBe('SERVER_CLOSING');
    const { environment } = own;
    const next = await startWorld({ database: { environment, remove: async () => {} } });
    const { tenantId } = next.admin;
    const alarmId = await happens(next, { tenantId });
    const again = await openLive(next.base, headers, { cursor: stream.lastId() });
    await until(() => again.events('alarm').length > 0);
    expect(again.events('alarm')).toMatchObject([{ ref: alarmId }]);
    again.close();
    await next.halt();
    await own.stop();
  });

  const apiToken = () => bearerFor(tenant, { scope: 'svc:read', audience: 'api' });
});

describe('a live stream of a gateway by itself', () => {
  it('tells values that another process stored, and ends with the session', async () => {
    const split = await startSplit();
    try {
      const site = await onboard(split.admin, 'split');
      const stream = await openLive(split.base, split.admin.headers, { points: [pointOf(site)] });
      const { app } = split.gateway;
      const batch = {
        tenantId: split.admin.tenantId,
        driverId: site.driverId,
        driverCode: site.driverCode,
        node: 'test',
        values: [
          {
            deviceId: site.deviceId,
            pointId: site.pointId,
            rawValue: '21',
            calValue: '21',
            numValue: 21,
            originTime: split.clock.now(),
            seq: 0,
            quality: 0 as const,
          },
        ],
      };
      await app.bus.publish('svc.e.value', batch, { key: site.driverCode });
      await until(() => stream.values().length > 0);
      expect(stream.values()).toMatchObject([{ calValue: '21', quality: 'GOOD' }]);
      await split.admin.data('/api/v3/auth/token/cancel', {
        tenant: split.admin.tenant,
        name: 'admin',
      });
      expect(await reason(stream)).toBe('SESSION_ENDED');
    } finally {
      await split.stop();
    }
  });
});
