import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { collect } from './collect.ts';
import { compare, unused } from './compare.ts';
import type { Artefact } from './record.ts';

/** The last commit before the house was rebuilt. */
const BASE = '93818d0a';
/** Files that tests keep true, wherever they are in a tree. */
const FILES = ['tools-list.txt', 'trips.txt', 'wire-contract.json', 'schema.sql'];
const TITLE = /\b(?:it|test|describe)(?:\.\w+)*(?:\([^'"`\n]*\))?\(\s*(['"`])(.+?)\1\s*,/g;
/** Of trips.txt: comments, and calls that take one trip of at most three statements, which a newer one leaves out. */
const ORDINARY = /^(# .*trips?.*|1\/[1-3] +1\/[1-3] .*)\n/gim;
const BENCH_WITHIN = 0.05;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { bench: { type: 'boolean' }, titles: { type: 'boolean' } },
});
const run = (program: string, words: readonly string[], cwd = '.') =>
  execFileSync(program, words, { cwd, encoding: 'utf8', maxBuffer: 1 << 28 });
const git = (words: readonly string[], cwd?: string) => run('git', words, cwd);

const names = values.bench ? positionals : [];
const base = values.bench ? BASE : (positionals[0] ?? BASE);
const tree = mkdtempSync(join(tmpdir(), 'svc-same-'));
let wrong = 0;
try {
  git(['worktree', 'add', '--detach', '--force', tree, base]);
  const locks = ['.', tree].map((root) => readFileSync(join(root, 'package-lock.json'), 'utf8'));
  if (locks[0] === locks[1])
    symlinkSync(join(process.cwd(), 'node_modules'), join(tree, 'node_modules'));
  else run('npm', ['ci', '--no-audit', '--no-fund'], tree);
  if (values.bench) for (const name of names) wrong += bench(name);
  else {
    for (const name of FILES) wrong += compare(name, file(tree, name), file('.', name));
    const was = await collect(tree);
    const is = await collect('.');
    for (const [name, artefact] of was) wrong += compare(name, artefact, is.get(name) ?? new Map());
    wrong += unused();
    const lost = [...titles(tree)].filter(([title]) => !titles('.').has(title));
    for (const [title] of lost) console.log(`  no test has the title: ${title}`);
    console.log(`titles: ${lost.length} lost`);
    if (values.titles) wrong += lost.length;
  }
} finally {
  git(['worktree', 'remove', '--force', tree]);
  rmSync(tree, { recursive: true, force: true });
}
console.log(wrong === 0 ? `the same as ${base}` : `${wrong} not the same as ${base}`);
process.exit(wrong === 0 ? 0 : 1);

/** The files of this name, in one section. */
function file(root: string, name: string): Artefact {
  const found = git(['ls-files', `**/${name}`], root)
    .split('\n')
    .filter(Boolean);
  const [path = ''] = found;
  if (found.length !== 1) throw new Error(`${found.length} files are called ${name} in ${root}`);
  const text = readFileSync(join(root, path), 'utf8');
  return new Map([[name, text.replaceAll(ORDINARY, '')]]);
}

function titles(root: string): Map<string, true> {
  const files = git(['ls-files', 'test/*.test.ts'], root).split('\n').filter(Boolean);
  const texts = files.map((path) => readFileSync(join(root, path), 'utf8'));
  return new Map(
    texts.flatMap((text) =>
      [...text.matchAll(TITLE)].map(([, , title = '']) => [title, true] as const),
    ),
  );
}

/** Ratios of a bench, the base first; how many are worse by more than one in twenty. */
function bench(name: string): number {
  const rows = (root: string) =>
    new Map(
      run('node', ['test/bench/index.ts', name, '--json'], root)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map(
          ({ metric, ratio, value, goal }) =>
            [
              String(metric),
              { figure: Number(ratio ?? value), isRatio: ratio !== null, goal: String(goal) },
            ] as const,
        ),
    );
  const [was, is] = [rows(tree), rows('.')];
  let worse = 0;
  for (const [metric, { figure, isRatio, goal }] of was) {
    if (!isRatio) continue;
    const now = is.get(metric)?.figure ?? NaN;
    const isWorse = !(goal.startsWith('>=')
      ? now >= figure * (1 - BENCH_WITHIN)
      : now <= figure * (1 + BENCH_WITHIN));
    if (isWorse) worse += 1;
    console.log(`${isWorse ? 'WORSE ' : ''}${name}: ${metric}: ${figure} → ${now}`);
  }
  return worse;
}
