import { sql } from 'kysely';
import { z } from 'zod';

import type { Caller, Operation } from '../../app.ts';
import { NotFound, Unprocessable } from '../../core/errors.ts';
import { input } from '../../core/input/input.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import { forgetMemory } from '../chat/past-turns.ts';
import { Content } from './message-content.ts';
import { ConversationId, lockSession } from './session.ts';

/** Messages of a conversation whose branches can be told apart. */
const MAX_TREE = 10_000;

/** Where a turn leaves what was said: another wording of the question, or another answer to it. */
export type Branch = { at: number; how: 'edit' | 'regenerate' };

/** A question of the branch that goes on; throws NotFound, and Unprocessable for any other message. */
export async function requireQuestion(
  q: Queries,
  { tenantId, principalId }: Caller,
  conversationId: string,
  { at }: Branch,
): Promise<Content> {
  const row = await q
    .selectFrom('svc_message')
    .select(['role', 'content', 'onBranch'])
    .where('tenantId', '=', tenantId)
    .where('userId', '=', principalId)
    .where('conversationId', '=', conversationId)
    .where('messageIndex', '=', String(at))
    .executeTakeFirst();
  if (!row) throw new NotFound('Message');
  if (row.role !== 'user' || !row.onBranch)
    throw new Unprocessable(
      'Only a question of the present branch can be edited or answered again',
    );
  return Content.parse(row.content);
}

/** Takes the messages from `from` on off the branch that goes on; the session is locked. */
export const leaveFrom = (
  q: Queries,
  { tenantId, principalId }: Caller,
  conversationId: string,
  from: number,
) =>
  q
    .updateTable('svc_message')
    .set({ onBranch: false })
    .where('tenantId', '=', tenantId)
    .where('userId', '=', principalId)
    .where('conversationId', '=', conversationId)
    .where('messageIndex', '>=', String(from))
    .where('onBranch', '=', true)
    .execute();

type Node = { index: number; parent: number };

/** All messages of a conversation as a tree, the oldest first; 0 is the parent of a first message. */
export async function treeOf(
  q: Queries,
  { tenantId, principalId }: Caller,
  conversationId: string,
): Promise<Node[]> {
  const rows = await q
    .selectFrom('svc_message')
    .select([
      'messageIndex',
      sql<string>`coalesce(parent_index, lag(message_index) over (order by message_index), 0)`.as(
        'parent',
      ),
    ])
    .where('tenantId', '=', tenantId)
    .where('userId', '=', principalId)
    .where('conversationId', '=', conversationId)
    .orderBy('messageIndex')
    .limit(MAX_TREE)
    .execute();
  return rows.map(({ messageIndex, parent }) => ({
    index: Number(messageIndex),
    parent: Number(parent),
  }));
}

/** The indexes of the messages with the same predecessor, of each that is not alone. */
export function versionsIn(tree: readonly Node[]): Map<number, number[]> {
  const siblings = Map.groupBy(tree, ({ parent }) => parent);
  return new Map(
    [...siblings.values()]
      .filter(({ length }) => length > 1)
      .flatMap((all) => all.map(({ index }) => [index, all.map((each) => each.index)])),
  );
}

/** The branch through `index`: all before it, and after it always the latest; empty for an unknown message. */
function pathThrough(tree: readonly Node[], index: number): number[] {
  const parents = new Map(tree.map((node) => [node.index, node.parent]));
  if (!parents.has(index)) return [];
  const path: number[] = [];
  for (let at = index; at > 0; at = parents.get(at) ?? 0) path.unshift(at);
  const latest = new Map(tree.map((node) => [node.parent, node.index]));
  for (let at = latest.get(index); at !== undefined; at = latest.get(at)) path.push(at);
  return path;
}

export const SelectBranch = input({
  conversationId: ConversationId,
  messageIndex: z
    .number()
    .int()
    .min(1)
    .max(Number.MAX_SAFE_INTEGER)
    .meta({ examples: [3] }),
});

/** Goes on with the branch through this message; throws NotFound. */
export const select: Operation<z.output<typeof SelectBranch>, true> = async (
  app,
  caller,
  { conversationId, messageIndex },
) => {
  const { tenantId, principalId: userId } = caller;
  await inTenant(app.db, tenantId, async (q) => {
    if (!(await lockSession(q, { tenantId, userId, conversationId })))
      throw new NotFound('Session');
    const path = pathThrough(await treeOf(q, caller, conversationId), messageIndex);
    if (path.length === 0) throw new NotFound('Message');
    await Promise.all([
      q
        .updateTable('svc_message')
        .set({ onBranch: sql`message_index = any(${path}::bigint[])` })
        .where('tenantId', '=', tenantId)
        .where('userId', '=', userId)
        .where('conversationId', '=', conversationId)
        .execute(),
      // It holds the tool results of one answer to each question: of which, it does not say.
      forgetMemory(q, caller, conversationId),
    ]);
  });
  return true;
};
