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
