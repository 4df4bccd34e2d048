import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** `isType`: erased when it runs. */
export type Import = { from: string; to: string; isType: boolean };

/** Made by `npm run types`, not committed. */
const GENERATED = 'src/console/app/client/operations.ts';
/** `import … from`, `export … from`, `import '…'`; `import('…')`, as a value and in a type. */
const STATEMENTS =
  /^(?:import|export) (type )?([^;]*?)\bfrom '(\.[^']+)'|^import '(\.[^']+)'|(typeof )?\bimport\(\s*'(\.[^']+)'/gm;

/** The files of production, by their paths from the root of the tree. */
export const sourcesIn = (root: string): string[] =>
  globSync('{src,tools,providers,driver}/**/*.{ts,tsx}', { cwd: root })
    .filter((path) => path !== GENERATED)
    .toSorted();

export const importsIn = (root: string, files: readonly string[]): Import[] =>
  files.flatMap((from) =>
    [...readFileSync(join(root, from), 'utf8').matchAll(STATEMENTS)].map(
      ([, type, names = '', by = '', alone = '', typeOf, late = '']) => ({
        from,
        to: join(dirname(from), by || alone || late),
        isType: Boolean(type ?? typeOf) || /^\{(\s*type \w+( as \w+)?,?)+\s*\}\s*$/.test(names),
      }),
    ),
  );

/** A folder, or a file that lies loose in `src`, where the parts have nothing in common. */
const folderOf = (path: string): string => (dirname(path) === 'src' ? path : dirname(path));

/** The pairs of folders that import each other: `a ↔ b`, sorted. */
export function mutualPairs(imports: readonly Import[]): string[] {
  const arrows = new Set(imports.map(({ from, to }) => `${folderOf(from)} ↔ ${folderOf(to)}`));
  return [...arrows]
    .filter((arrow) => {
      const [a = '', b = ''] = arrow.split(' ↔ ');
      return a < b && arrows.has(`${b} ↔ ${a}`);
    })
    .toSorted();
}

/** How many files are in the largest circle of imports; 0 where there is none. */
export function largestCircle(imports: readonly Import[]): number {
  const next = Map.groupBy(imports, ({ from }) => from);
  const order = new Map<string, { at: number; low: number; isOpen: boolean }>();
  const open: string[] = [];
  let largest = 0;
  // Tarjan's strongly connected components.
  const visit = (path: string): number => {
    const mine = { at: order.size, low: order.size, isOpen: true };
    order.set(path, mine);
    open.push(path);
    for (const { to } of next.get(path) ?? []) {
      const known = order.get(to);
      if (!known) mine.low = Math.min(mine.low, visit(to));
      else if (known.isOpen) mine.low = Math.min(mine.low, known.at);
    }
    if (mine.low < mine.at) return mine.low;
    const circle = open.splice(open.indexOf(path));
    for (const file of circle) {
      const known = order.get(file);
      if (known) known.isOpen = false;
    }
    if (circle.length > 1) largest = Math.max(largest, circle.length);
    return mine.low;
  };
  for (const path of next.keys()) if (!order.has(path)) visit(path);
  return largest;
}
