import { sql } from 'kysely';

import type { Queries } from '../../../db/connect.ts';
import { inOneTrip } from '../../../db/tenant.ts';
import type { App, Caller } from '../../../kernel/app/app.ts';
import { type Node, treeOf } from '../../session/tree.ts';
import { forgetMemory } from './past-turns.ts';
import type { ResentMessage } from './resent.ts';

/** A turn goes on after the answer of this turn, wherever the conversation is by now. */
export type After = { how: 'after'; turnId: string };

/** The messages that a turn goes on after. */
export type Path = {
  how: 'path';
  indexes: readonly number[];
  /** It holds messages of another branch than the one that goes on. */
  isOther: boolean;
  /** Index of the question that is answered again, the last of `indexes`; left out: the turn has a question of its own. */
  again?: number;
  /** Messages that the client has after these, and the platform has not. */
  brought?: readonly ResentMessage[];
  /** What is at the place of the new question or answer, with its model and all messages that follow it. */
  left?: readonly { model: string; indexes: readonly number[] }[];
};

/**
 * The messages up to the answer of this turn, and its receipts; null where the conversation goes on from there anyway,
 * and for a turn without a message of its own: a later turn has completed its answer.
 */
export async function pathAfter(
  app: App,
  caller: Caller,
  conversationId: string,
  { turnId }: After,
): Promise<Path | null> {
  const tree = await inOneTrip(app.db, caller.tenantId, (q) => treeOf(q, caller, conversationId));
  return pathIn(tree, turnId);
}

function pathIn(tree: readonly Node[], turnId: string): Path | null {
  const nodes = new Map(tree.map((node) => [node.index, node]));
  const last = tree.findLast((node) => node.turnId === turnId);
  if (!last) return null;
  const indexes: number[] = [];
  const answers = new Map(
    tree.filter(({ role }) => role !== 'user').map((node) => [node.parent, node]),
  );
  for (let at: Node | undefined = last; at; at = nodes.get(at.parent)) indexes.unshift(at.index);
  // From a question to its answer, from an answer to the receipts of its actions.
  for (let at = answers.get(last.index); at; at = answers.get(at.index)) indexes.push(at.index);
  const own = new Set(indexes);
  const isOther = indexes.some((index) => nodes.get(index)?.onBranch === false);
  const goesOn = tree.every(({ index, onBranch }) => onBranch === own.has(index));
  return goesOn ? null : { how: 'path', indexes, isOther };
}

/** Goes on with these messages of a conversation alone; the session is locked. */
export const follow = (
  q: Queries,
  caller: Caller,
  conversationId: string,
  { indexes, isOther }: Pick<Path, 'indexes' | 'isOther'>,
): Promise<unknown> =>
  Promise.all([
    q
      .updateTable('svc_message')
      .set({ onBranch: sql`message_index = any(${[...indexes]}::bigint[])` })
      .where('tenantId', '=', caller.tenantId)
      .where('userId', '=', caller.principalId)
      .where('conversationId', '=', conversationId)
      .execute(),
    // It holds the tool results of one answer to each question: of which, it does not say.
    ...(isOther ? [forgetMemory(q, caller, conversationId)] : []),
  ]);
