import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { BadRequest, Forbidden, NotFound } from '../../src/kernel/errors.ts';
import type { Session } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard, type Site, toolNamed } from './agent.ts';

let site: Site;
let eventId: string;
let theirs: string;
let theirRecord: string;
const world = startedWorld();
beforeAll(async () => {
  const other = await world.tenant('other');
  site = await onboard(world.admin, 'site');
  eventId = await addEvent(world.admin, site, 'overheated');
  const foreign = await onboard(other, 'theirs');
  theirs = await addEvent(other, foreign, 'foreign');
  theirRecord = await report(other, foreign, await codeOf(other, theirs));
});

const addEvent = async (session: Session, { profileId }: Site, eventName: string) =>
  String(
    await session.data('/api/v3/manager/event/add', {
      eventName,
      eventTypeFlag: 'FAULT',
      eventLevelFlag: 'HIGH',
      profileId,
    }),
  );

/** What a device said; answers the record's id. */
const report = async (session: Session, { deviceId }: Site, eventCode: string) =>
  String(
    await session.data('/api/v3/data/event_history/report', {
      deviceId,
      eventCode,
      message: 'tank \u202E7\nleaks',
      paramValues: { litres: 3 },
    }),
  );

const codeOf = async (session: Session, id: string) =>
  z
    .object({ eventCode: z.string() })
    .parse(await session.data('/api/v3/manager/event/get_by_id', undefined, { id })).eventCode;

const call = (name: string, input: unknown) =>
  toolNamed(name).run(world.app, agentIn(world.admin), input);

describe('lookupEventById', () => {
  it('gives the definition with type and level by name', async () => {
    expect(await call('lookupEventById', { eventId })).toEqual({
      kind: 'defined',
      defined: expect.objectContaining({
        eventId,
        eventName: 'overheated',
        profileId: site.profileId,
        type: 'FAULT',
        level: 'HIGH',
        enabled: true,
      }),
    });
  });

  it('gives what a device reported, cleaned, until and after somebody acknowledges it', async () => {
    const eventCode = await codeOf(world.admin, eventId);
    const recordId = await report(world.admin, site, eventCode);
    const reported = {
      recordId,
      deviceId: site.deviceId,
      deviceName: 'site device',
      eventId,
      eventName: 'overheated',
      type: 'FAULT',
      level: 'HIGH',
      message: 'tank 7 leaks',
      params: '{"litres":"3"}',
    };
    expect(await call('lookupEventById', { eventId: recordId })).toMatchObject({
      kind: 'reported',
      reported: { ...reported, acknowledged: false },
    });
    await world.admin.data('/api/v3/data/event_history/acknowledge', { recordId });
    expect(await call('lookupEventById', { eventId: recordId })).toMatchObject({
      reported: { ...reported, acknowledged: true, acknowledgeTime: expect.any(String) },
    });
  });

  it('answers for a foreign id exactly as for a missing one', async () => {
    for (const id of [theirs, '999999999'])
      await expect(call('lookupEventById', { eventId: id })).rejects.toThrow(new NotFound('Event'));
    for (const id of [theirRecord, '00000000-0000-4000-8000-000000000000'])
      await expect(call('lookupEventById', { eventId: id })).rejects.toThrow(
        new NotFound('Event record'),
      );
  });

  it('shows no report to whom the data center would not', async () => {
    const { permission, run } = toolNamed('lookupEventById');
    const limited = { ...agentIn(world.admin), permissions: new Set([permission]) };
    const given = { eventId: theirRecord };
    await expect(run(world.app, limited, given)).rejects.toThrow(Forbidden);
  });
});

describe('searchEvents', () => {
  it('finds by name, profile and device, only in the own tenant', async () => {
    for (const filter of [
      { eventName: 'heat' },
      { profileId: site.profileId },
      { deviceId: site.deviceId },
      {},
    ]) {
      expect(await call('searchEvents', filter)).toMatchObject({
        total: 1,
        records: [{ eventId }],
      });
    }
    expect(await call('searchEvents', { eventName: 'foreign' })).toMatchObject({ total: 0 });
  });

  it('finds what devices reported: all, of one device, acknowledged or not', async () => {
    const silent = await onboard(world.admin, 'silent');
    const device = await onboard(world.admin, 'loud');
    const eventCode = await codeOf(
      world.admin,
      await addEvent(world.admin, device, 'loud overheated'),
    );
    const recordId = await report(world.admin, device, eventCode);
    const { deviceId } = device;
    for (const filter of [{ deviceId }, { deviceId, acknowledged: false }]) {
      expect(await call('searchEvents', { kind: 'reported', ...filter })).toMatchObject({
        total: 1,
        records: [
          {
            recordId,
            deviceId,
            deviceName: 'loud device',
            eventName: 'loud overheated',
            type: 'FAULT',
            level: 'HIGH',
            acknowledged: false,
          },
        ],
      });
    }
    const none = { total: 0, records: [] };
    const acknowledged = { deviceId, acknowledged: true };
    expect(await call('searchEvents', acknowledged)).toMatchObject(none);
    await world.admin.data('/api/v3/data/event_history/acknowledge', { recordId });
    expect(await call('searchEvents', acknowledged)).toMatchObject({ records: [{ recordId }] });
    const ofSilent = { kind: 'reported', deviceId: silent.deviceId };
    expect(await call('searchEvents', ofSilent)).toMatchObject(none);
    const all = JSON.stringify(await call('searchEvents', { kind: 'reported' }));
    expect(all).toContain(recordId);
    expect(all).not.toContain(theirRecord);
  });

  it('says which filters go together, and shows no report to whom the data center would not', async () => {
    for (const wrong of [
      { kind: 'reported', eventName: 'x' },
      { acknowledged: true, profileId: '1' },
      { kind: 'defined', acknowledged: true },
    ])
      await expect(call('searchEvents', wrong)).rejects.toThrow(BadRequest);
    const { permission, run } = toolNamed('searchEvents');
    const limited = { ...agentIn(world.admin), permissions: new Set([permission]) };
    await expect(run(world.app, limited, { kind: 'reported' })).rejects.toThrow(Forbidden);
  });
});
