import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** What starts, a platform or a worker of the tests, takes over what an earlier one compiled. */
export const NODE_COMPILE_CACHE = join(tmpdir(), 'svc-compile-cache');
const LINE_MS = 60_000;
const STOP_MS = 30_000;

/** A program of ours as its users start it: a process of its own. */
export type Process = {
  pid: number;
  /** All it printed so far, on both streams. */
  output: string[];
  /** Resolves with the first line, also an earlier one, that matches. */
  line(pattern: RegExp, timeoutMs?: number): Promise<string>;
  exited: Promise<{ code: number | null; signal: string | null }>;
  /** SIGTERM, then waits for a clean end; the exit code. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
};

/** Runs `node` on these words with exactly this environment (and PATH, and a compile cache), and `input` to read; in the folder `tree`. */
export function startProcess(
  words: string[],
  environment: Record<string, string> = {},
  input = '',
  tree = '.',
): Process {
  const child = spawn(process.execPath, words, {
    cwd: tree,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {}).end(input); // it may end without reading
  const output: string[] = [];
  const listeners = new Set<(text: string) => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (text) => {
      output.push(text);
      for (const listener of listeners) listener(text);
    });
  }
  const exited = once(child, 'exit').then(() => ({
    code: child.exitCode,
    signal: child.signalCode,
  }));
  return {
    pid: child.pid ?? 0,
    output,
    exited,
    line(pattern, timeoutMs = LINE_MS) {
      const before = output.find((text) => pattern.test(text));
      if (before !== undefined) return Promise.resolve(before);
      const found = Promise.withResolvers<string>();
      const listener = (text: string): void => {
        if (pattern.test(text)) found.resolve(text);
      };
      listeners.add(listener);
      const timer = setTimeout(
        () => found.reject(new Error(`no line like ${pattern}:\n${output.join('\n')}`)),
        timeoutMs,
      );
      void exited.then(() =>
        found.reject(new Error(`it ended before a line like ${pattern}:\n${output.join('\n')}`)),
      );
      return found.promise.finally(() => {
        clearTimeout(timer);
        listeners.delete(listener);
      });
    },
    async stop() {
      child.kill('SIGTERM');
      const { code } = await Promise.race([exited, late('it did not stop')]);
      return code;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function late(text: string): Promise<never> {
  await sleep(STOP_MS, undefined, { ref: false });
  throw new Error(text);
}
