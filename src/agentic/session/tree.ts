import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { Caller } from '../../kernel/app/app.ts';

/** Messages of one tree; branches of a longer conversation are not distinguished. */
const MAX_TREE = 10_000;

/** A message of a tree; `turnId` is null where it was stored by no turn. */
export type Node = {
  index: number;
  parent: number;
  role: string;
  onBranch: boolean;
  turnId: string | null;
};

/** The messages of a conversation, the oldest first, each with the one before it. */
export const nodesOf = (q: Queries, { tenantId, principalId }: Caller, conversationId: string) =>
  q
    .selectFrom('svc_message')
    .select([
      'messageIndex',
      'role',
      'onBranch',
      'turnId',
      sql<string>`coalesce(parent_index, lag(message_index) over (order by message_index), 0)`.as(
        'parent',
      ),
    ])
    .where('tenantId', '=', tenantId)
    .where('userId', '=', principalId)
    .where('conversationId', '=', conversationId)
    .orderBy('messageIndex')
    .limit(MAX_TREE);

/** All messages of a conversation as a tree, the oldest first; 0 is the parent of a first message. */
export async function treeOf(q: Queries, caller: Caller, conversationId: string): Promise<Node[]> {
  const rows = await nodesOf(q, caller, conversationId).execute();
  return rows.map(({ messageIndex, parent, ...node }) => ({
    ...node,
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
export function pathThrough(tree: readonly Node[], index: number): number[] {
  const parents = new Map(tree.map((node) => [node.index, node.parent]));
  if (!parents.has(index)) return [];
  const path: number[] = [];
  for (let at = index; at > 0; at = parents.get(at) ?? 0) path.unshift(at);
  const latest = new Map(tree.map((node) => [node.parent, node.index]));
  for (let at = latest.get(index); at !== undefined; at = latest.get(at)) path.push(at);
  return path;
}
