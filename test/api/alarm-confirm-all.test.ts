import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { raise } from '../../src/alarm/alarm/raise.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { watched } from '../support/devices/watched.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { request, type Session } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';

const ALERT = '/api/v3/data/dashboard/alert';
const Alarms = z.object({
  records: z.array(z.looseObject({ id: z.string(), confirmFlag: z.number(), message: z.string() })),
});

const world = startedWorld();

const alarms = async (session: Session) =>
  Alarms.parse(await session.data(`${ALERT}/page`, { size: 200 })).records;
const unconfirmed = async (session: Session): Promise<string[]> =>
  (await alarms(session)).filter(({ confirmFlag }) => confirmFlag === 0).map(({ id }) => id);
const confirmAll = (session: Session, body: object) => session.data(`${ALERT}/confirm_all`, body);
const ids = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at + 1));

describe('alarms confirmed all at once', () => {
  it('are those that a search finds and that were there when they were counted', async () => {
    const mine = await world.tenant('confirm-found');
    const pump = await watched(world, mine, 'pump');
    const tank = await watched(world, mine, 'tank', { severity: 'P0' });
    await pump.measure(81, 20, 82, 20);
    await tank.measure(81);
    const counted = z
      .looseObject({ upTo: z.string() })
      .parse(await mine.data(`${ALERT}/to_confirm`, { all: true, query: 'pump' }));
    expect(counted).toMatchObject({ alarms: 2, more: false });
    world.clock.shift(1_000);
    await pump.measure(83);
    const which = { all: true, query: 'pump', upTo: counted.upTo, note: 'seen' };
    expect(await confirmAll(mine, which)).toEqual({ confirmed: 2, notConfirmed: [], more: false });
    expect(await unconfirmed(mine)).toHaveLength(2);
    const audit = z.array(z.unknown()).parse(
      await mine.data('/api/v3/auth/identity_audit/list', {
        resourceType: 'ALARM',
        action: 'CONFIRM',
      }),
    );
    expect(audit).toHaveLength(2);
    const notes = (await alarms(mine)).flatMap(({ confirmFlag, confirmNote }) =>
      confirmFlag === 1 ? [confirmNote] : [],
    );
    expect(notes).toEqual(['seen', 'seen']);
    expect(await confirmAll(mine, { all: true, level: 'P0' })).toMatchObject({ confirmed: 1 });
  });

  it('are those that are named, with the earlier ones of each rule at its place', async () => {
    const mine = await world.tenant('confirm-named');
    const other = await world.tenant('confirm-other');
    const [pump, theirs] = [
      await watched(world, mine, 'pump'),
      await watched(world, other, 'theirs'),
    ];
    await pump.measure(81, 20, 82, 20, 83);
    await theirs.measure(81);
    const [newest = '', middle = '', oldest = ''] = await unconfirmed(mine);
    const [foreign = ''] = await unconfirmed(other);
    await mine.data(`${ALERT}/confirm`, { source: 'point', id: oldest });
    expect(await confirmAll(mine, { ids: [middle, oldest, foreign] })).toEqual({
      confirmed: 1,
      notConfirmed: [
        { alarmId: oldest, why: 'CONFIRMED_BEFORE' },
        { alarmId: foreign, why: 'NOT_FOUND' },
      ],
      more: false,
    });
    expect(await unconfirmed(mine)).toEqual([newest]);
    expect(await confirmAll(mine, { ids: [newest] })).toMatchObject({ confirmed: 1 });
    expect(await unconfirmed(other)).toEqual([foreign]);
  });

  it('are 500 a call at most, and say that there are more', async () => {
    const mine = await world.tenant('confirm-many');
    const { tenantId } = mine;
    await inTenant(world.app.db, tenantId, async (q) => {
      const alarm = { target: 'DEVICE', type: 'FAULT', source: 'SYSTEM', level: 1 } as const;
      const place = { tenantId, entityId: '7', deviceId: '7', now: world.clock.now() };
      for (const each of ids(501))
        await raise(q, { ...alarm, ...place, message: `blocked ${each}` });
    });
    expect(await mine.data(`${ALERT}/to_confirm`, { all: true })).toMatchObject({
      alarms: 500,
      more: true,
    });
    expect(await confirmAll(mine, { all: true })).toMatchObject({ confirmed: 500, more: true });
    expect(await confirmAll(mine, { all: true })).toMatchObject({ confirmed: 1, more: false });
  });

  it('are named one way, by a person', async () => {
    for (const body of [
      {},
      { all: true, ids: ['1'] },
      { ids: ids(501) },
      { al: true },
      { all: false },
    ])
      expect((await world.admin.post(`${ALERT}/confirm_all`, body)).status).toBe(400);
    const scope = 'svc:read svc:propose';
    const token = await bearerFor(world.admin, { scope, roleCode: 'admin', audience: 'api' });
    const headers = { authorization: `Bearer ${token}` };
    const body = { all: true };
    const answer = await request(world.base, 'POST', `${ALERT}/confirm_all`, { headers, body });
    expect(answer.status).toBe(403);
  });
});
