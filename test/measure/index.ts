import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { measuresOf } from './tree.ts';

const PARTS = ['src', 'tools', 'providers', 'driver', 'docs', 'test'];
const GENERATED = 'src/console/app/client/operations.ts';

/** What is measured of a commit, or of the present tree: in a copy, which is gone afterwards. */
function measured(commit: string | null): ReturnType<typeof measuresOf> {
  const root = mkdtempSync(join(tmpdir(), 'svc-measure-'));
  try {
    if (commit === null)
      for (const part of PARTS)
        cpSync(part, join(root, part), { recursive: true, filter: (path) => path !== GENERATED });
    else {
      const input = execFileSync('git', ['archive', commit, ...PARTS], { maxBuffer: 1024 ** 3 });
      execFileSync('tar', ['-x', '-C', root], { input });
    }
    return measuresOf(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const given = process.argv.slice(2);
const commits = given.filter((word) => word !== '--list');
const now = measured(null);
const columns = [...commits.map(measured), now];
const row = (cells: readonly unknown[]): string => `| ${cells.join(' | ')} |`;
console.log(row(['Measure', ...commits, 'now']));
console.log(row(['---', ...columns.map(() => '---:')]));
for (const [at, [name]] of now.entries()) {
  const figures = columns.map((column) => column[at]?.[1]);
  console.log(row([name, ...figures.map((each) => (Array.isArray(each) ? each.length : each))]));
}
// What is to become less, by name.
for (const [name, found] of given.includes('--list') ? now : [])
  if (Array.isArray(found)) console.log(['', `${name}:`, ...found].join('\n'));
