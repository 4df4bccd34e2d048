/** Rows a tree is made of, at most. */
export const MAX_TREE = 2_000;

export type Tree<T> = T & { children: Tree<T>[] };

/** Rows as a forest: a row whose parent is not among them is a root. Gives every row exactly once. */
export function treeOf<T extends { id: string }>(
  rows: readonly T[],
  parentOf: (row: T) => string,
): Tree<T>[] {
  const nodes = new Map(rows.map((row) => [row.id, { ...row, children: [] as Tree<T>[] }]));
  const roots: Tree<T>[] = [];
  for (const node of nodes.values()) (nodes.get(parentOf(node))?.children ?? roots).push(node);
  return roots;
}
