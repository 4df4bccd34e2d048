import { describe, expect, it } from 'vitest';

import { inTenant } from '../../src/db/tenant.ts';
import { Conflict } from '../../src/kernel/errors.ts';
import { actionsIn } from '../support/people/actions.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, report } from '../tools/agent.ts';

const DAY_MS = 24 * 3_600_000;

const world = startedWorld();
const session = prepared(() => world.admin);
const actions = prepared(() => actionsIn(world, session));

describe('the reason of a proposal', () => {
  it('is on its card, covered by the digest, also of the renewed one', async () => {
    const target = await actions.site();
    await report(world, session, target, [19]);
    const reason = 'The room is too cold';
    const card = await actions.proposeIn(target, '21', { reason });
    expect(card).toMatchObject({ reason, others: [] });
    await report(world, session, target, [25]);
    const refused = await actions.decide('confirm', card.actionId, { digest: card.digest });
    expect(refused.status).toBe(412);
    expect(refused.body.data).toMatchObject({ card: { reason, status: 'PENDING' } });
  });
});

describe('a card', () => {
  it('says that the same was rejected within a day, when, by whom and why', async () => {
    const target = await actions.site();
    const first = await actions.proposeIn(target, '21');
    expect(first.rejectedBefore).toBeNull();
    await actions.decide('reject', first.actionId, { reason: 'Not in the night' });
    expect((await actions.proposeIn(target, '22')).rejectedBefore).toBeNull();
    const again = await actions.proposeIn(target, '21.0');
    expect(again.rejectedBefore).toMatchObject({ by: 'admin', why: 'Not in the night' });
    expect(again.say).toMatch(/The same was rejected \S+Z by “admin”, saying “Not in the night”\./);
  });
});

describe('an idempotency key', () => {
  const key = { idempotencyKey: 'k-1', reason: 'as planned' };
  const keysOf = () =>
    inTenant(world.app.db, session.tenantId, (q) =>
      q.selectFrom('svc_action_key').select('key').execute(),
    );

  it('answers the same action to the same arguments, whatever became of it', async () => {
    const target = await actions.site();
    const twice = await Promise.all([1, 2].map(() => actions.proposeIn(target, '21', key)));
    const [first] = twice.toSorted((one, other) => Number(one.repeated) - Number(other.repeated));
    if (!first) throw new Error('nothing was proposed');
    expect(twice.map(({ actionId }) => actionId)).toEqual([first.actionId, first.actionId]);
    await actions.decide('reject', first.actionId);
    expect(await actions.proposeIn(target, '21', key)).toMatchObject({
      actionId: first.actionId,
      status: 'REJECTED',
      repeated: true,
    });
    const other = await actions.proposeIn(target, '21', { ...key, idempotencyKey: 'k-2' });
    expect(other.actionId).not.toBe(first.actionId);
  });

  it('answers even where the write would be refused now', async () => {
    const target = await actions.site();
    const first = await actions.proposeIn(target, '21', { idempotencyKey: 'k-3' });
    const device = { id: target.deviceId, enableFlag: 'DISABLE' };
    expect((await session.post('/api/v3/manager/device/update', device)).status).toBe(200);
    const again = await actions.proposeIn(target, '21', { idempotencyKey: 'k-3' });
    expect(again.actionId).toBe(first.actionId);
    await expect(actions.proposeIn(target, '21')).rejects.toThrow('disabled');
  });

  it('is that of the waiting proposal that it found', async () => {
    const target = await actions.site();
    const first = await actions.proposeIn(target, '21');
    expect(await actions.proposeIn(target, '21', { idempotencyKey: 'k-4' })).toMatchObject({
      actionId: first.actionId,
    });
    await actions.decide('reject', first.actionId);
    expect(await actions.proposeIn(target, '21', { idempotencyKey: 'k-4' })).toMatchObject({
      actionId: first.actionId,
      status: 'REJECTED',
    });
  });

  it('is refused with other arguments, and free for another principal', async () => {
    const target = await actions.site();
    const first = await actions.proposeIn(target, '21', { idempotencyKey: 'k-5', reason: 'a' });
    for (const [value, reason] of [
      ['22', 'a'],
      ['21', 'b'],
    ] as const) {
      const answer = actions.proposeIn(target, value, { idempotencyKey: 'k-5', reason });
      await expect(answer).rejects.toThrow(Conflict);
      await expect(answer).rejects.toThrow(first.actionId);
    }
    const by = { ...agentIn(session), principalId: '778' };
    const theirs = await actions.proposeIn(target, '22', { idempotencyKey: 'k-5' }, by);
    expect(theirs.actionId).not.toBe(first.actionId);
  });

  it('is forgotten after a day', async () => {
    const target = await actions.site();
    const key6 = { idempotencyKey: 'k-6' };
    const rejected = await actions.proposeIn(target, '20');
    await actions.decide('reject', rejected.actionId);
    const first = await actions.proposeIn(target, '21', key6);
    world.clock.shift(DAY_MS - 1_000);
    const still = await actions.proposeIn(target, '21', key6);
    expect(still).toMatchObject({ actionId: first.actionId, status: 'EXPIRED' });
    world.clock.shift(1_000);
    // So is what was rejected.
    expect((await actions.proposeIn(target, '20')).rejectedBefore).toBeNull();
    const anew = await actions.proposeIn(target, '21', key6);
    expect(anew.actionId).not.toBe(first.actionId);
    await expect.poll(keysOf, { timeout: 15_000 }).toEqual([{ key: 'k-6' }]);
  });
});
