import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { z } from 'zod';

import { chosen } from '../suites.ts';
import { mutations as all } from './mutations/index.ts';
import type { Mutation } from './mutations/mutation.ts';
import type { Proof } from './proof.ts';

const LIMIT_MS = 240_000;

const Report = z.object({
  testResults: z.array(
    z.object({
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});
type Outcome = 'passed' | 'failed' | 'not run';

/** Copies that are broken side by side. */
const LANES = 2;

/**
 * Breaks copies of the committed tree at each listed place; the named test has to fail there. `only`
 * narrows it to places and tests whose path contains that text.
 */
export const spec: Proof = async ({ print, only }) => {
  const mutations = all.filter(({ file, test }) => `${file} ${test[0]}`.includes(only));
  const root = mkdtempSync(join(tmpdir(), 'svc-mutants-'));
  const lines = new Map<number, string>();
  let failed = 0;
  try {
    const archive = execFileSync('git', ['archive', 'HEAD'], { maxBuffer: 2 ** 28 });
    const copies = Array.from({ length: LANES }, (_, lane) =>
      copyOf(archive, join(root, `${lane}`)),
    );
    const whole = await unbroken(copies, mutations);
    await inLanes(copies, [...mutations.entries()], async (copy, [index, mutation]) => {
      const result = whole(mutation) === 'passed' ? await tryOne(copy, mutation) : 'fails unbroken';
      if (result !== 'killed') failed += 1;
      const { file, search, replace, test } = mutation;
      const change = `\`${short(search)}\` → \`${short(replace)}\``;
      const line = `| ${index + 1} | \`${file}\` | ${change} | \`${test[0]}\`: ${test[1]} | ${result} |`;
      print(line);
      lines.set(index, line);
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  const killed = `${mutations.length - failed} of ${mutations.length} mutations killed.`;
  const rows = [...lines].toSorted(([a], [b]) => a - b).map(([, line]) => line);
  const head = ['| # | Where | Broken | Test | Result |', '|---|---|---|---|---|'];
  return { failed, report: [killed, '', ...head, ...rows] };
};

function copyOf(archive: Buffer, copy: string): string {
  mkdirSync(copy);
  execFileSync('tar', ['-x', '-C', copy], { input: archive });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** Each copy takes the next piece of work when it is done with the one before. */
async function inLanes<T>(
  copies: readonly string[],
  work: readonly T[],
  each: (copy: string, piece: T) => Promise<void>,
): Promise<void> {
  const left = work.values();
  await Promise.all(
    copies.map(async (copy) => {
      for (const piece of left) await each(copy, piece);
    }),
  );
}

const short = (text: string): string =>
  (text.trim() || '(nothing)').replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');

/** Each named test without any mutation: a test that fails anyway proves nothing. */
async function unbroken(
  copies: readonly string[],
  mutations: readonly Mutation[],
): Promise<(mutation: Mutation) => Outcome> {
  const results = new Map<string, Outcome>();
  const files = Map.groupBy(mutations, ({ test: [file] }) => file);
  await inLanes(copies, [...files], async (copy, [file, own]) => {
    const names = [...new Set(own.map(({ test }) => test[1]))];
    const outcome = await run(copy, file, names);
    for (const name of names) results.set(`${file} ${name}`, outcome(name));
  });
  return ({ test: [file, name] }) => results.get(`${file} ${name}`) ?? 'not run';
}

async function tryOne(
  copy: string,
  { file, search, replace, test: [testFile, name] }: Mutation,
): Promise<string> {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(search).length !== 2) return 'not applicable';
  writeFileSync(
    path,
    source.replace(search, () => replace),
  );
  try {
    const outcome = (await run(copy, testFile, [name]))(name);
    return outcome === 'failed' ? 'killed' : outcome === 'passed' ? 'survived' : 'not run';
  } finally {
    writeFileSync(path, source);
  }
}

/** Runs the named tests of a file alone; a mutant that cannot even start a test has not run. */
async function run(
  copy: string,
  file: string,
  names: readonly string[],
): Promise<(name: string) => Outcome> {
  const suites = chosen('all', [`test/${file}.test.ts`]);
  const suite = suites.find(({ on }) => on === 'postgres') ?? suites[0];
  if (!suite) return () => 'not run';
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  // Only what is about the broker runs on it; the bus in the process is faster.
  const { AMQP_URL: broker, ...others } = process.env;
  const needsBroker = /^fault\/(bus-rabbitmq|postgres-bus)/.test(file);
  const environment = needsBroker ? { ...others, AMQP_URL: broker } : others;
  const child = spawn(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config=test/vitest.config.ts',
      `--project=${suite.name}`,
      '--reporter=json',
      `--outputFile=${report}`,
      `--testNamePattern=${names.map(literal).join('|')}`,
      `test/${file}.test.ts`,
    ],
    { cwd: copy, env: environment, stdio: 'ignore', timeout: LIMIT_MS },
  );
  await once(child, 'exit');
  const results = read(report);
  return (name) => {
    const own = results.filter(
      ({ fullName, status }) => fullName.includes(name) && ['passed', 'failed'].includes(status),
    );
    if (own.length === 0) return 'not run';
    return own.some(({ status }) => status === 'failed') ? 'failed' : 'passed';
  };
}

function read(report: string) {
  try {
    const { testResults } = Report.parse(JSON.parse(readFileSync(report, 'utf8')));
    return testResults.flatMap(({ assertionResults }) => assertionResults);
  } catch {
    return [];
  }
}

const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
