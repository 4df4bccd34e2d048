import { type ChildProcess, type Serializable, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, closeSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { z } from 'zod';

const STOP_MS = 30_000;
const SHOWN_OF_LOG = 2_000;

const scratch = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const alive = new Set<ChildProcess>();
// Whatever ends the benchmark ends its processes and takes their files along.
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

/** An empty directory that goes when the benchmark ends. */
export const freshDirectory = (): Promise<string> => mkdtemp(join(scratch, 'data-'));

/**
 * Starts a script with exactly these arguments, options of node and environment (and PATH): no compile cache, no
 * node options of the caller. What it prints goes to a file, shown when it fails. `BENCH_PROFILE=DIR` writes
 * a CPU profile of each of its threads there.
 */
export function start(
  script: URL,
  {
    args = [],
    env = {},
    options = [],
    cwd,
  }: {
    args?: readonly string[];
    env?: Record<string, string>;
    options?: readonly string[];
    cwd?: string;
  } = {},
): ChildProcess {
  const log = join(scratch, `${alive.size}-${process.hrtime.bigint()}.log`);
  const output = openSync(log, 'a');
  const profile = process.env['BENCH_PROFILE'];
  const profiled = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
  const child = spawn(process.execPath, [...profiled, ...options, fileURLToPath(script), ...args], {
    ...(cwd && { cwd }),
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', output, output, 'ipc'],
  });
  closeSync(output);
  alive.add(child);
  child.once('exit', (code, signal) => {
    alive.delete(child);
    if (code !== 0 && signal !== 'SIGTERM')
      console.error(readFileSync(log, 'utf8').slice(-SHOWN_OF_LOG));
  });
  return child;
}

/** The next message of a child; throws when it ends before, or sends none within `timeoutMs`. */
export async function next<T>(
  child: ChildProcess,
  schema: z.ZodType<T>,
  timeoutMs = 60_000,
): Promise<T> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(timeoutMs)]);
  try {
    const ended = once(child, 'exit', { signal }).then(() => {
      throw new Error(`${child.spawnargs.join(' ')} ended early`);
    });
    const [message]: unknown[] = await Promise.race([once(child, 'message', { signal }), ended]);
    return schema.parse(message);
  } finally {
    over.abort();
  }
}

export function ask<T>(child: ChildProcess, question: Serializable, schema: z.ZodType<T>) {
  const answer = next(child, schema);
  child.send(question);
  return answer;
}

/** SIGTERM, then waits for the end; SIGKILL and an error when it does not come. */
export async function stop(child: ChildProcess): Promise<void> {
  if (!alive.has(child)) return;
  const exited = once(child, 'exit', { signal: AbortSignal.timeout(STOP_MS) });
  child.kill('SIGTERM');
  try {
    await exited;
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error('a process did not stop', { cause: error });
  }
}
