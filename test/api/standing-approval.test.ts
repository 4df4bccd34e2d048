import { beforeEach, describe, expect, it } from 'vitest';

import type { Caller } from '../../src/kernel/app/app.ts';
import { actionsIn } from '../support/people/actions.ts';
import { APPROVALS, approvalsIn } from '../support/runs/approvals/approvals.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import type { Site } from '../tools/agent.ts';

let site: Site;
let agent: Caller;
const world = startedWorld();
const session = prepared(() => world.admin);
const ours = prepared(() => approvalsIn(world, session));
const actions = prepared(() => actionsIn(world, session));

beforeEach(async () => {
  [site, agent] = await Promise.all([ours.site(), ours.agent(), ours.turn(true)]);
});

describe('a standing approval', () => {
  it('decides a proposal inside of it at once, and the answer says by which', async () => {
    const { approvalId } = await ours.make(ours.wanted(agent, site));
    const made = await ours.proposing(agent, site, 21);
    expect(made).toMatchObject({
      pendingConfirmation: false,
      decidedName: 'admin',
      beforehand: { approvalId, left: 4 },
    });
    const done = await eventually(
      () => actions.actionOf(made.actionId),
      ({ status }) => status === 'EXECUTED',
    );
    expect(done['say']).toContain(
      'confirmed beforehand by “admin”, with 4 uses of the standing approval left',
    );
    expect(await actions.commandsOf(made.actionId)).toHaveLength(1);
    const [, decided] = await actions.auditOf(made.actionId);
    expect(decided).toMatchObject({
      action: 'action:confirm',
      principalId: session.principalId,
      detailExt: { approvalId, left: 4, via: 'system' },
    });
    expect(await ours.get(approvalId)).toMatchObject({ status: 'ACTIVE', used: 1, left: 4 });
  });

  it.each([
    ['above the range', 22.5, {}],
    ['below the range', 17.5, { maxStep: 10 }],
    ['a step too large', 21.6, {}],
  ])('leaves to a person what is outside: %s', async (_, value, point) => {
    const { approvalId } = await ours.make(ours.wanted(agent, site, {}, point));
    expect(await ours.proposing(agent, site, value)).toMatchObject({
      pendingConfirmation: true,
      beforehand: null,
    });
    expect(await ours.get(approvalId)).toMatchObject({ status: 'ACTIVE', used: 0 });
  });

  it('takes the edges of range and step as inside', async () => {
    await ours.make(ours.wanted(agent, site, {}, { maxStep: 2 }));
    expect(await ours.proposing(agent, site, 22)).toMatchObject({ beforehand: { left: 4 } });
  });

  it('is of one agent', async () => {
    await ours.make(ours.wanted(agent, site));
    const other = await ours.agent();
    expect((await ours.proposing(other, site, 21)).pendingConfirmation).toBe(true);
  });

  it('of a client is not of the other clients of the agent', async () => {
    const { clientId } = agent;
    await session.data('/api/v3/auth/mcp/connection/add', { clientId });
    await ours.make(ours.wanted(agent, site, { clientId }));
    const first = await ours.proposing(agent, site, 21);
    expect(first.beforehand).toMatchObject({ left: 4 });
    await eventually(
      () => actions.actionOf(first.actionId),
      ({ status }) => status === 'EXECUTED',
    );
    const other = { ...agent, clientId: 'other' };
    expect((await ours.proposing(other, site, 20)).pendingConfirmation).toBe(true);
  });

  it('decides no more often than approved', async () => {
    const { approvalId } = await ours.make(ours.wanted(agent, site, { maxUses: 1 }));
    const first = await ours.proposing(agent, site, 21);
    expect(first.beforehand).toMatchObject({ left: 0 });
    await eventually(
      () => actions.actionOf(first.actionId),
      ({ status }) => status === 'EXECUTED',
    );
    expect((await ours.proposing(agent, site, 20)).pendingConfirmation).toBe(true);
    expect(await ours.get(approvalId)).toMatchObject({ status: 'USED_UP', left: 0 });
  });

  it('decides no more often within an hour than approved', async () => {
    await ours.make(ours.wanted(agent, site, {}, { maxPerHour: 1 }));
    const first = await ours.proposing(agent, site, 21);
    await eventually(
      () => actions.actionOf(first.actionId),
      ({ status }) => status === 'EXECUTED',
    );
    expect((await ours.proposing(agent, site, 20)).pendingConfirmation).toBe(true);
  });

  it('decides no more often within an hour than approved, also beside others of the point', async () => {
    const one = () => ours.make(ours.wanted(agent, site, {}, { maxPerHour: 1 }));
    for (const _ of [1, 2, 3]) await one();
    const first = await ours.proposing(agent, site, 21);
    await eventually(
      () => actions.actionOf(first.actionId),
      ({ status }) => status === 'EXECUTED',
    );
    expect((await ours.proposing(agent, site, 20)).pendingConfirmation).toBe(true);
  });

  it('decides in the approved hours only', async () => {
    const now = new Date(world.clock.now());
    const hour = (ahead: number) =>
      `${String((now.getUTCHours() + ahead) % 24).padStart(2, '0')}:00`;
    const hours = { start: hour(2), end: hour(4) };
    await ours.make(ours.wanted(agent, site, { hours }));
    expect((await ours.proposing(agent, site, 21)).pendingConfirmation).toBe(true);
  });

  it('is void once what it covers has changed, also after the change is taken back', async () => {
    const { approvalId } = await ours.make(ours.wanted(agent, site));
    const rename = (pointName: string) =>
      session.data('/api/v3/manager/point/update', { id: site.pointId, pointName });
    const { points } = await ours.get(approvalId);
    await rename('another name');
    expect((await ours.proposing(agent, site, 21)).pendingConfirmation).toBe(true);
    await rename(points[0]?.pointName ?? '');
    expect(await ours.get(approvalId)).toMatchObject({
      status: 'VOID',
      endedWhy: expect.stringContaining('the name of the point changed'),
    });
    expect((await ours.proposing(agent, site, 20.5)).pendingConfirmation).toBe(true);
  });

  it('decides nothing once revoked, and while they are switched off', async () => {
    const { approvalId } = await ours.make(ours.wanted(agent, site));
    await ours.turn(false);
    expect((await ours.proposing(agent, site, 21)).pendingConfirmation).toBe(true);
    await ours.turn(true);
    expect(await ours.get(approvalId)).toMatchObject({ status: 'ACTIVE', used: 0 });
    expect(await ours.revoke(approvalId)).toMatchObject({ status: 'REVOKED', endedName: 'admin' });
    expect((await ours.proposing(agent, site, 20.5)).pendingConfirmation).toBe(true);
  });

  it('decides nothing on an old value', async () => {
    await ours.make(ours.wanted(agent, site));
    world.clock.shift(301_000);
    expect((await ours.proposing(agent, site, 21)).pendingConfirmation).toBe(true);
  });

  it('decides nothing while another write for the point is open', async () => {
    await ours.proposing(await ours.agent(), site, 21);
    await ours.make(ours.wanted(agent, site));
    expect((await ours.proposing(agent, site, 20.5)).pendingConfirmation).toBe(true);
  });
});

describe('making a standing approval', () => {
  it('takes the digest of the card that was shown', async () => {
    const given = ours.wanted(agent, site);
    const shown = await ours.shown(given);
    const other = { ...given, maxUses: 100, digest: shown.digest };
    const refused = await session.post(`${APPROVALS}/add`, other);
    expect(refused.status).toBe(412);
    expect(shown.say).toMatch(
      /^“.+” may set “.+” of “.+” to 18–22 °C in steps of at most 1\.5 °C, at most 10 times an hour, until .+, at most 5 times in all\.$/,
    );
  });

  it('is refused while they are off', async () => {
    await ours.turn(false);
    const refused = await session.post(`${APPROVALS}/preview`, ours.wanted(agent, site));
    expect(refused.status).toBe(409);
  });

  it.each([
    ['a range outside of the limits of the point', 422, {}, { max: 31 }],
    ['min above max', 400, {}, { min: 23 }],
    ['a time that is past', 400, { until: '2020-01-01T00:00:00Z' }, {}],
    ['a time more than 31 days ahead', 400, { until: '2999-01-01T00:00:00Z' }, {}],
    ['an agent that is not of the tenant', 404, { principalId: '999999999' }, {}],
    ['a client that the agent does not use', 404, { clientId: 'nothing' }, {}],
  ])('is refused for %s', async (_, status, more, point) => {
    const refused = await session.post(
      `${APPROVALS}/preview`,
      ours.wanted(agent, site, more, point),
    );
    expect(refused.status).toBe(status);
  });

  it('is refused for a point of another tenant', async () => {
    const other = approvalsIn(world, await world.tenant('other'));
    const given = ours.wanted(agent, await other.site());
    expect((await session.post(`${APPROVALS}/preview`, given)).status).toBe(404);
  });

  it('is refused for a person without a client', async () => {
    const given = ours.wanted(session, site);
    expect((await session.post(`${APPROVALS}/preview`, given)).status).toBe(422);
  });
});
