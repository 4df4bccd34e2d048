import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

import * as approval from '../../src/agentic/approval/approval.ts';
import { Make } from '../../src/agentic/approval/maker.ts';
import * as approvalSwitch from '../../src/agentic/approval/switch.ts';
import { propose } from '../../src/agentic/propose/action.ts';
import type { Caller } from '../../src/kernel/app/app.ts';
import { beforeDispatch } from '../support/devices/before-dispatch.ts';
import { worker } from '../support/people/accounts.ts';
import { actionsIn } from '../support/people/actions.ts';
import type { Session } from '../support/people/session.ts';
import { Records } from '../support/people/shapes.ts';
import { approvalsIn } from '../support/runs/approvals/approvals.ts';
import { startedWorld } from '../support/world/prepared.ts';
import type { Site } from '../tools/agent.ts';

const MAKER = [
  'svc-center-agentic:approval:get',
  'svc-center-agentic:approval:add',
  'svc-center-agentic:action:confirm',
  'svc-center-data:point_command:write',
];

let session: Session;
let ours: ReturnType<typeof approvalsIn>;
let actions: ReturnType<typeof actionsIn>;
let site: Site;
let agent: Caller;
const world = startedWorld();
beforeAll(async () => {
  session = world.admin;
  ours = approvalsIn(world, session);
  actions = actionsIn(world, session);
  await ours.turn(true);
});

beforeEach(async () => {
  [site, agent] = await Promise.all([ours.site(), ours.agent()]);
});

const person = (): Caller => ({
  tenantId: session.tenantId,
  principalId: session.principalId,
  principalType: 'USER',
  name: 'admin',
  via: 'login',
  permissions: new Set(['*']),
});

describe('a standing approval', () => {
  it.each<[string, Partial<Caller>]>([
    ['an OAuth token of the person', { via: 'oauth' }],
    ['a key of the person', { via: 'key' }],
    ['a model in a chat of the person', { via: 'model' }],
    ['the platform itself', { via: 'system' }],
    ['a service account', { principalType: 'SERVICE_ACCOUNT' }],
  ])('is for a person on an interactive login: %s is refused', async (_, other) => {
    const caller = { ...person(), ...other };
    const wanted = ours.wanted(agent, site);
    const { digest } = await ours.shown(wanted);
    const given = Make.parse({ ...wanted, digest });
    const { approvalId } = await ours.make(wanted);
    for (const tried of [
      async () => approval.preview(world.app, caller, given),
      async () => approval.make(world.app, caller, given),
      async () => approval.revoke(world.app, caller, { approvalId, reason: '' }),
      async () => approvalSwitch.set(world.app, caller, { on: true }),
    ])
      await expect(tried()).rejects.toMatchObject({ status: 403 });
    expect(await ours.get(approvalId)).toMatchObject({ status: 'ACTIVE', maxUses: 5 });
  });

  it.each(MAKER)('is refused to a person without %s', async (code) => {
    const { session: other } = await worker(
      session,
      MAKER.filter((held) => held !== code),
    );
    await expect(ours.make(ours.wanted(agent, site), other)).rejects.toThrow(/R403/);
  });

  it.each<[string, (maker: Awaited<ReturnType<typeof worker>>) => Promise<unknown>]>([
    [
      'has lost the role',
      async ({ role, principalId }) => {
        const path = '/api/v3/auth/role_principal';
        const { records } = Records.parse(
          await session.data(`${path}/list`, { principalId, roleId: role }),
        );
        await session.data(`${path}/delete`, {}, { id: String(records[0]?.id) });
      },
    ],
    [
      'is disabled',
      async ({ id }) =>
        session.data('/api/v3/auth/user_profile/update', { id, enableFlag: 'DISABLE' }),
    ],
  ])('is void once its maker %s', async (_, lose) => {
    const maker = await worker(session, MAKER);
    const { approvalId } = await ours.make(ours.wanted(agent, site), maker.session);
    await lose(maker);
    expect((await ours.proposing(agent, site, 21)).pendingConfirmation).toBe(true);
    expect(await ours.get(approvalId)).toMatchObject({
      status: 'VOID',
      used: 0,
      endedWhy: expect.stringContaining('may no longer confirm and write'),
    });
  });

  it('keeps back what it decided when it is revoked before the command is sent', async () => {
    const { approvalId } = await ours.make(ours.wanted(agent, site));
    const app = beforeDispatch(world.app, () => ours.revoke(approvalId));
    const { deviceId, pointId } = site;
    const made = await propose(app, agent, { deviceId, pointId, value: '21' });
    expect(made).toMatchObject({ pendingConfirmation: true, beforehand: null });
    expect(await actions.actionOf(made.actionId)).toMatchObject({
      status: 'PENDING',
      commandId: null,
    });
    const audited = await actions.auditOf(made.actionId);
    expect(audited.map(({ action }) => action)).toEqual([
      'action:propose',
      'action:confirm',
      'action:void',
    ]);
  });
});
