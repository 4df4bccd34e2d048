import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { NotFound } from '../../src/core/errors.ts';
import { startWorld, type World } from '../support/app.ts';
import type { Session } from '../support/session.ts';
import { agentIn, expectAsReviewed, onboard, Page, type Site, toolNamed } from './agent.ts';

let world: World;
let other: Session;
let ours: Site;
let theirs: Site;
beforeAll(async () => {
  world = await startWorld();
  other = await world.tenant('other');
  ours = await onboard(world.admin, 'ours');
  theirs = await onboard(other, 'theirs');
});
afterAll(() => world.stop());

const call = (name: string, input: unknown) =>
  toolNamed(name).run(world.app, agentIn(world.admin), input);

describe('lookupProfileById', () => {
  it('looks as reviewed', () => expectAsReviewed('lookupProfileById'));

  it('gives the profile', async () => {
    expect(await call('lookupProfileById', { profileId: ours.profileId })).toMatchObject({
      profileId: ours.profileId,
      profileName: 'ours profile',
      enabled: true,
    });
  });

  it('answers for a foreign id exactly as for a missing one', async () => {
    for (const id of [theirs.profileId, '999999999']) {
      const answer = call('lookupProfileById', { profileId: id });
      await expect(answer).rejects.toThrow(new NotFound('Profile'));
    }
  });

  it.each(['', '0', '-1', '1.5', 'x', '9223372036854775808', null, {}, 1e300])(
    'refuses %j as an id',
    async (id) => {
      await expect(call('lookupProfileById', { profileId: id })).rejects.toThrow(/profileId/);
    },
  );
});

describe('searchProfiles', () => {
  it('looks as reviewed', () => expectAsReviewed('searchProfiles'));

  it('finds by part of the name, and only in the own tenant', async () => {
    const found = await call('searchProfiles', { profileName: 'ours' });
    expect(found).toMatchObject({ total: 1, returned: 1, nextCursor: null });
    expect(found['records']).toEqual([expect.objectContaining({ profileId: ours.profileId })]);
    expect(await call('searchProfiles', { profileName: 'theirs' })).toMatchObject({ total: 0 });
  });

  it('takes % and _ in a name as they are', async () => {
    expect(await call('searchProfiles', { profileName: '%' })).toMatchObject({ total: 0 });
    expect(await call('searchProfiles', { profileName: 'our_' })).toMatchObject({ total: 0 });
  });

  it('hands out page after page', async () => {
    await onboard(world.admin, 'second');
    await onboard(world.admin, 'third');
    const seen: unknown[] = [];
    let cursor: string | null = null;
    do {
      const page = Page.parse(
        await call('searchProfiles', { limit: 2, ...(cursor ? { cursor } : {}) }),
      );
      seen.push(...page.records.map((record) => record['profileId']));
      cursor = page.nextCursor;
      expect(page.total).toBeGreaterThanOrEqual(3);
    } while (cursor);
    expect(seen.length).toBeGreaterThanOrEqual(3);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it.each([
    { limit: 21 },
    { limit: 0 },
    { cursor: 'x' },
    { profileName: 'a\0' },
    { tenantId: '1' },
  ])('refuses %j', async (input) => {
    await expect(call('searchProfiles', input)).rejects.toThrow(/Too|must|Invalid|Unrecognized/);
  });
});
