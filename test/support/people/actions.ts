import { z } from 'zod';

import { propose } from '../../../src/agentic/propose/action.ts';
import { inTenant } from '../../../src/db/tenant.ts';
import { agentIn, onboard, type Site } from '../../tools/agent.ts';
import type { World } from '../world/app.ts';
import type { Session } from './session.ts';

export const ACTIONS = '/api/v3/agentic/action';
export const LIFE_MS = 600_000;

export const Action = z.looseObject({
  actionId: z.uuid(),
  status: z.string(),
  digest: z.string(),
  commandId: z.string().nullable(),
  currentValue: z.string().nullable(),
  proposedValue: z.string(),
  expiresAt: z.string(),
});

/** What tests of actions do all the time, in the tenant of `session`. */
export function actionsIn(world: World, session: Session) {
  const { tenantId } = session;
  let count = 0;
  return {
    /** A device of its own, whose driver does not run. */
    site: (): Promise<Site> => {
      count += 1;
      return onboard(session, `s${count}`);
    },
    proposeIn: (
      { deviceId, pointId }: Site,
      value = '21',
      more: { conversationId?: string; reason?: string; idempotencyKey?: string } = {},
      by = agentIn(session),
    ) => propose(world.app, by, { deviceId, pointId, value, ...more }),
    decide: (verb: 'confirm' | 'reject', actionId: string, more: object = {}, by = session) =>
      by.post(`${ACTIONS}/${verb}`, { action_id: actionId, ...more }),
    actionOf: async (actionId: string) =>
      Action.parse((await session.get(`${ACTIONS}/get`, { action_id: actionId })).body.data),
    commandsOf: (actionId: string) =>
      inTenant(world.app.db, tenantId, (q) =>
        q
          .selectFrom('svc_point_command_history')
          .select(['commandId', 'requestValue', 'sourceUserId', 'source'])
          .where('tenantId', '=', tenantId)
          .where('actionId', '=', actionId)
          .execute(),
      ),
    auditOf: (actionId: string) =>
      inTenant(world.app.db, tenantId, (q) =>
        q
          .selectFrom('svc_identity_audit_log')
          .select(['action', 'principalId', 'detailExt'])
          .where('tenantId', '=', tenantId)
          .where('resourceId', '=', actionId)
          .orderBy('id')
          .execute(),
      ),
  };
}

/** The id of a write to a point of a served device that a person confirmed and that was done. */
export async function executedIn(
  world: World,
  session: Session,
  site: Pick<Site, 'deviceId' | 'pointId'>,
  value = '24',
): Promise<string> {
  const { deviceId, pointId } = site;
  const { actionId, digest } = await propose(world.app, agentIn(session), {
    deviceId,
    pointId,
    value,
  });
  const given = { action_id: actionId, digest, wait_ms: 10_000 };
  const { status } = await session.post(`${ACTIONS}/confirm`, given);
  if (status !== 200) throw new Error(`the proposal was not confirmed: ${status}`);
  return actionId;
}
