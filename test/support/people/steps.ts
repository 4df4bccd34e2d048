import { z } from 'zod';

import { propose } from '../../../src/agentic/propose/action.ts';
import { inTenant } from '../../../src/db/tenant.ts';
import { agentIn, type Site } from '../../tools/agent.ts';
import type { World } from '../world/app.ts';
import { eventually } from '../world/eventually.ts';
import { Action, ACTIONS, actionsIn } from './actions.ts';
import type { Session } from './session.ts';

/** An action of several writes. */
export const Steps = Action.extend({
  done: z.boolean(),
  say: z.string(),
  steps: z.array(
    z.looseObject({ status: z.string(), say: z.string(), commandId: z.string().nullable() }),
  ),
});
type Steps = z.output<typeof Steps>;

/** Where a write goes, and its value. */
export type To = readonly [Pick<Site, 'deviceId' | 'pointId'>, string];

export const statusesOf = ({ steps }: Steps): string[] => steps.map(({ status }) => status);

/** What tests of several writes as one do, in the tenant of `session`. */
export function stepsIn(world: World, session: Session) {
  const { tenantId } = session;
  const actions = actionsIn(world, session);
  const viewOf = async (actionId: string): Promise<Steps> =>
    Steps.parse((await session.get(`${ACTIONS}/get`, { action_id: actionId })).body.data);
  return {
    ...actions,
    viewOf,
    proposing: (
      writes: readonly To[],
      more: { idempotencyKey?: string; reason?: string; conversationId?: string } = {},
      by = agentIn(session),
    ) =>
      propose(world.app, by, {
        writes: writes.map(([{ deviceId, pointId }, value]) => ({ deviceId, pointId, value })),
        ...more,
      }),
    confirming: ({ actionId, digest }: { actionId: string; digest: string }, waitMs = 0) =>
      actions.decide('confirm', actionId, { digest, wait_ms: waitMs }),
    /** Once no write of it is under way any more. */
    ended: (actionId: string) =>
      eventually(
        () => viewOf(actionId),
        ({ status }) => status !== 'CONFIRMED',
      ),
    /** The command of a step, counted from 0, once its turn has come. */
    commandOf: async (actionId: string, index: number): Promise<string> => {
      const { steps } = await eventually(
        () => viewOf(actionId),
        (view) => (view.steps[index]?.commandId ?? null) !== null,
      );
      return steps[index]?.commandId ?? '';
    },
    commandRowsOf: (actionId: string) =>
      inTenant(world.app.db, tenantId, (q) =>
        q
          .selectFrom('svc_point_command_history')
          .select(['commandId', 'requestValue', 'sendTime', 'finishTime', 'verification'])
          .where('tenantId', '=', tenantId)
          .where('actionId', '=', actionId)
          .orderBy('id')
          .execute(),
      ),
  };
}
