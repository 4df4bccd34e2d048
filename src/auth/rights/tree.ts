/** Maximum rows of a tree. */
export const MAX_TREE = 2_000;

export type Tree<T> = T & { children: Tree<T>[] };

/** Rows as a forest: a row without its parent among them is a root. Rows in a cycle of parents are lost. */
export function treeOf<T extends { id: string }>(
  rows: readonly T[],
  parentOf: (row: T) => string,
): Tree<T>[] {
  const nodes = new Map(rows.map((row) => [row.id, { ...row, children: [] as Tree<T>[] }]));
  const roots: Tree<T>[] = [];
  for (const node of nodes.values()) (nodes.get(parentOf(node))?.children ?? roots).push(node);
  return roots;
}
