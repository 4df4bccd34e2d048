import { randomUUID } from 'node:crypto';

import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { confirm, reject } from '../../src/agentic/decision/decision.ts';
import { inTenant } from '../../src/db/tenant.ts';
import type { Caller } from '../../src/kernel/app/app.ts';
import { Action, ACTIONS, actionsIn, LIFE_MS } from '../support/people/actions.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, report } from '../tools/agent.ts';

const world = startedWorld();
const session = prepared(() => world.admin);
const other = prepared(() => world.tenant('other'));
const actions = prepared(() => actionsIn(world, session));

describe('403', () => {
  const human = (change: Partial<Caller>): Caller => ({
    ...agentIn(session),
    via: 'login',
    principalType: 'USER',
    ...change,
  });
  const given = (actionId: string) => ({ actionId, comment: '', waitMs: 0 });

  it.each([
    ['a token of an agent', { via: 'oauth' }],
    ['a model', { via: 'model' }],
    ['the platform itself', { via: 'system' }],
    ['a service account', { principalType: 'SERVICE_ACCOUNT' }],
    [
      'a user who may not confirm',
      { permissions: new Set(['svc-center-data:point_command:write']) },
    ],
    ['a user who may not write', { permissions: new Set(['svc-center-agentic:action:confirm']) }],
  ] as const)('is the answer to %s', async (_who, change) => {
    const { actionId } = await actions.proposeIn(await actions.site());
    const forbidden = { status: 403, code: 'R403' };
    await expect(confirm(world.app, human(change), given(actionId))).rejects.toMatchObject(
      forbidden,
    );
    await expect(reject(world.app, human(change), given(actionId))).rejects.toMatchObject(
      forbidden,
    );
    expect((await actions.actionOf(actionId)).status).toBe('PENDING');
    expect(await actions.commandsOf(actionId)).toEqual([]);
  });
});

describe('404', () => {
  it("is the answer for another tenant's action exactly as for a missing one", async () => {
    const { actionId } = await actions.proposeIn(await actions.site());
    for (const verb of ['confirm', 'reject'] as const) {
      const missing = await actions.decide(verb, randomUUID(), {}, other);
      expect(missing.status).toBe(404);
      const foreign = await actions.decide(verb, actionId, {}, other);
      expect(foreign).toMatchObject({ status: 404, body: missing.body });
    }
    const missing = await other.get(`${ACTIONS}/get`, { action_id: randomUUID() });
    const foreign = await other.get(`${ACTIONS}/get`, { action_id: actionId });
    expect(foreign).toMatchObject({ status: 404, body: missing.body });
    expect((await actions.actionOf(actionId)).status).toBe('PENDING');
  });
});

describe('409', () => {
  it('is the answer to another decision than the one taken', async () => {
    const first = await actions.proposeIn(await actions.site());
    await actions.decide('reject', first.actionId);
    expect(await actions.decide('confirm', first.actionId)).toMatchObject({
      status: 409,
      body: { data: { status: 'REJECTED' } },
    });
    const second = await actions.proposeIn(await actions.site());
    await actions.decide('confirm', second.actionId);
    expect((await actions.decide('reject', second.actionId)).status).toBe(409);
    expect(await actions.commandsOf(first.actionId)).toEqual([]);
    expect(await actions.commandsOf(second.actionId)).toHaveLength(1);
  });
});

describe('412', () => {
  it('shows a fresh card when the value has moved, and takes the confirmation of that one', async () => {
    const target = await actions.site();
    await report(world, session, target, [19]);
    const card = await actions.proposeIn(target);
    world.clock.shift(1_000);
    await report(world, session, target, [27]);
    const drifted = await actions.decide('confirm', card.actionId, { digest: card.digest });
    expect(drifted).toMatchObject({
      status: 412,
      body: {
        data: {
          changes: [expect.stringContaining('moved from “19 °C” to “27 °C” (dead-band 0.25)')],
        },
      },
    });
    const { card: fresh } = z.object({ card: Action }).parse(drifted.body.data);
    expect(fresh).toMatchObject({
      actionId: card.actionId,
      status: 'PENDING',
      currentValue: '27',
      expiresAt: card.expiresAt,
    });
    expect(fresh.digest).not.toBe(card.digest);
    expect((await actions.decide('confirm', card.actionId, { digest: card.digest })).status).toBe(
      412,
    );
    expect(await actions.commandsOf(card.actionId)).toEqual([]);
    expect((await actions.decide('confirm', card.actionId, { digest: fresh.digest })).status).toBe(
      200,
    );
    expect(await actions.commandsOf(card.actionId)).toHaveLength(1);
  });

  it('is the answer to a confirmation without the digest of a renewed card', async () => {
    const target = await actions.site();
    await report(world, session, target, [19]);
    const card = await actions.proposeIn(target);
    world.clock.shift(1_000);
    await report(world, session, target, [27]);
    const blind = () => actions.decide('confirm', card.actionId);
    expect((await blind()).status).toBe(412);
    const again = await blind();
    expect(again).toMatchObject({
      status: 412,
      body: { message: expect.stringContaining('digest') },
    });
    const { card: fresh } = z.object({ card: Action }).parse(again.body.data);
    expect(fresh).toMatchObject({ currentValue: '27', digestRequired: true });
    expect((await actions.decide('confirm', card.actionId, { digest: 'no' })).status).toBe(412);
    expect(await actions.commandsOf(card.actionId)).toEqual([]);
    const seen = await actions.decide('confirm', card.actionId, { digest: fresh.digest });
    expect(seen.status).toBe(200);
  });

  it('does not mind a value that moves within the dead-band, and shows what moved', async () => {
    const target = await actions.site();
    await report(world, session, target, [19]);
    const card = await actions.proposeIn(target);
    for (const value of [19.1, 18.9, 19.2]) {
      world.clock.shift(1_000);
      await report(world, session, target, [value]);
    }
    const confirmed = await actions.decide('confirm', card.actionId);
    expect(confirmed).toMatchObject({
      status: 200,
      body: { data: { moved: expect.stringContaining('from “19 °C” to “19.2 °C”') } },
    });
    expect((await actions.decide('confirm', card.actionId)).body.data).toMatchObject({
      moved: expect.stringContaining('19.2'),
    });
  });

  it('takes the dead-band that the point is given', async () => {
    const target = await actions.site();
    const set = (deadband: number | null) =>
      session.data('/api/v3/manager/point/update', { id: target.pointId, deadband });
    await report(world, session, target, [10]);
    await set(8);
    const card = await actions.proposeIn(target);
    world.clock.shift(1_000);
    await report(world, session, target, [17.9]);
    expect((await actions.decide('confirm', card.actionId)).status).toBe(200);
    await set(0);
    const strict = await actions.proposeIn(target, '22');
    world.clock.shift(1_000);
    await report(world, session, target, [17.91]);
    expect((await actions.decide('confirm', strict.actionId)).status).toBe(412);
  });

  it('is the answer when the point takes the value no more', async () => {
    const target = await actions.site();
    const card = await actions.proposeIn(target, '28');
    await session.data('/api/v3/manager/point/update', { id: target.pointId, maxValue: 25 });
    const refused = await actions.decide('confirm', card.actionId);
    expect(refused).toMatchObject({
      status: 412,
      body: { message: expect.stringContaining('out of limits') },
    });
    expect(await actions.commandsOf(card.actionId)).toEqual([]);
  });
});

// Last: it moves the clock past every other action.
describe('410', () => {
  it('is the answer after ten minutes, to both decisions, and there is no command', async () => {
    const card = await actions.proposeIn(await actions.site());
    world.clock.shift(LIFE_MS);
    for (const verb of ['confirm', 'reject'] as const) {
      expect(await actions.decide(verb, card.actionId)).toMatchObject({
        status: 410,
        body: { code: 'R410', data: { status: 'EXPIRED' } },
      });
    }
    expect((await actions.actionOf(card.actionId)).status).toBe('EXPIRED');
    expect((await session.get(`${ACTIONS}/pending`)).body.data).toEqual([]);
    expect(await actions.commandsOf(card.actionId)).toEqual([]);
  });

  it('is written down by the sweeper', async () => {
    const statuses = () =>
      inTenant(world.app.db, session.tenantId, (q) =>
        q
          .selectFrom('svc_action')
          .select('status')
          .distinct()
          .where('tenantId', '=', session.tenantId)
          .execute(),
      );
    const PENDING = 0;
    const CONFIRMED = 1;
    const left = await eventually(statuses, (rows) =>
      rows.every(({ status }) => status !== PENDING && status !== CONFIRMED),
    );
    expect(left.length).toBeGreaterThan(0);
  });
});
