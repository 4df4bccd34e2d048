import { createHash } from 'node:crypto';

import type { Queries } from '../../db/connect.ts';
import type { Caller } from '../../kernel/app/app.ts';
import { Conflict } from '../../kernel/errors.ts';
import { type ActionRow, actionsOf } from './view.ts';

/** docs/specification/actions.md, Proposal. */
const KEPT_MS = 24 * 3_600_000;
const BATCH = 1_000;

/** A key that a caller gave with its proposal; counts per tenant, principal and tool. */
export type ProposalKey = { tool: string; key: string; arguments: string };

/** `given`: the arguments of the tool, with ids instead of names. */
export const keyOf = (tool: string, key: string, given: readonly unknown[]): ProposalKey => ({
  tool,
  key,
  arguments: createHash('sha256').update(JSON.stringify(given)).digest('hex'),
});

/** The action that was proposed with the key within a day. Throws Conflict if it came with other arguments. */
export async function actionByKey(
  q: Queries,
  { tenantId, principalId }: Caller,
  { tool, key, arguments: given }: ProposalKey,
  now: number,
): Promise<ActionRow | undefined> {
  const found = await actionsOf(q, tenantId)
    .innerJoin('svc_action_key as given', (join) =>
      join
        .onRef('given.tenantId', '=', 'svc_action.tenantId')
        .onRef('given.actionId', '=', 'svc_action.actionId'),
    )
    .select('given.arguments')
    .where('given.userId', '=', principalId)
    .where('given.tool', '=', tool)
    .where('given.key', '=', key)
    .where('given.createTime', '>', new Date(now - KEPT_MS))
    .executeTakeFirst();
  if (found && found.arguments !== given)
    throw new Conflict(
      `This idempotencyKey was used with other arguments, for action ${found.actionId}; take a new one for another proposal`,
      { actionId: found.actionId },
    );
  return found;
}

export async function keepKey(
  q: Queries,
  { tenantId, principalId }: Caller,
  { tool, key, arguments: given }: ProposalKey,
  { actionId, now }: { actionId: string; now: number },
): Promise<void> {
  const kept = { arguments: given, actionId, createTime: new Date(now) };
  await q
    .insertInto('svc_action_key')
    .values({ tenantId, userId: principalId, tool, key, ...kept })
    // Older than a day, and not swept yet.
    .onConflict((conflict) =>
      conflict.columns(['tenantId', 'userId', 'tool', 'key']).doUpdateSet(kept),
    )
    .execute();
}

/** Deletes keys of more than a day before `now` (ms since the epoch), at most BATCH. */
export async function dropOldKeys(q: Queries, now: number): Promise<void> {
  await q
    .deleteFrom('svc_action_key')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('tenantId', 'userId', 'tool', 'key'),
        'in',
        selectFrom('svc_action_key as old')
          .select(['old.tenantId', 'old.userId', 'old.tool', 'old.key'])
          .where('old.createTime', '<=', new Date(now - KEPT_MS))
          .limit(BATCH)
          .$asTuple('tenantId', 'userId', 'tool', 'key'),
      ),
    )
    .execute();
}
