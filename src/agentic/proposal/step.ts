import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { type Card, writesOf } from '../action/card/card.ts';

type Which = { tenantId: string; actionId: string };

/** SQL condition on `svc_action`: at least one of its steps has no command yet. */
export const hasMoreSteps = sql<boolean>`exists (
  select from svc_action_step s where s.tenant_id = svc_action.tenant_id
    and s.action_id = svc_action.action_id and s.command_id is null)`;

/** Stores the writes of a proposal of several. */
export async function storeSteps(q: Queries, card: Card): Promise<void> {
  const { tenantId, actionId } = card;
  await q
    .insertInto('svc_action_step')
    .values(
      writesOf(card).map(({ deviceId, pointId }, index) => ({
        tenantId,
        actionId,
        step: index + 1,
        deviceId,
        pointId,
      })),
    )
    .execute();
}

/** Gives a step (from 1 on) its command, once; false if it has one. */
export async function giveCommand(
  q: Queries,
  { tenantId, actionId }: Which,
  { step, commandId }: { step: number; commandId: string },
): Promise<boolean> {
  const given = await q
    .updateTable('svc_action_step')
    .set({ commandId })
    .where('tenantId', '=', tenantId)
    .where('actionId', '=', actionId)
    .where('step', '=', step)
    .where('commandId', 'is', null)
    .returning('step')
    .executeTakeFirst();
  return given !== undefined;
}

/** For an action that is open again: none of its commands was sent. */
export async function forgetCommands(q: Queries, { tenantId, actionId }: Which): Promise<void> {
  await q
    .updateTable('svc_action_step')
    .set({ commandId: null })
    .where('tenantId', '=', tenantId)
    .where('actionId', '=', actionId)
    .execute();
}
