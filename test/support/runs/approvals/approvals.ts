import { Approval, ApprovalView } from '../../../../src/agentic/approval/view.ts';
import { withdraw } from '../../../../src/agentic/decision/withdraw.ts';
import { propose } from '../../../../src/agentic/propose/action.ts';
import type { Caller } from '../../../../src/kernel/app/app.ts';
import { onboardVirtual, report, type Site } from '../../../tools/agent.ts';
import { programFor } from '../../people/bearer.ts';
import type { Session } from '../../people/session.ts';
import type { World } from '../../world/app.ts';
import { fresh } from '../../world/fresh-name.ts';

export const APPROVALS = '/api/v3/agentic/approval';

/** What tests of standing approvals do all the time, in the tenant of `session`. */
export function approvalsIn(world: World, session: Session) {
  /** The content of an approval of one point: 18 to 22 °C in steps of 1.5, for an hour, five times. */
  const wanted = (
    agent: Pick<Caller, 'principalId'>,
    site: Pick<Site, 'deviceId' | 'pointId'>,
    more: object = {},
    point: object = {},
  ) => ({
    principalId: agent.principalId,
    points: [
      {
        deviceId: site.deviceId,
        pointId: site.pointId,
        min: 18,
        max: 22,
        maxStep: 1.5,
        maxPerHour: 10,
        ...point,
      },
    ],
    until: new Date(world.clock.now() + 3_600_000).toISOString(),
    maxUses: 5,
    ...more,
  });
  const shown = async (given: object, by = session) =>
    ApprovalView.parse(await by.data(`${APPROVALS}/preview`, given));
  return {
    wanted,
    shown,
    turn: (on: boolean) => session.data(`${APPROVALS}/switch/set`, { on }),
    make: async (given: object, by = session) =>
      Approval.parse(
        await by.data(`${APPROVALS}/add`, { ...given, digest: (await shown(given, by)).digest }),
      ),
    get: async (approvalId: string) =>
      Approval.parse(
        await session.data(`${APPROVALS}/get`, undefined, { approval_id: approvalId }),
      ),
    active: async () =>
      Approval.array().parse(await session.data(`${APPROVALS}/list`, { active: true })),
    withdraw: (by: Caller, actionId: string) => withdraw(world.app, by, { actionId, reason: '' }),
    revoke: (approvalId: string) => session.data(`${APPROVALS}/revoke`, { approvalId }),
    /** A service account of the tenant with the role `agent`, as it calls tools. */
    agent: async (): Promise<Caller> => {
      const name = fresh('agent');
      const { principalId, clientId } = await programFor(session, { scope: 'svc:propose', name });
      return {
        tenantId: session.tenantId,
        principalId,
        principalType: 'SERVICE_ACCOUNT',
        name,
        via: 'oauth',
        clientId,
        scopes: ['svc:propose'],
        permissions: new Set(['*']),
      };
    },
    /** A device of the virtual driver whose set-point is at 20 °C. */
    site: (): Promise<Site> => onboardVirtual(world, fresh('plant'), session),
    report: (site: Site, value: number) => report(world, session, site, [value]),
    proposing: (by: Caller, { deviceId, pointId }: Site, value: number) =>
      propose(world.app, by, { deviceId, pointId, value: String(value) }),
  };
}
