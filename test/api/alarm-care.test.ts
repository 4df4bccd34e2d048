import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { watched } from '../support/devices/watched.ts';
import { worker } from '../support/people/accounts.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { request, type Session } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';

const ALERT = '/api/v3/data/dashboard/alert';
const Found = z.object({ alarms: z.array(z.looseObject({ alarmId: z.string() })) });

const world = startedWorld();

const search = async (session: Session, given: object): Promise<string[]> =>
  Found.parse(await session.data(`${ALERT}/search`, given)).alarms.map(({ alarmId }) => alarmId);
const report = (session: Session, alarmId: string) =>
  session.data(`${ALERT}/report`, undefined, { alarm_id: alarmId });
const fired = async (session: Session, name: string): Promise<string> => {
  await (await watched(world, session, name)).measure(81);
  return (await search(session, { query: name }))[0] ?? '';
};
const personOf = async (session: Session, name: string): Promise<string> =>
  z
    .looseObject({ principalId: z.string() })
    .parse(await session.data('/api/v3/auth/user_profile/get_by_name', undefined, { name }))
    .principalId;

describe('an alarm that people look after', () => {
  it('has their comments in order, fifty at most', async () => {
    const mine = await world.tenant('care-comments');
    const id = await fired(mine, 'boiler');
    for (const text of ['I go there', 'the burner is dirty'])
      await mine.data(`${ALERT}/comment`, { id, text });
    const by = 'care-comments-admin';
    expect(await report(mine, id)).toMatchObject({
      comments: [
        { at: expect.stringMatching(/^\d{4}-.*Z$/), by, text: 'I go there' },
        { by, text: 'the burner is dirty' },
      ],
    });
    expect((await mine.post(`${ALERT}/comment`, { id, text: '' })).status).toBe(400);
    expect((await mine.post(`${ALERT}/comment`, { id, text: 'x'.repeat(1_001) })).status).toBe(400);
    for (let count = 2; count < 50; count += 1)
      await mine.data(`${ALERT}/comment`, { id, text: 'still dirty' });
    expect((await mine.post(`${ALERT}/comment`, { id, text: 'one more' })).status).toBe(422);
  });

  it('is assigned to a person of the tenant, found by that, and given back', async () => {
    const mine = await world.tenant('care-assigned');
    const other = await world.tenant('care-other');
    const [boiler, pump] = [await fired(mine, 'boiler'), await fired(mine, 'pump')];
    const { name } = await worker(mine, ['svc-center-data:dashboard:list']);
    const principalId = await personOf(mine, name);
    await mine.data(`${ALERT}/assign`, { id: boiler, principalId });
    expect(await report(mine, boiler)).toMatchObject({ assignee: { id: principalId, name } });
    expect(await search(mine, { assigneeId: principalId })).toEqual([boiler]);
    expect(await mine.data(`${ALERT}/search`, { assigneeId: principalId })).toMatchObject({
      counts: { firing: 1 },
    });
    const foreign = await personOf(other, 'care-other-admin');
    const theirs = await mine.post(`${ALERT}/assign`, { id: pump, principalId: foreign });
    expect(theirs.status).toBe(404);
    await mine.data(`${ALERT}/assign`, { id: boiler, principalId: '0' });
    expect(await report(mine, boiler)).toMatchObject({ assignee: null });
    expect(await search(mine, { assigneeId: principalId })).toEqual([]);
  });

  it('ended when it did, whenever it is assigned', async () => {
    const mine = await world.tenant('care-ended');
    const { ruleId, measure } = await watched(world, mine, 'boiler');
    await measure(81);
    const [id = ''] = await search(mine, {});
    await mine.data('/api/v3/data/rule/update', { id: ruleId, enableFlag: 'DISABLE' });
    const before = await report(mine, id);
    world.clock.shift(3_600_000);
    const principalId = await personOf(mine, 'care-ended-admin');
    await mine.data(`${ALERT}/assign`, { id, principalId });
    const { timeline } = z.object({ timeline: z.array(z.unknown()) }).parse(before);
    expect(await report(mine, id)).toMatchObject({ timeline });
  });

  it('is found among those that are silenced', async () => {
    const mine = await world.tenant('care-silenced');
    const [boiler] = [await fired(mine, 'boiler'), await fired(mine, 'pump')];
    const until = new Date(world.clock.now() + 3_600_000).toISOString();
    await mine.data(`${ALERT}/silence`, { id: boiler, until, reason: 'cleaning' });
    expect(await search(mine, { silenced: true })).toEqual([boiler]);
    await mine.data(`${ALERT}/unsilence`, { id: boiler });
    expect(await search(mine, { silenced: true })).toEqual([]);
  });

  it('is looked after by people alone', async () => {
    const scope = 'svc:read svc:propose';
    const token = await bearerFor(world.admin, { scope, roleCode: 'admin', audience: 'api' });
    const headers = { authorization: `Bearer ${token}` };
    for (const [path, body] of [
      ['comment', { id: '1', text: 'hello' }],
      ['assign', { id: '1', principalId: '0' }],
    ] as const)
      expect(
        (await request(world.base, 'POST', `${ALERT}/${path}`, { headers, body })).status,
      ).toBe(403);
  });
});
