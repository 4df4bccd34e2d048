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

describe('lookupPointById', () => {
  it('looks as reviewed', () => expectAsReviewed('lookupPointById'));

  it('gives the point', async () => {
    expect(await call('lookupPointById', { pointId: ours.pointId })).toMatchObject({
      pointId: ours.pointId,
      pointName: 'ours set-point',
      enabled: true,
    });
  });

  it('answers for a foreign id exactly as for a missing one', async () => {
    for (const id of [theirs.pointId, '999999999']) {
      const answer = call('lookupPointById', { pointId: id });
      await expect(answer).rejects.toThrow(new NotFound('Point'));
    }
  });

  it.each(['', '0', '-1', '1.5', 'x', '9223372036854775808', null, {}, 1e300])(
    'refuses %j as an id',
    async (id) => {
      await expect(call('lookupPointById', { pointId: id })).rejects.toThrow(/pointId/);
    },
  );
});

describe('searchPoints', () => {
  it('looks as reviewed', () => expectAsReviewed('searchPoints'));

  it('finds by part of the name, and only in the own tenant', async () => {
    const found = await call('searchPoints', { pointName: 'ours' });
    expect(found).toMatchObject({ total: 1, returned: 1, nextCursor: null });
    expect(found['records']).toEqual([expect.objectContaining({ pointId: ours.pointId })]);
    expect(await call('searchPoints', { pointName: 'theirs' })).toMatchObject({ total: 0 });
  });

  it('takes % and _ in a name as they are', async () => {
    expect(await call('searchPoints', { pointName: '%' })).toMatchObject({ total: 0 });
    expect(await call('searchPoints', { pointName: 'our_' })).toMatchObject({ total: 0 });
  });

  it('hands out page after page', async () => {
    await onboard(world.admin, 'second');
    await onboard(world.admin, 'third');
    const seen: unknown[] = [];
    let cursor: string | null = null;
    do {
      const page = Page.parse(
        await call('searchPoints', { limit: 2, ...(cursor ? { cursor } : {}) }),
      );
      seen.push(...page.records.map((record) => record['pointId']));
      cursor = page.nextCursor;
      expect(page.total).toBeGreaterThanOrEqual(3);
    } while (cursor);
    expect(seen.length).toBeGreaterThanOrEqual(3);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it.each([{ limit: 21 }, { limit: 0 }, { cursor: 'x' }, { pointName: 'a\0' }, { tenantId: '1' }])(
    'refuses %j',
    async (input) => {
      await expect(call('searchPoints', input)).rejects.toThrow(/Too|must|Invalid|Unrecognized/);
    },
  );
});
