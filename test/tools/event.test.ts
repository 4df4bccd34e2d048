import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { NotFound } from '../../src/core/errors.ts';
import { startWorld, type World } from '../support/app.ts';
import type { Session } from '../support/session.ts';
import { agentIn, expectAsReviewed, onboard, type Site, toolNamed } from './agent.ts';

let world: World;
let site: Site;
let eventId: string;
let theirs: string;
beforeAll(async () => {
  world = await startWorld();
  const other = await world.tenant('other');
  site = await onboard(world.admin, 'site');
  eventId = await addEvent(world.admin, site, 'overheated');
  theirs = await addEvent(other, await onboard(other, 'theirs'), 'foreign');
});
afterAll(() => world.stop());

const addEvent = async (session: Session, { profileId }: Site, eventName: string) =>
  String(
    await session.data('/api/v3/manager/event/add', {
      eventName,
      eventTypeFlag: 'FAULT',
      eventLevelFlag: 'HIGH',
      profileId,
    }),
  );

const call = (name: string, input: unknown) =>
  toolNamed(name).run(world.app, agentIn(world.admin), input);

describe('lookupEventById', () => {
  it('looks as reviewed', () => expectAsReviewed('lookupEventById'));

  it('gives the definition with type and level by name', async () => {
    expect(await call('lookupEventById', { eventId })).toMatchObject({
      eventId,
      eventName: 'overheated',
      profileId: site.profileId,
      type: 'FAULT',
      level: 'HIGH',
      enabled: true,
    });
  });

  it('answers for a foreign id exactly as for a missing one', async () => {
    for (const id of [theirs, '999999999'])
      await expect(call('lookupEventById', { eventId: id })).rejects.toThrow(new NotFound('Event'));
  });
});

describe('searchEvents', () => {
  it('looks as reviewed', () => expectAsReviewed('searchEvents'));

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
});
