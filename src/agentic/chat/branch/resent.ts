import type { Queries } from '../../../db/connect.ts';
import { inOneTrip } from '../../../db/tenant.ts';
import type { App, Caller } from '../../../kernel/app/app.ts';
import { keyOf, textKey } from '../../session/message.ts';
import { type Node, nodesOf } from '../../session/tree.ts';
import type { Path } from './path.ts';

/** Conversations that are compared with what a client resends without naming one. */
const MAX_COMPARED = 5;

/** A message as a client resends it. */
export type ResentMessage = { role: 'user' | 'assistant'; text: string };

/** A stored message with the key of its text; a receipt is no message that a client has. */
type TextNode = Node & { key: string; model: string; isReceipt: boolean };

type Tree = {
  nodes: readonly TextNode[];
  byIndex: ReadonlyMap<number, TextNode>;
};

/** What a client resends: the messages before its question, and the question. */
export type Resent = {
  said: readonly ResentMessage[];
  question: string;
  /** They are the whole conversation, as far as the client has it: none means that the question is the first one. */
  isWhole: boolean;
};

/**
 * Where a named conversation goes on after what the client resends of it; null: where it is anyway, or not known. The
 * client may have dropped the oldest messages; what it has and the platform does not becomes a part of the branch.
 */
export async function placeOf(
  app: App,
  caller: Caller,
  conversationId: string,
  resent: Resent,
): Promise<Path | null> {
  const nodes = await inOneTrip(app.db, caller.tenantId, (q) =>
    saidNodes(q, caller, conversationId),
  );
  return placeIn(nodes, resent);
}

/** The latest conversation of the caller that has all that a client resends, from the beginning on; null: none has. */
export async function conversationWith(
  app: App,
  caller: Caller,
  said: readonly ResentMessage[],
): Promise<string | null> {
  const last = said.findLast(({ role }) => role === 'assistant');
  if (!last) return null;
  const keys = said.map(keyed);
  const rows = await inOneTrip(app.db, caller.tenantId, (q) =>
    q
      .selectFrom('svc_message')
      .select('conversationId')
      .where('tenantId', '=', caller.tenantId)
      .where('userId', '=', caller.principalId)
      .where('role', '=', 'assistant')
      .where(textKey, '=', keyOf(last.text))
      .orderBy('id', 'desc')
      .limit(MAX_COMPARED)
      .execute(),
  );
  const ids = [...new Set(rows.map(({ conversationId }) => conversationId))];
  if (ids.length === 0) return null;
  const all = await inOneTrip(app.db, caller.tenantId, (q) =>
    Promise.all(ids.map((conversationId) => saidNodes(q, caller, conversationId))),
  );
  const hasAll = (nodes: readonly TextNode[]): boolean => {
    const tree = treeOf(nodes);
    return endsOf(tree, keys).some((end) => matched(tree, end, keys).isWhole);
  };
  return ids.find((_, at) => hasAll(all[at] ?? [])) ?? null;
}

async function saidNodes(q: Queries, caller: Caller, conversationId: string): Promise<TextNode[]> {
  const rows = await nodesOf(q, caller, conversationId)
    .select([textKey.as('key'), 'model', 'actionId'])
    .execute();
  return rows.map(({ messageIndex, parent, actionId, ...node }) => ({
    ...node,
    index: Number(messageIndex),
    parent: Number(parent),
    isReceipt: actionId !== null,
  }));
}

/** As `placeOf`, in these messages of a conversation. */
function placeIn(nodes: readonly TextNode[], { said, question, isWhole }: Resent): Path | null {
  const tree = treeOf(nodes);
  const keys = said.map(keyed);
  if (keys.length === 0) return isWhole ? goOn(tree, 0, question) : null;
  const ends = endsOf(tree, keys).map((end) => ({ ...end, ...matched(tree, end, keys) }));
  const [best] = ends.toSorted(
    (a, b) =>
      b.count - a.count ||
      Number(b.isWhole) - Number(a.isWhole) ||
      Number(b.onBranch) - Number(a.onBranch) ||
      b.index - a.index,
  );
  if (best) return goOn(tree, answered(tree, best), question);
  const begun = beginningOf(tree, keys);
  // Messages from the middle of a conversation that are not known here: it goes on where it is.
  if (begun.count === 0 && nodes.length > 0) return null;
  return { ...pathTo(tree, begun.at), brought: said.slice(begun.count) };
}

type Key = { role: ResentMessage['role']; key: string };
const keyed = ({ role, text }: ResentMessage): Key => ({ role, key: keyOf(text) });
const isSame = (node: TextNode, { role, key }: Key): boolean =>
  !node.isReceipt && node.role === role && node.key === key;

const treeOf = (nodes: readonly TextNode[]): Tree => ({
  nodes,
  byIndex: new Map(nodes.map((node) => [node.index, node])),
});

/** The message before this one, without receipts. */
function before({ byIndex }: Tree, node: TextNode): TextNode | undefined {
  let at = byIndex.get(node.parent);
  while (at?.isReceipt) at = byIndex.get(at.parent);
  return at;
}

/** The messages after this one, without receipts; 0: the first ones. */
const after = (tree: Tree, index: number): TextNode[] =>
  tree.nodes.filter((node) => !node.isReceipt && (before(tree, node)?.index ?? 0) === index);

/** Messages that may be the last one that was resent. */
function endsOf({ nodes }: Tree, keys: readonly Key[]): TextNode[] {
  const last = keys.at(-1);
  return last ? nodes.filter((node) => isSame(node, last)) : [];
}

/**
 * How many of the resent messages are those before `end`. A client may change a question that it sends again, with what
 * it found for it: its answer then shows which it was. Whole: all are the same, from the beginning of the conversation on.
 */
function matched(tree: Tree, end: TextNode, keys: readonly Key[]) {
  let count = 0;
  let isExact = true;
  let at: TextNode | undefined = end;
  for (const key of keys.toReversed()) {
    if (!at || at.role !== key.role) return { count, isWhole: false };
    if (isSame(at, key)) count += 1;
    else if (key.role === 'user') isExact = false;
    else return { count, isWhole: false };
    at = before(tree, at);
  }
  return { count, isWhole: isExact && at === undefined };
}

/** How many of the resent messages are at the beginning of the conversation, and the last of them. */
function beginningOf(tree: Tree, keys: readonly Key[]): { count: number; at: number } {
  let at = 0;
  for (const [count, key] of keys.entries()) {
    const next = preferred(after(tree, at).filter((node) => isSame(node, key)));
    if (!next) return { count, at };
    at = next.index;
  }
  return { count: keys.length, at };
}

/** A question that was resent last has an answer that the client has not, such as one that failed. */
function answered(tree: Tree, end: TextNode): number {
  if (end.role !== 'user') return end.index;
  const answers = after(tree, end.index).filter(({ role }) => role === 'assistant');
  return preferred(answers)?.index ?? end.index;
}

const preferred = (nodes: readonly TextNode[]): TextNode | undefined =>
  nodes.findLast(({ onBranch }) => onBranch) ?? nodes.at(-1);

/** A question after this message: a new one, another wording of one that is there, or one that is answered again. */
function goOn(tree: Tree, at: number, question: string): Path | null {
  const key: Key = keyed({ role: 'user', text: question });
  const asked = after(tree, at).filter(({ role }) => role === 'user');
  const again = preferred(asked.filter((node) => isSame(node, key)));
  const path = pathTo(tree, again?.index ?? at);
  const own = new Set(path.indexes);
  if (!again && tree.nodes.every(({ index, onBranch }) => onBranch === own.has(index))) return null;
  const left = (again ? after(tree, again.index) : asked).map((node) => ({
    model: node.model,
    indexes: subtree(tree, node.index),
  }));
  return { ...path, ...(again ? { again: again.index } : {}), left };
}

function subtree({ nodes }: Tree, index: number): number[] {
  const own = new Set([index]);
  // A message has a higher index than the one before it.
  for (const node of nodes) if (own.has(node.parent)) own.add(node.index);
  return [...own];
}

/** The messages up to this one, and its receipts. */
function pathTo({ nodes, byIndex }: Tree, index: number): Path {
  const indexes: number[] = [];
  for (let at = byIndex.get(index); at; at = byIndex.get(at.parent)) indexes.unshift(at.index);
  const receipts = new Map(
    nodes.filter(({ isReceipt }) => isReceipt).map((node) => [node.parent, node.index]),
  );
  for (let at = receipts.get(index); at !== undefined; at = receipts.get(at)) indexes.push(at);
  const isOther = indexes.some((each) => byIndex.get(each)?.onBranch === false);
  return { how: 'path', indexes, isOther };
}
