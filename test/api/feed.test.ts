import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { propose } from '../../src/agentic/propose/action.ts';
import { scanOutages } from '../../src/alarm/watch/outage.ts';
import { STORED_MS, sweepFeed } from '../../src/kernel/feed/sweeper.ts';
import { quiet } from '../support/live/quiet.ts';
import { happens, recovers } from '../support/runs/happenings.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard, onboardVirtual, toolNamed } from '../tools/agent.ts';

const Answer = z.object({
  returned: z.number(),
  nextCursor: z.string(),
  events: z.array(
    z.looseObject({
      kind: z.string(),
      what: z.string(),
      say: z.string(),
      alarmId: z.string().optional(),
      deviceName: z.string().optional(),
    }),
  ),
});

/** Looks at the feed; other trips are those of sweepers. */
function counter() {
  const feedTrips: string[] = [];
  const note = (trip: unknown): void => {
    const { texts } = Trip.parse(trip);
    feedTrips.push(...texts.filter((text) => text.includes('svc_order_feed')));
  };
  return { feedTrips, note };
}

const Trip = z.object({ texts: z.array(z.string()) });
type Given = { cursor?: string; kinds?: string[]; deviceId?: string; waitS?: number };

describe('waitForEvents', () => {
  const wait = async (given: Given = {}, session = tenant, permissions = ['*']) =>
    Answer.parse(
      await toolNamed('waitForEvents').run(
        world.app,
        { ...agentIn(session), permissions: new Set(permissions) },
        { waitS: 0, ...given },
      ),
    );
  const tenantId = () => tenant.tenantId;

  const world = startedWorld();
  const tenant = prepared(() => world.tenant('feed'));

  it('answers a cursor from which nothing is missed or repeated', async () => {
    const { nextCursor: start, events } = await wait();
    expect(events).toEqual([]);
    const alarmId = await happens(world, { tenantId: tenantId(), message: 'First' });
    await recovers(world, { tenantId: tenantId(), alarmId });
    const first = await wait({ cursor: start });
    expect(first.events).toMatchObject([
      { kind: 'alarm', what: 'RAISED', alarmId, say: 'P1 alarm raised: First.' },
      { kind: 'alarm', what: 'RECOVERED', alarmId, say: 'P1 alarm recovered: First.' },
    ]);
    expect((await wait({ cursor: first.nextCursor })).events).toEqual([]);
    expect((await wait({ cursor: start })).events).toEqual(first.events);
  });

  it('answers pages whose cursors join without a gap', async () => {
    let { nextCursor: cursor } = await wait();
    const raised: string[] = [];
    for (let n = 0; n < 45; n += 1) raised.push(await happens(world, { tenantId: tenantId() }));
    const seen: (string | undefined)[] = [];
    const sizes: number[] = [];
    for (let page = await wait({ cursor }); page.returned > 0; page = await wait({ cursor })) {
      sizes.push(page.returned);
      seen.push(...page.events.map(({ alarmId }) => alarmId));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(raised);
    expect(sizes).toEqual([20, 20, 5]);
  });

  it('waits without a trip, and wakes when something of what was asked for is committed', async () => {
    const { nextCursor: cursor } = await wait();
    const { feedTrips, note } = counter();
    subscribe('svc:trip', note);
    const waiting = Array.from({ length: 20 }, () => wait({ cursor, kinds: ['alarm'], waitS: 60 }));
    await eventually(
      async () => feedTrips.length,
      (looks) => looks >= 20,
    );
    await quiet(feedTrips);
    feedTrips.length = 0;
    const alarmId = await happens(world, { tenantId: tenantId() });
    for (const { events } of await Promise.all(waiting))
      expect(events).toMatchObject([{ what: 'RAISED', alarmId }]);
    unsubscribe('svc:trip', note);
    // One look for all of them, and the answer of each.
    expect(feedTrips).toHaveLength(21);
  });

  it('tells nothing of another tenant, nor of kinds that the caller may not read', async () => {
    const other = await world.tenant('feed-other');
    const { nextCursor: cursor } = await wait();
    await happens(world, { tenantId: other.tenantId });
    expect((await wait({ cursor })).events).toEqual([]);
    await happens(world, { tenantId: tenantId() });
    const blind = ['svc-center-manager:device:list'];
    expect((await wait({ cursor }, tenant, blind)).events).toEqual([]);
    await expect(wait({ cursor, kinds: ['alarm'] }, tenant, blind)).rejects.toThrow(
      'No permission to read events of these kinds',
    );
  });

  it('narrows to a device, and names it', async () => {
    const site = await onboard(tenant, 'narrow');
    const { nextCursor: cursor } = await wait();
    await happens(world, { tenantId: tenantId() });
    const alarmId = await happens(world, { tenantId: tenantId(), deviceId: site.deviceId });
    const { events } = await wait({ cursor, deviceId: site.deviceId });
    expect(events).toMatchObject([{ alarmId, deviceName: 'narrow device' }]);
  });

  it('wakes a look-up of a proposal as soon as it is decided, and makes no trip before', async () => {
    const { deviceId, pointId } = await onboard(tenant, 'decided');
    const { actionId } = await propose(world.app, agentIn(tenant), {
      deviceId,
      pointId,
      value: '22',
    });
    const { feedTrips, note } = counter();
    subscribe('svc:trip', note);
    const looking = toolNamed('lookupActionById').run(world.app, agentIn(tenant), {
      actionId,
      waitS: 60,
    });
    await quiet(feedTrips);
    await tenant.data('/api/v3/agentic/action/reject', { action_id: actionId });
    expect(await looking).toMatchObject({ status: 'REJECTED' });
    unsubscribe('svc:trip', note);
  });

  it('tells of proposals, ends of commands and devices, with what became of them', async () => {
    const site = await onboardVirtual(world, 'whole', tenant);
    const { nextCursor: cursor } = await wait();
    const write = { deviceId: site.deviceId, pointId: site.pointId, value: 22 };
    const { actionId } = await propose(world.app, agentIn(tenant), { ...write, value: '22' });
    await tenant.data('/api/v3/agentic/action/confirm', { action_id: actionId, wait_ms: 10_000 });
    const told = await eventually(
      () => wait({ cursor, kinds: ['action', 'command'] }),
      ({ events }) => events.some(({ what }) => what === 'EXECUTED'),
    );
    expect(told.events).toMatchObject([
      { kind: 'action', what: 'PROPOSED', actionId, done: true, deviceName: 'whole device' },
      { kind: 'action', what: 'CONFIRMED', actionId },
      { kind: 'command', what: 'SUCCESS', actionId, done: true },
      { kind: 'action', what: 'EXECUTED', actionId },
    ]);
    for (const { say } of told.events) expect(say).toContain('became 22 °C');
  });

  it('tells when a device goes on- and offline, also when its lease just ends', async () => {
    const { deviceId, driverCode } = await onboard(tenant, 'status');
    const { nextCursor: cursor } = await wait();
    const beat = (status: 'ONLINE' | 'OFFLINE') =>
      world.bus.handled(
        'svc.e.state',
        {
          driverCode,
          node: 'node-1',
          at: world.clock.now(),
          leaseMs: 45_000,
          devices: [{ tenantId: tenantId(), deviceId, status, description: '' }],
        },
        driverCode,
      );
    await beat('ONLINE');
    await beat('ONLINE');
    await beat('OFFLINE');
    await beat('ONLINE');
    world.clock.shift(46_000);
    await scanOutages(world.app);
    const told = await wait({ cursor, kinds: ['device'], deviceId });
    expect(told.events.map(({ what }) => what)).toEqual(['ONLINE', 'OFFLINE', 'ONLINE', 'OFFLINE']);
    expect(told.events[3]?.say).toBe('Device “status device” went offline.');
    await beat('ONLINE');
    expect(
      (await wait({ cursor: told.nextCursor, kinds: ['device'], deviceId })).events,
    ).toMatchObject([{ what: 'ONLINE' }]);
  });

  it('says what to do where the cursor is older than what is kept', async () => {
    const { nextCursor: old } = await wait();
    await happens(world, { tenantId: tenantId() });
    world.clock.shift(STORED_MS + 60_000);
    await sweepFeed(world.app);
    await expect(wait({ cursor: old })).rejects.toThrow('Ask getHandover');
    await expect(wait({ cursor: 'f999999999' })).rejects.toThrow('Ask getHandover');
    const { nextCursor } = await wait();
    expect((await wait({ cursor: nextCursor })).events).toEqual([]);
  });
});
