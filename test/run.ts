/**
 * `npm test`: the suites of every change; with parts of paths, the suites that have such files; `--affected`, the files
 * that what was changed since a commit (HEAD) can reach; `--all`, everything that this machine has the servers for.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { text } from 'node:stream/consumers';

import { affected } from './affected.ts';
import { chosen, notRun, type Suite } from './suites.ts';
import { NODE_COMPILE_CACHE } from './support/world/process.ts';

/** Options of vitest that take a value of their own. */
const VALUED = new Set([
  '-t',
  '--testNamePattern',
  '--shard',
  '--reporter',
  '--outputFile',
  '--maxWorkers',
]);

/** Steps of niceness of the run that computes. */
const BEHIND = 5;

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

/** Runs suites to their end; what is printed beside another run comes in one piece. */
async function run(some: readonly Suite[], { isBeside, isBehind, report }: Run): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config=test/vitest.config.ts',
      ...some.map(({ name }) => `--project=${name}`),
      // Before the options: `-u` takes a word that follows for the kind of snapshots.
      ...files,
      ...options,
    ],
    {
      stdio: isBeside ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      env: {
        NODE_COMPILE_CACHE,
        ...process.env,
        ...(report && { SVC_TEST_REPORT: report }),
      },
    },
  );
  const exit = once(child, 'exit');
  if (isBehind && child.pid !== undefined) setPriority(child.pid, BEHIND);
  const printed = [child.stdout, child.stderr].flatMap((stream) => (stream ? [text(stream)] : []));
  process.stdout.write((await Promise.all(printed)).join(''));
  const [status] = await exit;
  return status ?? 1;
}
type Run = { isBeside: boolean; isBehind: boolean; report: string | undefined };

// What hardly computes takes little time from the others in another run of vitest, beside theirs. Its waits are for
// processes and devices that must not be late: the others let it go first.
const { waiting = [], computing = [] } = Object.groupBy(suites, ({ isBeside }) =>
  isBeside ? 'waiting' : 'computing',
);
const report = process.env['SVC_TEST_REPORT'];
const areBoth = waiting.length > 0 && computing.length > 0;
const besideReport = report?.replace(/(\.json)?$/, '-waiting.json');
const runs = [
  ...(areBoth ? [run(waiting, { isBeside: true, isBehind: false, report: besideReport })] : []),
  run(areBoth ? computing : suites, { isBeside: false, isBehind: areBoth, report }),
];
const status = Math.max(...(await Promise.all(runs)));
const left = isAll && files.length === 0 ? notRun() : [];
for (const line of left) console.error(line);
process.exit(status || (process.env['CI'] && left.length > 0 ? 1 : 0));
