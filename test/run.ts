/**
 * `npm test`: the suites of every change; with parts of paths, the suites that have such files; `--affected`, the files
 * that what was changed since a commit (HEAD) can reach; `--all`, everything that this machine has the servers for.
 */
import { spawnSync } from 'node:child_process';

import { affected } from './affected.ts';
import { chosen, notRun } from './suites.ts';

/** Options of vitest that take a value of their own. */
const VALUED = new Set([
  '-t',
  '--testNamePattern',
  '--shard',
  '--reporter',
  '--outputFile',
  '--maxWorkers',
]);

const args = process.argv.slice(2);
const isAll = args.includes('--all');
const wantsAffected = args.includes('--affected');
const passed = args.filter((arg) => arg !== '--all' && arg !== '--affected');
const filters = passed.filter((arg, i) => !arg.startsWith('-') && !VALUED.has(passed[i - 1] ?? ''));
const isSlow = (file: string): boolean => /^test\/(e2e|fault|recipe|start)\//.test(file);
const files = wantsAffected
  ? affected(filters[0] ?? 'HEAD').filter((file) => isAll || !isSlow(file))
  : filters;
const options = passed.filter((arg) => !filters.includes(arg));

if (wantsAffected && files.length === 0) {
  console.log('No test reaches what was changed.');
  process.exit(0);
}
const suites = chosen(isAll ? 'all' : 'change', files);
if (suites.length === 0) {
  for (const line of notRun()) console.error(line);
  console.error(`no suite that can run here has a file named ${files.join(' ')}`);
  process.exit(1);
}
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config=test/vitest.config.ts',
    ...suites.map(({ name }) => `--project=${name}`),
    ...options,
    ...files,
  ],
  { stdio: 'inherit' },
);
const left = isAll && files.length === 0 ? notRun() : [];
for (const line of left) console.error(line);
process.exit(status || (process.env['CI'] && left.length > 0 ? 1 : 0));
